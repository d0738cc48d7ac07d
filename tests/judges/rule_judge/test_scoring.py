"""From checks to scores: shares, caps, gates, rounding, quotes and reasons."""

import msgspec
import pytest

from valid_replies import DRIFT_BUNDLE, DRIFT_SAMPLE
from venire.domain.protocol import Scale
from venire.errors import RuleError
from venire.judges.rule_judge.checks import CheckResult
from venire.judges.rule_judge.document import Span, read_document
from venire.judges.rule_judge.scoring import score_text
from venire.words.language import Words

TEXT = "One two three."
DOCUMENT = read_document(TEXT, ())
HALVES = Scale("0-1", 0.0, 1.0, {})
WHOLE = Scale("0-2", 0.0, 2.0, {}, integer=True)


class Fixed(msgspec.Struct):
    """A check with a fixed outcome."""

    passed: bool
    worth: float = 1.0
    cap: float | None = None
    reason: str = "said"
    span: Span | None = None

    def run(self, _document):
        return CheckResult(self.passed, self.reason, self.span)


def score(*checks, scale=HALVES):
    (found,) = score_text(DOCUMENT, {"a": checks}, ["a"], DRIFT_SAMPLE, scale, Words())
    return found


@pytest.mark.parametrize(
    ("checks", "scale", "expected"),
    [
        ([Fixed(True), Fixed(False)], HALVES, 0.5),
        ([Fixed(True, worth=2), Fixed(False), Fixed(False)], HALVES, 0.5),
        ([Fixed(True), Fixed(True), Fixed(False)], HALVES, 0.67),
        ([Fixed(True), Fixed(True), Fixed(False)], WHOLE, 1),
        ([Fixed(True)] * 3, WHOLE, 2),
        ([Fixed(False)], Scale("1-5", 1.0, 5.0, {}), 1.0),
        ([Fixed(True), Fixed(False)], Scale("1-5", 1.0, 5.0, {}), 3.0),
        ([Fixed(True, worth=0)], HALVES, 1.0),
        ([Fixed(True), Fixed(False, worth=0, cap=0.25)], HALVES, 0.25),
        ([Fixed(True), Fixed(True, worth=0, cap=0.25)], HALVES, 1.0),
        ([Fixed(False), Fixed(False, worth=0, cap=0.25)], HALVES, 0.0),
    ],
)
def test_a_score_is_the_earned_share_of_the_scale_up_to_the_caps(checks, scale, expected):
    found = score(*checks, scale=scale)
    assert found.score == expected
    assert isinstance(found.score, int) == scale.integer


@pytest.mark.parametrize(("cap", "fits"), [(-0.1, False), (0.0, True), (1.0, True), (1.1, False)])
def test_a_cap_must_lie_on_the_scale(cap, fits):
    check = Fixed(False, cap=cap)
    if fits:
        assert score(check).score == 0.0
    else:
        with pytest.raises(RuleError, match=r"a.*0-1"):
            score(check)


def test_what_failed_is_told_and_quoted_before_what_passed():
    found = score(Fixed(True, reason="good", span=Span(0, 3)), Fixed(False, reason="bad", span=Span(4, 7)))
    assert (found.quote, found.reason, found.passed) == ("two", "bad", False)
    found = score(Fixed(True, reason="good", span=Span(0, 3)), Fixed(True, reason="too"))
    assert (found.quote, found.reason, found.passed) == ("One", "good; too", True)


def test_without_a_place_the_text_itself_is_quoted():
    assert score(Fixed(False)).quote == TEXT


def test_checks_for_every_other_dimension_serve_those_that_have_none():
    checks = {"a": [Fixed(True)], "*": [Fixed(False)]}
    found = score_text(DOCUMENT, checks, ["a", "b"], DRIFT_SAMPLE, HALVES, Words())
    assert [(each.dimension, each.score) for each in found] == [("a", 1.0), ("b", 0.0)]
    with pytest.raises(RuleError, match="b"):
        score_text(DOCUMENT, {"a": [Fixed(True)], "b": []}, ["a", "b"], DRIFT_SAMPLE, HALVES, Words())


def test_a_closed_gate_takes_every_other_score_and_an_open_one_none():
    gate = DRIFT_BUNDLE.gates[0].dimension
    names = [gate, "other"]
    closed = score_text(DOCUMENT, {gate: [Fixed(False)], "*": [Fixed(True)]}, names, DRIFT_BUNDLE, WHOLE, Words())
    assert [each.score for each in closed] == [0, 0]
    opened = score_text(
        DOCUMENT, {gate: [Fixed(True), Fixed(False)], "*": [Fixed(True)]}, names, DRIFT_BUNDLE, WHOLE, Words()
    )
    assert [each.score for each in opened] == [1, 2]
