import asyncio
import json
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider
from venire.shapes.check import Checker

BUNDLED = Path(__file__).parents[3] / "src/venire/protocols/bundled"
HEADINGS = ["[事实快照]", "[ChatGPT 联网搜索指令]", "[Gemini 深度挖掘指令]"]
GOOD = """[事实快照]
昨夜某地网络中断两小时。

## [ChatGPT 联网搜索指令]
搜索官方公告，列出三条来源，按时间排序。

[Gemini深度挖掘指令]
给出来源链接，并输出 JSON 表格。
"""
DRIFT_CHECKS = {
    "FORMAT_COMPLIANCE": [{"check": "headings"}, {"check": "sections_filled"}, {"check": "nothing_outside", "cap": 1}],
    "INSTRUCTION_COMPLIANCE": [{"check": "length", "section": "[事实快照]", "maximum": 50}],
    "SEMANTIC_FIDELITY": [
        {"check": "contains", "any_of": ["搜索", "search"]},
        {"check": "excludes", "none_of": ["作为"]},
    ],
    "COMPLETENESS": [{"check": "matches", "pattern": "来源|source", "section": "[Gemini 深度挖掘指令]"}],
}
BUNDLE_CHECKS = {
    "A_structure": [{"check": "headings"}],
    "*": [{"check": "sections_filled"}, {"check": "nothing_outside"}],
}


def load(name):
    return msgspec.yaml.decode((BUNDLED / f"{name}.yaml").read_bytes(), type=EvalProtocol)


SECOND, THIRD = HEADINGS[1:]
SAMPLE_PROTOCOL, BUNDLE_PROTOCOL, QUALITY = load("drift-sample"), load("drift-bundle"), load("quality")


def ask(subject, protocol=SAMPLE_PROTOCOL, dimensions=None, headings=HEADINGS, language="en", **options):
    judge = create_provider("rules", {"dimensions": dimensions or DRIFT_CHECKS, "headings": headings, **options})
    request = Request("", "", "", Decoding(), {}, protocol=protocol, subject=subject, handle="h-1", language=language)
    return asyncio.run(judge.ask(request))


def run_one(check, text, headings=HEADINGS):
    """Return whether a text passes one check, and the quote and reason that are given for it."""
    reply = ask(Sample("o", text), dimensions={"*": [check]}, headings=headings)
    answer = json.loads(reply.text)
    evidence = answer["evidence"][0]
    return answer["scores"]["COMPLETENESS"] == 2, evidence["quote"], evidence["reason"]


def test_a_good_sample_gets_full_marks_and_a_valid_judgement():
    reply = ask(Sample("o-1", GOOD), name="strict")
    answer = json.loads(reply.text)
    assert answer["scores"]["overall_score"] == 8
    assert (answer["verdict"], answer["meta"]["output_id"], answer["meta"]["judge_model"]) == ("PASS", "h-1", "strict")
    assert {answer["meta"][name] for name in ("target_model", "question_id", "prompt_variant")} == {"blind"}
    judgement = Checker(SAMPLE_PROTOCOL, evidence=EvidenceLevel.EXACT, blind=True).check(
        reply.text, Sample("h-1", GOOD)
    )
    assert judgement.valid, judgement.findings


def test_a_bundle_reply_is_valid_and_its_means_can_be_recomputed():
    cells = BUNDLE_PROTOCOL.design.cells
    texts = [GOOD, GOOD.replace("[事实快照]", "快照"), "前言\n" + GOOD, ""] * 4
    samples = [Sample(cell.label, text, factors=cell.factors) for cell, text in zip(cells, texts, strict=True)]
    reply = ask(Bundle("b", tuple(reversed(samples))), BUNDLE_PROTOCOL, BUNDLE_CHECKS)
    answer = json.loads(reply.text)
    assert [entry["file"] for entry in answer["per_file_scores"]] == [cell.label for cell in cells]
    assert [entry["total"] for entry in answer["per_file_scores"]] == [10, 0, 6, 0] * 4
    assert answer["aggregates"]["avg_total"] == 4
    judgement = Checker(BUNDLE_PROTOCOL, evidence=EvidenceLevel.EXACT).check(reply.text, Bundle("b", tuple(samples)))
    assert judgement.valid, judgement.all_findings


@pytest.mark.parametrize(("scale", "top"), [("1-5", 5), ("0-10", 10)])
def test_a_criteria_reply_is_valid_on_each_scale(scale, top):
    sample = Sample("o", GOOD, factors={"category": QUALITY.categories[0].id})
    reply = ask(sample, QUALITY, {"*": [{"check": "headings"}]}, scale=scale)
    assert json.loads(reply.text)["overall_score"] == top
    judgement = Checker(QUALITY, scale=scale).check(reply.text, sample)
    assert judgement.valid, judgement.findings


def test_points_give_a_share_of_the_scale_and_whole_scores_are_rounded_down():
    checks = [{"check": "contains", "all_of": ["a"], "points": 3}, {"check": "contains", "all_of": ["b"], "points": 1}]
    category = {"category": QUALITY.categories[0].id}
    fine = json.loads(ask(Sample("o", "a", factors=category), QUALITY, {"*": checks}).text)
    assert {entry["score"] for entry in fine["scores"].values()} == {4.0}
    coarse = json.loads(ask(Sample("o", "a"), dimensions={"*": checks}).text)
    assert coarse["scores"]["COMPLETENESS"] == 1


def test_a_cap_bounds_the_score_only_when_its_check_fails():
    checks = {"*": [{"check": "contains", "all_of": ["a"]}, {"check": "excludes", "none_of": ["z"], "cap": 1}]}
    assert json.loads(ask(Sample("o", "a z"), dimensions=checks).text)["scores"]["COMPLETENESS"] == 1
    assert json.loads(ask(Sample("o", "a"), dimensions=checks).text)["scores"]["COMPLETENESS"] == 2


@pytest.mark.parametrize(
    ("check", "text", "passed", "quote"),
    [
        ({"check": "headings"}, GOOD, True, "[事实快照]"),
        ({"check": "headings"}, f"1. {THIRD}\nb\n**[事实快照]**\n{SECOND}", False, THIRD),
        ({"check": "headings", "in_order": False}, f"{THIRD}\n[事实快照]\n{SECOND}", True, THIRD),
        ({"check": "headings"}, "提到[事实快照]的一行", False, "提到[事实快照]的一行"),
        ({"check": "sections_filled"}, GOOD.replace("昨夜某地网络中断两小时。", "……"), False, "[事实快照]"),
        ({"check": "nothing_outside"}, "1. " + GOOD, True, "[Gemini深度挖掘指令]"),
        ({"check": "nothing_outside"}, "好的，以下是结果：\n" + GOOD, False, "好的，以下是结果："),
        ({"check": "nothing_outside"}, GOOD + "\n## 附注\n多余", False, "## 附注"),
        ({"check": "length", "section": "[事实快照]", "maximum": 11}, GOOD, True, "昨夜某地网络中断两小时。"),
        ({"check": "length", "section": "[事实快照]", "maximum": 10}, GOOD, False, "昨夜某地网络中断两小时。"),
        ({"check": "length", "unit": "characters", "minimum": 4}, "a b c", False, "a b c"),
        ({"check": "contains", "all_of": ["json", "来源"]}, GOOD, True, "JSON"),
        ({"check": "contains", "all_of": ["来源"], "section": "[事实快照]"}, GOOD, False, "昨夜某地网络中断两小时。"),
        ({"check": "excludes", "none_of": ["中断"]}, GOOD, False, "中断"),
        ({"check": "matches", "pattern": r"^搜索.*条"}, GOOD, True, "搜索官方公告，列出三条"),
        ({"check": "matches", "pattern": "中断", "absent": True}, GOOD, False, "中断"),
        ({"check": "json_schema", "schema": {"required": ["a"]}}, '{"b": 1}', False, '{"b": 1}'),
        ({"check": "json_schema", "schema": {"required": ["a"]}}, '{"a": 1}', True, '{"a": 1}'),
        ({"check": "json_schema", "schema": {}}, "no JSON", False, "no JSON"),
        ({"check": "length", "section": "[事实快照]"}, "none of them", False, "none of them"),
    ],
)  # fmt: skip
def test_each_check_passes_or_fails_with_the_words_that_show_it(check, text, passed, quote):
    assert run_one(check, text)[:2] == (passed, quote)


def test_a_pattern_looks_at_all_of_a_long_text():
    assert run_one({"check": "matches", "pattern": "end"}, "x" * 30_000 + "end")[0]


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"check": "matches", "pattern": "a(?=b)"}, "RE2 does not support"),
        ({"check": "matches", "pattern": "("}, "not a regular expression"),
        ({"check": "matches", "pattern": "a" * 301}, "at most 300"),
        ({"check": "contains"}, "all_of, any_of"),
        ({"check": "headings", "points": 1, "cap": 1}, "not both"),
        ({"check": "json_schema", "schema": {"$ref": "#"}}, "keywords understood"),
        ({"check": "sniff"}, "sniff"),
        ({"check": "length", "section": "[none]"}, "not among the headings"),
        ({"check": "length", "maximal": 3}, "maximal"),
    ],
)
def test_checks_that_cannot_be_run_are_refused_when_the_judge_is_made(check, words):
    with pytest.raises(ConfigError) as raised:
        create_provider("rules", {"dimensions": {"*": [check]}, "headings": HEADINGS})
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("subject", "protocol", "dimensions", "words"),
    [
        (Sample("o", "x"), SAMPLE_PROTOCOL, BUNDLE_CHECKS | {"*": []}, "no checks for the dimension FORMAT_COMPLIANCE"),
        (Sample("o", "x"), BUNDLE_PROTOCOL, BUNDLE_CHECKS, "asks for a bundle"),
        (Bundle("b", ()), SAMPLE_PROTOCOL, DRIFT_CHECKS, "found a bundle"),
        (Bundle("b", ()), BUNDLE_PROTOCOL, BUNDLE_CHECKS, "lacks 16 planned files"),
        (Sample("o", "x"), QUALITY, {"*": [{"check": "headings"}]}, "categories"),
        (None, SAMPLE_PROTOCOL, DRIFT_CHECKS, "nothing to judge"),
        (Sample("o", "x"), SAMPLE_PROTOCOL, {"*": [{"check": "headings", "cap": 5}]}, "not on the scale"),
    ],
)
def test_a_protocol_that_the_checks_cannot_serve_is_a_reply_with_the_reason(subject, protocol, dimensions, words):
    reply = ask(subject, protocol, dimensions)
    assert (reply.text, reply.error_kind) == (None, "bad_request")
    assert words in reply.error


TEXTS = st.text(st.sampled_from("ab 中。．․.…︙\u200b\n#*[]事实快照1"), max_size=200) | st.text(max_size=80)


@settings(max_examples=draws(150), deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_quotes_stand_word_for_word_in_the_text_and_replies_repeat_themselves(before, after):
    text = f"{before}\n[事实快照]\n{after}"
    first, second = ask(Sample("o", text)), ask(Sample("o", text))
    assert first == second
    for item in json.loads(first.text)["evidence"]:
        quote = item["quote"]
        assert quote.strip("\u200b ")
        assert quote in text
        assert len(quote) <= 60
        seen = unicodedata.normalize("NFKC", quote.replace("\u200b", "").replace("。", "."))
        assert "..." not in seen
        assert "…" not in quote


def test_a_heading_may_have_spellings_and_is_named_by_the_first():
    spellings = [["[事实快照]", "[Snapshot]"], ["[ChatGPT 联网搜索指令]", "[Search instruction]"]]
    english = "[Snapshot]\nTrams stop early.\n[Search instruction]\nFind the notice."
    assert run_one({"check": "headings"}, english, spellings)[:2] == (True, "[Snapshot]")
    short = {"check": "length", "section": "[事实快照]", "maximum": 2}
    assert run_one(short, english, spellings)[1] == "Trams stop early."
    both = f"{english}\n[ChatGPT 联网搜索指令]\n再搜一次。"
    assert run_one({"check": "nothing_outside"}, both, spellings)[:2] == (False, "[ChatGPT 联网搜索指令]")


def test_a_section_is_not_named_by_another_spelling_and_a_heading_is_not_empty():
    spellings = [["[事实快照]", "[Snapshot]"]]
    with pytest.raises(ConfigError, match="not among the headings"):
        ask(Sample("o", GOOD), dimensions={"*": [{"check": "length", "section": "[Snapshot]"}]}, headings=spellings)
    for empty in ([[]], [["[事实快照]", " "]]):
        with pytest.raises(ConfigError, match="no words"):
            ask(Sample("o", GOOD), headings=empty)


def test_an_unknown_check_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"(?s)'must_contain'.*contains, excludes, matches"):
        create_provider("rules", {"dimensions": {"*": [{"check": "must_contain"}]}})


def test_a_judge_that_is_asked_in_chinese_gives_its_reasons_in_chinese():
    answer = json.loads(ask(Sample("o", "nothing of it"), language="zh").text)
    assert answer["notes"].startswith("未通过检查的维度：FORMAT_COMPLIANCE、")
    assert "3 个标题缺 3 个：[事实快照]" in answer["evidence"][0]["reason"]
