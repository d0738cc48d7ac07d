"""One word for one thing: the glossary's tables hold for all sentences, and in Chinese for the pages too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from venire.words.language import FOLDER

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8")
HAN = r"[\u4e00-\u9fff]"
MARKED_UP = {"archive.page.archive", "error.stats.labels_not_numbers.hint", "error.stats.labels_without_order.hint"}
"""Texts with a table, or with Chinese inside of a line of Python."""
SETTING = {
    "half-width punctuation beside Chinese": re.compile(rf"{HAN} ?[,;:!?](?!\S*[=/])|[,;!?] ?{HAN}|{HAN}\(|\){HAN}"),
    "a space beside full-width punctuation": re.compile(
        r"[，。；：？！、（）“”] +(?=\S)|(?<=\S) +[，。；：？！、（）]"
    ),
    "no space between Chinese and Latin letters": re.compile(rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}"),
    "a percent sign apart from its number": re.compile(r"[\d}] %"),
    "an interval that is neither a confidence nor a credible one": re.compile(r"(?<!置信)(?<!可信)区间"),
}


def table(title: str) -> list[list[str]]:
    """Return the rows of the glossary's table under a title, without its head."""
    part = GLOSSARY.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"][2:]


def chinese_pages() -> Iterator[tuple[str, str]]:
    for path in [*sorted((ROOT / "docs").rglob("*.zh.md")), ROOT / "README.zh.md"]:
        yield path.name, prose_of(path)


def english_pages() -> Iterator[tuple[str, str]]:
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
        if not path.name.endswith(".zh.md") and path.name != "glossary.md":
            yield path.name, prose_of(path).lower()


def prose_of(page: Path) -> str:
    prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose)


def sentences(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return texts


CHINESE = {code: re.sub(r"`[^`]*`|\{[^}]*\}", "▢", text) for code, text in sentences("zh").items()}
UNUSED = [word for row in table("Words") for word in row[3].split("、") if word]


def test_the_glossary_names_words_to_use_and_words_to_avoid() -> None:
    assert all(row[0] and row[1] for row in table("Words"))
    assert {"目标模型", "硬断裂", "学得"} <= set(UNUSED)
    assert "stands twice" in [row[0] for row in table("Plain English")]


@pytest.mark.parametrize("word", UNUSED)
def test_no_chinese_sentence_or_page_uses_another_word_for_it(word: str) -> None:
    assert [code for code, text in [*CHINESE.items(), *chinese_pages()] if word in text] == []


@pytest.mark.parametrize("row", table("Plain English"), ids=lambda row: row[0])
def test_no_english_sentence_or_page_uses_a_phrase_that_nobody_would_say(row: list[str]) -> None:
    said = ((code, text.lower()) for code, text in sentences("en").items())
    assert [code for code, text in [*said, *english_pages()] if row[0] in text] == []


@pytest.mark.parametrize("rule", SETTING)
def test_chinese_sentences_are_set_as_chinese(rule: str) -> None:
    found = {code for code, text in CHINESE.items() if SETTING[rule].search(text)}
    assert found - MARKED_UP == set()
