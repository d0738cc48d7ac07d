"""Words of records, which stay English in the record, are shown in Chinese."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import venire
from venire.domain import rule
from venire.reports.phrases_zh import PHRASES, in_chinese
from venire.reports.terminal.check_table import finding_line
from venire.reports.wording import Words

SOURCES = Path(venire.__file__).parent
SAID_IN_FINDINGS = {"expected", "found", "wanted", "more", "absence"}
SAYING = {"finding", "note", "ArchiveProblem", "_refused"}
PUT_TOGETHER = {"7 from 7 to 7", "a NUL character7"}
"""Texts whose own words stand in a place; they are among the examples below."""


def words_of(node):
    """Return a text as it may come out of the code, with something in the places of its values; None for no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [each.value if isinstance(each, ast.Constant) else sample_of(each) for each in node.values]
    return "".join(parts)


def sample_of(place):
    return "'q1'" if place.conversion == ord("r") else "7"


def texts_of(tree):
    """Yield the texts that are given to findings, directly or by a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in SAYING:
            yield from map(words_of, node.args[1:])
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in SAID_IN_FINDINGS:
            yield words_of(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name == "expects":
            yield from (words_of(each.value) for each in ast.walk(node) if isinstance(each, ast.Return))


def texts_of_findings():
    files = [*(SOURCES / "validation").glob("*.py"), SOURCES / "runner" / "records.py"]
    files += [SOURCES / "workflows" / name for name in ("check.py", "verify_archive.py")]
    for file in files:
        yield from (text for text in texts_of(ast.parse(file.read_text(encoding="utf-8"))) if text)


def has_words(text):
    return re.search(r"[a-z]{3,}", re.sub(r"'q1'", "", text)) is not None


def test_everything_that_the_code_says_in_findings_has_its_chinese():
    texts = set(filter(has_words, texts_of_findings())) - PUT_TOGETHER
    assert len(texts) > 60
    assert {text for text in texts if in_chinese(text) == text} == set()


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("'Here:' before it and '``` Bye, after it' after it", "其前有 'Here:'，其后有 '``` Bye, after it'"),
        ("only 0, because A_structure is 0", "只能为 0，因为 A_structure 为 0"),
        ("one of PASS, PARTIAL, FAIL", "PASS、PARTIAL、FAIL 之一"),
        ("Expecting ',' delimiter at line 3, column 14", "第 3 行第 14 列缺少逗号"),
        ("a NUL character; it looks like UTF-16: save it as UTF-8", "NUL 字符；像是 UTF-16，请存为 UTF-8"),
        ("byte 0xff at offset 0", "偏移 0 处的字节 0xff"),
        ("a number from 0 to 10", "0 到 10 的数值"),
        ("no folder named like 'gemini', only 'kimi'", "没有名为 'gemini' 的文件夹，只有 'kimi'"),
        (
            "no folder named like 'g', only 'a g', 'kimi'; did you mean --source-name g=a g?",
            "没有名为 'g' 的文件夹，只有 'a g'、'kimi'；是否应为 --source-name g=a g？",
        ),
        ("an integer from 0 to 2", "0 到 2 的整数"),
        ("the budget of 5 calls is reached: 6 spent", "已达预算上限 5（请求数），已用 6"),
    ],
)  # fmt: skip
def test_a_phrase_is_said_in_chinese_with_its_values(english, chinese):
    assert in_chinese(english) == chinese


@pytest.mark.parametrize("text", ['"nothing"', '"one of us', "'a string' ", "", "alder-1", "{'a': 1}"])
def test_what_a_reply_says_stays_as_it_is(text):
    assert in_chinese(text) == text


def test_no_chinese_leaves_out_a_value():
    for phrase, chinese in PHRASES.items():
        places = range(len(re.findall("<[nqwpl]>", phrase)))
        assert all(f"{{{place}}}" in chinese for place in places), phrase


def test_names_of_the_data_are_not_taken_for_phrases():
    finding = rule.COVERAGE_IDENTITY.finding("/meta/target_model", "none", "nothing")
    assert finding_line(finding, Words("zh")) == "coverage.identity，位于 /meta/target_model。要求：none；实际：nothing"
