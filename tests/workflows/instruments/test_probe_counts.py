"""Which replies to probes are failures: at each limit, one step to either side."""

from __future__ import annotations

import pytest

from venire.judges.probes.qualification import FamilyTerms, ProbeReply, QualificationTerms
from venire.workflows.instruments.probe_counts import examine


def count(rule, place, *, first=0.8, again=0.8, weak=0.4, compared=False):
    """Examine one probe beside its originals, and return what is counted of it and which probe is named as bad."""
    given = {"p/t/b": place, "original/first/b": first, "original/again/b": again, "original/weak/b": weak}
    replies = [ProbeReply(name, "", "", value) for name, value in given.items()]
    terms = QualificationTerms(
        alpha=0.05, tolerance=0.1, ceiling=0.3, span=0.5, count_recovered=False,
        families={"p": FamilyTerms(rule, 0.1, 20)}, compared=compared,
    )  # fmt: skip
    _, (rate,), worst = examine(replies, terms)
    assert worst == (("p/t/b",) if rate.failures else ())
    return rate.trials, rate.failures, rate.against


@pytest.mark.parametrize(("place", "failures"), [(0.3, 0), (0.301, 1), (0.0, 0)])
def test_what_must_fail_may_stand_at_the_ceiling_but_not_above_it(place, failures):
    assert count("fails", place) == (1, failures, None)


@pytest.mark.parametrize(
    ("rule", "place", "failures"),
    [("far", 0.3, 0), ("far", 0.301, 1), ("lower", 0.7, 0), ("lower", 0.701, 1), ("lower", 0.9, 1)],
)
def test_what_was_made_worse_must_fall_by_a_step(rule, place, failures):
    assert count(rule, place) == (1, failures, None)


@pytest.mark.parametrize(("rule", "first"), [("far", 0.49), ("lower", 0.09), ("far", None), ("lower", None)])
def test_an_output_that_cannot_fall_so_far_tells_nothing(rule, first):
    assert count(rule, 0.0, first=first) == (0, 0, None)


@pytest.mark.parametrize(
    ("place", "again", "counted"),
    [
        (0.7, 0.8, (1, 1, 0)),
        (0.71, 0.8, (1, 0, 0)),
        (0.9, 0.9, (1, 0, 0)),
        (0.8, 0.9, (1, 0, 1)),
        (0.9, None, (0, 0, 0)),
    ],
)
def test_a_change_counts_where_the_judge_repeats_itself_and_noise_is_held_against_it(place, again, counted):
    assert count("unchanged", place, again=again) == counted


@pytest.mark.parametrize(
    ("place", "weak", "counted"),
    [(0.5, 0.4, (1, 1, 0)), (0.3, 0.4, (1, 0, 1)), (0.49, 0.4, (1, 0, 0)), (0.5, None, (0, 0, 0))],
)
def test_a_weak_output_must_not_be_raised(place, weak, counted):
    assert count("not_raised", place, weak=weak) == counted


def test_where_outputs_are_compared_the_probed_one_stands_against_its_original():
    assert count("not_raised", 1.0, compared=True) == (1, 1, 0)
    assert count("not_raised", 0.5, compared=True) == (1, 0, 0)
    assert count("lower", 0.0, compared=True) == (1, 0, None)


@pytest.mark.parametrize(("again", "failures"), [(0.8, 0), (0.71, 0), (0.7, 1), (0.9, 1)])
def test_a_judge_that_says_another_score_of_the_same_output_does_not_repeat_itself(again, failures):
    replies = [ProbeReply("original/first/b", "", "", 0.8), ProbeReply("original/again/b", "", "", again)]
    terms = QualificationTerms(
        alpha=0.05, tolerance=0.1, ceiling=0.3, span=0.5, count_recovered=False,
        families={"p": FamilyTerms("repeats", 0.1, 20)},
    )  # fmt: skip
    _, (rate,), _ = examine(replies, terms)
    assert (rate.trials, rate.failures) == (1, failures)


def test_a_reply_that_does_not_count_is_a_failure_of_validity_and_of_nothing_else():
    assert count("valid", None) == (3, 1, None)
    assert count("fails", None) == (0, 0, None)
