"""Counts of a judge: each judgement under its status."""

import msgspec
import pytest

from venire.domain.judgement import Judgement, Method, Status
from venire.runner.events import MOST_REASONS, OTHER_REASONS, FailureCount, JudgeCounts, event_of
from venire.runner.task import Task
from venire.runner.worker import Answer

JUDGEMENT = Judgement(
    protocol="p", profile="contract", reply_sha256="0" * 64, sample="a", sample_digest="", status=Status.VALID
)


def answer(repeat="0", **changes):
    task = Task("id", "judge", "j", "p", "t", "s", repeat)
    return Answer(task, "a", msgspec.structs.replace(JUDGEMENT, **changes), calls=1)


def counted(*answers):
    counts = JudgeCounts()
    for each in answers:
        counts.add(each)
    return counts


@pytest.mark.parametrize("status", Status)
def test_a_judgement_is_counted_under_its_own_status_only(status):
    counts = counted(answer(status=status))
    found = {name: getattr(counts, name) for name in ("done", "valid", "invalid", "recovered", "primary")}
    is_valid = int(status is Status.VALID)
    assert found == {
        "done": 1,
        "valid": is_valid,
        "invalid": int(status is Status.INVALID),
        "recovered": int(status is Status.RECOVERED),
        "primary": is_valid,
    }


def test_self_judging_and_asking_again_are_counted_and_are_not_primary():
    counts = counted(answer(method=Method.SELF_JUDGE), answer("retest-1"), answer())
    assert (counts.valid, counts.primary, counts.self_judged, counts.retests) == (3, 1, 1, 1)


def test_reasons_of_failures_are_counted_apart_until_there_are_too_many():
    failed = [
        Answer(answer().task, "a", failure=f"reason {number} (5 tries)", cause=f"reason {number}")
        for number in range(MOST_REASONS + 2)
    ]
    counts = counted(*failed, failed[0])
    assert (counts.failed, counts.done, len(counts.failures)) == (MOST_REASONS + 3, 0, MOST_REASONS + 1)
    assert counts.failures["reason 0"] == FailureCount("reason 0 (5 tries)", 2)
    assert counts.failures[OTHER_REASONS] == FailureCount(OTHER_REASONS, 2)


def test_the_event_of_an_answer_says_how_it_stands():
    told = event_of(answer(status=Status.RECOVERED, overall=3.5))
    assert (told.event, told.judge, told.status, told.overall, told.calls) == ("answered", "judge", "recovered", 3.5, 1)
    assert event_of(Answer(answer().task, "a", failure="none came")).event == "failed"
