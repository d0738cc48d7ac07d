"""What findings expect and have found stays English in records and is shown in Chinese to who reads Chinese."""

from __future__ import annotations

import random
import re

import msgspec
import pytest

from flow.test_mutated_replies import mutate
from valid_replies import BUNDLE, CASES, DRIFT_BUNDLE, DRIFT_SAMPLE, JUDGE, SAMPLE, as_json, bundle_reply, sample_reply
from venire.domain import rule
from venire.reports.words import ReportWords
from venire.shapes.check import Checker, with_end
from venire.words.said import Said, as_text

CHINESE = ReportWords("zh")
OURS = re.compile("expected|found|[a-z]+ (?:of|for|that|in|is|more|at|which|was|were) ")


def found_in(reply, rule_id: str, protocol=DRIFT_SAMPLE, subject=SAMPLE) -> tuple[str, str]:
    raw = reply if isinstance(reply, bytes) else as_json(reply)
    judgement = Checker(protocol).check(raw, subject, judge=JUDGE)
    finding = next(each for each in judgement.all_findings if each.rule == rule_id)
    return CHINESE.of(finding.expected), CHINESE.of(finding.found)


@pytest.mark.parametrize(
    ("raw", "rule_id", "chinese"),
    [
        (b"", "json.empty", ("一个 JSON 对象", "空回复")),
        (b'"a"', "json.not-an-object", ("一个 JSON 对象", "JSON 字符串")),
        (b'{"a" 1}', "json.syntax", ("一个 JSON 对象", "第 1 行第 6 列缺少冒号")),
        (b'{"a": 1 "b": 2}', "json.syntax", ("一个 JSON 对象", "第 1 行第 9 列缺少逗号")),
        (b'{"a": "b', "json.syntax", ("一个 JSON 对象", "第 1 行第 7 列开始的字符串没有结束")),
        (b"\xff{}", "json.encoding", ("UTF-8 文本", "偏移 0 处的字节 0xff")),
        (b"\xff\xfe{\x00}\x00", "json.encoding", ("UTF-8 文本", "偏移 0 处的字节 0xff；像是 UTF-16，请存为 UTF-8")),
        (b'Here: {"a": 1} Bye', "json.surrounding-text", ("只有一个 JSON 对象", "前面有 'Here:'，后面有 'Bye'")),
        (b'{"a": 1, "a": 2}', "json.duplicate-key", ("每个键一次", "键 'a' 多次出现")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_json_is_said_in_chinese(raw, rule_id, chinese):
    assert found_in(raw, rule_id) == chinese


def test_what_is_wrong_with_the_content_is_said_in_chinese():
    reply = sample_reply()
    reply["verdict"] = "GOOD"
    reply["scores"]["overall_score"] = 1
    reply["evidence"][0]["quote"] = "no such words"
    assert found_in(reply, "contract.unknown-value") == ("PASS、PARTIAL、FAIL 之一", '"GOOD"')
    assert found_in(reply, "overall.mismatch")[0].endswith("（由各维度分数算出）")
    assert found_in(reply, "evidence.not-verbatim") == (f"{SAMPLE.output_id!r} 中的原文（nfkc）", "'no such words'")


def test_an_aggregate_that_does_not_follow_is_said_in_chinese():
    reply = bundle_reply()
    reply["aggregates"]["avg_total"] = 99
    expected, found = found_in(reply, "aggregate.mismatch", DRIFT_BUNDLE, BUNDLE)
    assert re.fullmatch(r"[\d.]+（总分的均值）", expected)
    assert found == "99"


def test_a_reply_that_was_cut_off_is_said_in_chinese():
    judgement = with_end(Checker(DRIFT_SAMPLE).check(b'{"meta', SAMPLE), "length", 512)
    assert CHINESE.of(judgement.findings[0].found) == "回复在 512 个 token 处被截断"


def test_no_finding_about_damaged_replies_is_left_in_english():
    replies = [as_json(reply) for _, _, reply in CASES]
    for number in range(600):
        checker, subject, _ = CASES[number % len(CASES)]
        raw = mutate(replies[number % len(CASES)], random.Random(f"chinese {number}"))
        for finding in checker.check(raw, subject, judge=JUDGE).all_findings:
            for text in (finding.expected, finding.found):
                said = isinstance(text, Said)
                # What is no sentence is data of the reply, quoted or a bare name.
                assert said or not OURS.match(text), text
                assert not said or re.search("[\u4e00-\u9fff]|^[^a-z]*$", CHINESE.of(text)), text


def test_a_record_of_a_finding_is_english_whoever_reads_it():
    finding = Checker(DRIFT_SAMPLE).check(b"", SAMPLE).findings[0]
    plain = msgspec.to_builtins(finding, enc_hook=as_text)
    assert (plain["expected"], plain["found"]) == ("one JSON object", "an empty reply")
    assert type(plain["found"]) is str


def test_names_of_the_data_are_not_taken_for_sentences():
    finding = rule.COVERAGE_IDENTITY.finding("/meta/target_model", "none", "nothing")
    line = CHINESE.finding(finding)
    assert "none" in line
    assert "nothing" in line
