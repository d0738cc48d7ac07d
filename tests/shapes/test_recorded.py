"""Records of other tools: scores as they were recorded, and no score for a reason."""

import pytest

from venire.domain.canonical import canonical_json
from venire.domain.judgement import EvidenceLevel, Method, Quotes, Status
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.judges.prompt import Known, PromptWriter
from venire.protocols.recorded import recorded_protocol
from venire.shapes.check import Checker
from venire.shapes.recorded import NOT_SCORED

PROTOCOL = recorded_protocol("inspect", "0.3", "graded", "", ["a", "b"], 0.0, 1.0)
SAMPLE = Sample("o", "It opens at nine.", target_model="bot")
BY = {"tool": "inspect", "version": "0.3", "scorer": "graded"}


def judged(**record):
    return Checker(PROTOCOL, evidence=EvidenceLevel.OFF).check(canonical_json({"recorded_by": BY, **record}), SAMPLE)


def test_scores_and_verdict_are_taken_as_recorded_and_no_quote_is_claimed_to_be_compared():
    judgement = judged(scores={"a": 1, "b": 0.5}, verdict="C", reply="GRADE: C")
    assert (judgement.status, judgement.overall, judgement.verdict) == (Status.VALID, 1.5, "C")
    assert (judgement.quotes, judgement.evidence_level) == (Quotes.NONE, EvidenceLevel.OFF)
    assert judgement.method is None


@pytest.mark.parametrize("reason", NOT_SCORED)
def test_a_record_without_a_score_that_counts_is_invalid_with_the_tool_s_reason(reason):
    judgement = judged(scores={"a": 0, "b": 0}, not_scored={"reason": reason, "detail": "overloaded"})
    assert judgement.status is Status.INVALID
    assert [each.rule for each in judgement.findings] == ["recorded.not-scored"]
    assert "overloaded" in judgement.findings[0].found


def test_a_verdict_alone_counts():
    judgement = judged(verdict="relevant")
    assert (judgement.status, judgement.overall, judgement.verdict) == (Status.VALID, None, "relevant")


def test_of_several_dimensions_one_may_be_missing():
    judgement = judged(scores={"a": 1})
    assert (judgement.status, judgement.scores, judgement.overall) == (Status.VALID, {"a": 1}, None)


@pytest.mark.parametrize("record", [{}, {"scores": {}}, {"scores": {"a": 7}}, {"scores": {"c": 1}}, {"scores": "C"}])
def test_a_record_that_holds_neither_or_another_score_is_invalid(record):
    assert judged(**record).status is Status.INVALID


def test_nobody_can_be_asked_for_a_record():
    writer = PromptWriter(PROTOCOL, PROTOCOL.scale(), "en")
    with pytest.raises(UsageError, match="another tool recorded"):
        writer.write(SAMPLE, Known("item-1"), "fence")


def test_a_model_that_judged_itself_is_told():
    from venire.domain.judge import JudgeIdentity

    checker = Checker(PROTOCOL, evidence=EvidenceLevel.OFF)
    reply = canonical_json({"recorded_by": BY, "scores": {"a": 1, "b": 1}})
    assert checker.check(reply, SAMPLE, judge=JudgeIdentity("bot", "bot")).method is Method.SELF_JUDGE
