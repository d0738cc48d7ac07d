"""Whether a number holds a limit."""

import pytest

from venire.stats.result import Estimate
from venire.words.said import say
from venire.workflows.gates.decision import RuleOutcome, at_least, at_most, no_drop, within

PASSED, FAILED, UNDECIDED, UNKNOWN = (
    RuleOutcome.PASSED,
    RuleOutcome.FAILED,
    RuleOutcome.UNDECIDED,
    RuleOutcome.UNKNOWN,
)


def estimate(value=None, low=None, high=None, **n):
    return Estimate(value=value, low=low, high=high, n=n, method="m", reason="" if value is not None else "too few")


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (6.9, FAILED, PASSED),
        (7.0, PASSED, PASSED),
        (7.0 + 5e-13, PASSED, PASSED),
        (7.0 - 5e-13, PASSED, PASSED),
        (7.1, PASSED, FAILED),
    ],
)
def test_a_number_at_the_limit_holds_it_from_both_sides(value, least, most):
    assert at_least(estimate(value), 7).outcome is least
    assert at_most(estimate(value), 7).outcome is most


@pytest.mark.parametrize("decide", [at_least, at_most])
@pytest.mark.parametrize("confident", [False, True])
def test_what_is_not_known_holds_no_limit_and_says_why(decide, confident):
    assert decide(estimate(), 7, confident=confident) == (UNKNOWN, "too few")


def test_a_number_without_an_interval_is_not_known_with_confidence():
    decision = at_least(Estimate(value=9.0, method="m"), 7, confident=True)
    assert decision == (UNKNOWN, say("gate.no_interval"))


@pytest.mark.parametrize(
    ("low", "high", "least", "most"),
    [
        (5, 6, FAILED, PASSED),
        (5, 7, UNDECIDED, PASSED),
        (6, 8, UNDECIDED, UNDECIDED),
        (7, 8, PASSED, UNDECIDED),
        (7.1, 8, PASSED, FAILED),
    ],
)
def test_with_confidence_the_whole_interval_must_hold_the_limit(low, high, least, most):
    found = estimate((low + high) / 2, low, high, units=20)
    assert at_least(found, 7, confident=True).outcome is least
    assert at_most(found, 7, confident=True).outcome is most


def test_an_undecided_limit_says_how_many_more_samples_would_decide_it():
    """The interval shrinks with the root of the samples: half its width needs three times as many more."""
    found, below = estimate(8.0, 6.0, 9.0, units=20), estimate(6.0, 5.0, 8.0, units=20)
    assert at_least(found, 7, confident=True).detail == say("gate.needs", limit="7", more=60)
    assert at_most(below, 7, confident=True).detail == say("gate.needs", limit="7", more=60)
    grouped = estimate(8.0, 6.0, 9.0, clusters=5, values=20)
    decision = at_least(grouped, 7, confident=True, by_question=True)
    assert decision.detail == say("gate.needs_questions", limit="7", more=60, questions=15)


def test_a_million_more_samples_is_the_most_that_is_asked_for():
    needed = [at_least(estimate(8.0, 5.0, 9.0, units=units), 7, confident=True) for units in (125_000, 125_001)]
    assert needed[0].detail == say("gate.needs", limit="7", more=1_000_000)
    assert needed[1].detail == say("gate.too_close", limit="7")


@pytest.mark.parametrize("found", [estimate(7.0, 6.0, 8.0, units=20), estimate(8.0, 6.0, 10.0)])
def test_a_number_too_close_to_the_limit_promises_nothing(found):
    assert at_least(found, 7, confident=True).detail == say("gate.too_close", limit="7")


@pytest.mark.parametrize(
    ("low", "high", "no_harm", "harm"),
    [
        (-3, -2, FAILED, FAILED),
        (-3, 0, UNDECIDED, PASSED),
        (-1, 0, PASSED, PASSED),
        (-3, -1, UNDECIDED, PASSED),
    ],
)
def test_a_drop_is_ruled_out_or_proved_as_the_rule_asks(low, high, no_harm, harm):
    change = estimate((low + high) / 2, low, high, units=20)
    assert no_drop(change, 1).outcome is no_harm
    decision = no_drop(change, 1, "of_harm")
    assert (decision.outcome, bool(decision.detail)) == (harm, harm is PASSED and low < -1)


@pytest.mark.parametrize(("clusters", "outcome"), [(1, UNKNOWN), (2, PASSED)])
def test_a_change_that_is_the_same_everywhere_decides_by_itself(clusters, outcome):
    assert no_drop(estimate(0.0, clusters=clusters), 0.5).outcome is outcome


def test_a_change_that_labels_correct_does_not_decide_without_an_interval():
    alike = estimate(0.0, labelled=40, clusters=20)
    assert no_drop(alike, 0.5).outcome is UNKNOWN
    assert within(alike, 0.5).outcome is UNKNOWN
