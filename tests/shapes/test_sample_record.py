"""Replies that are read as records get the judgement that the thorough way gives, whatever stands in them."""

from __future__ import annotations

import msgspec
import pytest

from valid_replies import DRIFT_SAMPLE, GROUNDED, GROUNDED_SAMPLE, JUDGE, SAMPLE, grounded_reply, sample_reply
from venire.domain.judgement import Judgement
from venire.shapes.check import Checker

OPEN, CLAIMS = Checker(DRIFT_SAMPLE), Checker(GROUNDED)
BLIND = Checker(DRIFT_SAMPLE, blind=True)
SAMPLE_REPLY = msgspec.json.encode({**sample_reply(), "notes": "N"})
CLAIMS_REPLY = msgspec.json.encode({**grounded_reply(), "notes": "N"})
THOROUGH = b'"\\"N\\u0022"'
"""A note that no record is read with, since its quotation marks could stand for keys."""


def judged(checker: Checker, raw: bytes) -> Judgement:
    sample = GROUNDED_SAMPLE if checker is CLAIMS else SAMPLE
    handle = SAMPLE.output_id if checker is BLIND else ""
    return msgspec.structs.replace(checker.check(raw, sample, judge=JUDGE, handle=handle), reply_sha256="")


def both(checker: Checker, raw: bytes) -> Judgement:
    """Return the judgement of a reply, which must be the same with a note that only the thorough way reads."""
    assert raw.count(b'"N"') == 1
    quick, thorough = judged(checker, raw), judged(checker, raw.replace(b'"N"', THOROUGH))
    assert quick == thorough
    return quick


CHANGES = [
    (b'"notes"', b'"notes"', True),
    (b'"notes"', b'"notes": "M", "notes"', False),
    (b'"notes"', b'"more": 1, "notes"', False),
    (b'"notes"', b'"more": "a", "notes"', False),
    (b'"notes"', b'"\\u006eotes"', True),
]
OPEN_CHANGES = [
    (b'"flags"', b'"flags": ["PROTOCOL_VIOLATION"], "flags"', False),
    (b'"flags":[]', b'"flags":["PROTOCOL_VIOLATION"]', True),
    (b'"judge_model"', b'"judge_model": "x", "judge_model"', False),
    (b'"dimension"', b'"dimension": "COMPLETENESS", "dimension"', False),
    (b'"verdict"', b'"verdict": "FAIL", "verdict"', False),
    (b'"quote":"', b'"quote":" ', True),
    (b'"quote":"', b'"quote":"zzz', False),
    (b'"reason":"', b'"reason":"\\n\\u4e00 ', True),
    (b'"overall_score":', b'"overall_score":1', False),
    (b'"COMPLETENESS":', b'"COMPLETENESS":0,"COMPLETENESS":', False),
    (b'"timestamp":"', b'"timestamp":"on ', True),
    (b'"method":"', b'"method":"x', False),
]
CLAIM_CHANGES = [
    (b'"finding":"absent"', b'"finding":"absent","source":""', True),
    (b'"finding":"absent"', b'"finding":"absent","source":"opening"', False),
    (b'"finding":"absent"', b'"finding":"absent","reason":""', True),
    (b'"finding":"absent"', b'"finding":"supported"', False),
    (b'"finding":"supported"', b'"finding":"absent","finding":"supported"', False),
    (b'"finding":"supported"', b'"finding":"supported","reason":"so"', True),
    (b'"nothing_to_check"', b'"nothing_to_check":[],"nothing_to_check"', False),
    (b'"words":"', b'"words":"', True),
    (b'"words":"', b'"words":"zzz', False),
    (b'"passage":"', b'"passage":" ', True),
    (b'"source":"', b'"source":"no ', False),
]


@pytest.mark.parametrize(("old", "new", "is_valid"), CHANGES + OPEN_CHANGES)
def test_a_reply_with_scores(old, new, is_valid):
    assert old in SAMPLE_REPLY
    assert both(OPEN, SAMPLE_REPLY.replace(old, new, 1)).valid == is_valid


@pytest.mark.parametrize(("old", "new", "is_valid"), CHANGES + OPEN_CHANGES[:-1])
def test_a_reply_of_a_blind_judge(old, new, is_valid):
    assert old in SAMPLE_REPLY
    assert both(BLIND, SAMPLE_REPLY.replace(old, new, 1)).valid == is_valid


@pytest.mark.parametrize(("old", "new", "is_valid"), CHANGES + CLAIM_CHANGES)
def test_a_reply_by_claims(old, new, is_valid):
    assert old in CLAIMS_REPLY
    assert both(CLAIMS, CLAIMS_REPLY.replace(old, new, 1)).valid == is_valid


@pytest.mark.parametrize("value", [1, None, True, "x", 1.5, ""])
def test_what_else_a_blind_judge_writes_is_its_own_business(value):
    reply = {**sample_reply(), "notes": "N"}
    reply["meta"] = {"output_id": SAMPLE.output_id, "question_id": value, "method": value}
    raw = msgspec.json.encode(reply)
    assert both(BLIND, raw).valid
    assert not both(BLIND, raw.replace(b'"method"', b'"method":null,"method"')).valid
