"""Every sentence has a code, every code has a sentence in every language, and the source uses all of them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import venire
from venire import errors
from venire.errors import VenireError
from venire.words.language import FOLDER, Words, languages

SOURCE = Path(venire.__file__).parent
CODE = re.compile(r"[a-z0-9_]+(\.[a-z0-9_-]+)*")
"""A hyphen stands only in names that records carry, such as a band's `very-high`."""
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, VenireError)}
SAYING = {"say", "words", "report_words", "_ENGLISH"}
"""The functions whose first argument is a code."""
WITH_ENGLISH_NOUNS = {
    "cli.is_file", "cli.is_folder", "cli.no_file", "cli.not_a_number", "cli.not_readable", "error.trace.other_file",
}  # fmt: skip
"""Sentences that are filled with an English noun, mostly by click, which other languages leave out."""
BUILT = (
    "bias.",
    "fact.",
    "help.",
    "meaning.",
    "measured.",
    "n.",
    "outcome.",
    "summary.excluded.",
    "trust.",
    "voter_kind.",
)
"""How codes begin whose end comes from elsewhere: rows that we name, options of commands."""


def texts_of(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return texts


def arguments(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


ENGLISH = texts_of("en")
OTHERS = [language for language in languages() if language != "en"]


@pytest.mark.parametrize("language", languages())
def test_a_file_of_words_is_sorted_and_names_each_code_once(language: str) -> None:
    pairs: list[tuple[str, str]] = []
    json.loads((FOLDER / f"{language}.json").read_text("utf-8"), object_pairs_hook=pairs.extend)
    codes = [code for code, _ in pairs]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("language", OTHERS)
def test_every_code_is_said_in_every_language(language: str) -> None:
    assert set(texts_of(language)) == set(ENGLISH)


@pytest.mark.parametrize("language", OTHERS)
def test_a_sentence_takes_the_same_values_in_every_language(language: str) -> None:
    texts = texts_of(language)
    differing = {code for code, text in texts.items() if arguments(text) != arguments(ENGLISH[code])}
    assert differing <= WITH_ENGLISH_NOUNS


def test_codes_are_lower_case_names_and_never_prose() -> None:
    assert [code for code in ENGLISH if not CODE.fullmatch(code)] == []


@pytest.mark.parametrize("language", languages())
def test_no_sentence_is_its_own_code_or_blank(language: str) -> None:
    blank = {"sentence.between"} if language == "zh" else set()
    assert [code for code, text in texts_of(language).items() if text == code] == []
    assert {code for code, text in texts_of(language).items() if not text} == blank


def test_a_longer_sentence_in_chinese_is_chinese() -> None:
    texts = texts_of("zh")
    longer = [code for code, text in ENGLISH.items() if len(text.split()) > 4]
    assert [code for code in longer if not re.search(r"[\u4e00-\u9fff]", texts[code])] == []


@cache
def modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))
    }


@cache
def templates() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(SOURCE.rglob("templates/*.html")))


def first_arguments(tree: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in names:
                chosen = node.args[0]
                yield from (chosen.body, chosen.orelse) if isinstance(chosen, ast.IfExp) else (chosen,)


def is_code(code: str) -> bool:
    return code in ENGLISH or f"pages.{code}" in ENGLISH


def test_every_code_that_the_source_says_exists() -> None:
    said = {
        (path, each.value)
        for path, tree in modules().items()
        for each in first_arguments(tree, SAYING)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    said |= {("templates", code) for code in re.findall(r"""words(?:\.report)?\(["']([^"']+)["'](?! ~)""", templates())}
    assert sorted((path, code) for path, code in said if not is_code(code)) == []


def test_every_code_is_used_by_the_source() -> None:
    constants, built = used_texts()
    patterns = re.compile("|".join(sorted(built)))
    unused = [
        code
        for code in ENGLISH
        for stem in [code.removesuffix(".hint")]
        if not code.startswith(BUILT)
        and not constants & {stem, stem.removeprefix("pages."), code}
        and not patterns.fullmatch(stem)
        and not patterns.fullmatch(stem.removeprefix("pages."))
    ]
    assert unused == []


def used_texts() -> tuple[set[str], set[str]]:
    """Return all texts of the source, and a pattern for each that is built of a beginning and values."""
    constants = set(re.findall(r"""["']([a-z0-9_.-]+)["']""", templates()))
    built = {re.escape(each) + ".+" for each in re.findall(r"""["']([a-z_.]+\.)["'] ~""", templates())}
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [each.value if isinstance(each, ast.Constant) else None for each in node.values]
                if isinstance(parts[0], str) and re.fullmatch(r"[a-z_]+\.[a-z_.]*", parts[0]):
                    built.add("".join(".+" if part is None else re.escape(str(part)) for part in parts))
    return constants, built


def is_built_code(each: ast.expr) -> bool:
    """Tell whether a text is put together from the beginning of codes that exist, such as `error.stats.unnamed_`."""
    first = each.values[0] if isinstance(each, ast.JoinedStr) else None
    begun = first.value if isinstance(first, ast.Constant) else ""
    return str(begun).startswith("error.") and any(code.startswith(str(begun)) for code in ENGLISH)


def test_errors_are_raised_by_codes() -> None:
    texts = {
        (path, ast.unparse(each)[:60])
        for path, tree in modules().items()
        for each in first_arguments(tree, ERRORS)
        if (isinstance(each, ast.JoinedStr | ast.BinOp) and not is_built_code(each))
        or (isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value not in ENGLISH)
    }
    assert sorted(texts) == []


def test_a_language_without_a_sentence_says_it_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from venire.words import language

    (tmp_path / "en.json").write_text(json.dumps(ENGLISH), "utf-8")
    (tmp_path / "xx.json").write_text('{"unknown": "xy"}', "utf-8")
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    assert languages() == ("en", "xx")
    assert (Words("xx")("unknown"), Words("xx")("comma")) == ("xy", ", ")


@pytest.mark.parametrize("language", languages())
def test_help_is_shown_as_it_is_written(language):
    """Help is not filled in, so that braces stand in it once."""
    assert [code for code, text in texts_of(language).items() if code.startswith("help.") and "{{" in text] == []


def test_a_hint_that_is_a_sentence_ends_like_one_in_chinese() -> None:
    texts = texts_of("zh")
    hints = [code for code, text in ENGLISH.items() if code.endswith(".hint") and text.endswith(".")]
    assert [code for code in hints if texts[code][-1] not in "。？`"] == []
