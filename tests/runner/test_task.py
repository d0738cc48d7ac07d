"""A task's id is its content: whatever could change the answer makes another task."""

import pytest

from experiment import make_judge, make_samples
from venire.protocols.catalogue import find_protocol
from venire.runner.task import again, make_task, plan_tasks, reasks_of

TASK = make_task("oak", "judge", "protocol", "prompt", "sample")


@pytest.mark.parametrize(
    "other",
    [
        make_task("oak", "judge 2", "protocol", "prompt", "sample"),
        make_task("oak", "judge", "protocol 2", "prompt", "sample"),
        make_task("oak", "judge", "protocol", "prompt 2", "sample"),
        make_task("oak", "judge", "protocol", "prompt", "sample 2"),
        again(TASK, "retest-1"),
    ],
)
def test_whatever_could_change_the_answer_makes_another_task(other):
    assert other.id != TASK.id


def test_the_name_of_a_judge_alone_makes_no_other_task():
    assert make_task("elm", "judge", "protocol", "prompt", "sample").id == TASK.id


def test_a_recording_is_not_asked_again_for_consistency():
    def repeats(kind):
        planned = plan_tasks(make_judge(kind=kind), find_protocol("drift-sample"), make_samples(2), 1.0)
        return [task.repeat for task, _ in planned]

    assert repeats("fake") == ["0", "retest-1"] * 2
    assert repeats("replay") == ["0", "0"]


def test_only_what_is_first_asked_is_asked_again_after_an_invalid_reply():
    assert [task.repeat for task in reasks_of(TASK, 2)] == ["reask-1", "reask-2"]
    assert list(reasks_of(again(TASK, "retest-1"), 2)) == []
