"""The record of a checked reply: who judged what, and what is wrong with it."""

import pytest

from valid_replies import (
    BUNDLE,
    DRIFT_BUNDLE,
    DRIFT_SAMPLE,
    QUALITY,
    QUALITY_SAMPLE,
    SAMPLE,
    as_json,
    bundle_reply,
    changed,
    quality_reply,
    sample_reply,
)
from venire.reports.formats.check_record import (
    Identity,
    evaluation_record,
    judgement_record,
    stated_identity,
    unread_record,
)
from venire.shapes.check import Checker


def test_a_reply_says_who_judged_what():
    assert stated_identity(as_json(sample_reply())) == Identity(
        question_id="Q3",
        prompt_variant="A",
        target_model="deepseek-v3",
        judge_model="GLM-4.7",
        time="2026-01-31",
        known_from="reply",
    )


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b'{"meta": []}', b'{"meta": {"question_id": 3}}', b"\xff", b"[" * 100_000, b"{}"]
)
def test_a_reply_that_says_nothing_of_it_has_no_identity(raw):
    assert stated_identity(raw) == Identity()


def test_a_record_spells_out_flags_and_broken_rules_without_notes():
    spoilt = b"\xef\xbb\xbf" + changed(sample_reply(), lambda reply: reply["scores"].update(overall_score=8))
    record = judgement_record(Checker(DRIFT_SAMPLE).check(spoilt, SAMPLE))
    assert (record["flags"], record["rules_broken"]) == (["INTERNAL_INCONSISTENCY"], ["overall.mismatch"])
    assert len(record["findings"]) == 2
    assert record["entries"] == []


def test_each_file_of_a_bundle_has_its_question_variant_and_factors():
    judgement = Checker(DRIFT_BUNDLE).check(as_json(bundle_reply()), BUNDLE)
    record = evaluation_record(judgement, Identity(judge_model="oak"), DRIFT_BUNDLE)
    assert (record["judge_model"], record["quotes"]) == ("oak", "compared")
    first = record["entries"][0]
    assert (first["sample"], first["question_id"], first["prompt_variant"]) == (
        "q3 baseline implicit.pdf",
        "q3",
        "baseline",
    )
    assert first["factors"]["trigger"] == "implicit"
    assert (first["flags"], first["rules_broken"]) == ([], [])


def test_a_protocol_that_asks_for_no_quotes_has_none_to_compare():
    judgement = Checker(QUALITY).check(as_json(quality_reply()), QUALITY_SAMPLE)
    assert evaluation_record(judgement, Identity(), QUALITY)["quotes"] == "none"


def test_what_could_not_be_read_has_a_problem_and_nothing_else():
    empty = {"flags": [], "rules_broken": [], "findings": [], "entries": []}
    assert unread_record("lost") == {"status": "unread", "problem": "lost", **empty}
    assert unread_record("p", "not a reply")["status"] == "not a reply"
