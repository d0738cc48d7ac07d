"""What is done after a failure, as a pure decision."""

import pytest

from venire.judges.provider import Reply
from venire.runner.retry import RetryDecision, RetryPolicy, decide

POLICY = RetryPolicy(attempts=4, first_seconds=1.0, limit_seconds=5.0, retry_after_limit_seconds=60.0)


def failure(kind, retry_after=None):
    return Reply(None, error="x", error_kind=kind, retry_after_seconds=retry_after)


@pytest.mark.parametrize("kind", ["rate_limited", "server", "connection", "timeout", "malformed"])
def test_what_may_pass_by_itself_is_tried_again_until_the_tries_are_used_up(kind):
    assert [decide(failure(kind), attempt, POLICY, 0.0).action for attempt in (1, 3, 4)] == [
        "retry",
        "retry",
        "give_up",
    ]


def test_a_bad_request_is_not_tried_again():
    assert decide(failure("bad_request"), 1, POLICY, 0.0) == RetryDecision("give_up")


def test_a_refused_key_gives_the_judge_up():
    assert decide(failure("auth"), 1, POLICY, 0.0) == RetryDecision("give_up_judge")


def test_pauses_double_up_to_the_limit_between_half_and_all_of_their_length():
    longest = [decide(failure("server"), attempt, POLICY, 1.0).wait_seconds for attempt in (1, 2, 3)]
    shortest = [decide(failure("server"), attempt, POLICY, 0.0).wait_seconds for attempt in (1, 2, 3)]
    assert longest == [1.0, 2.0, 4.0]
    assert shortest == [0.5, 1.0, 2.0]
    patient = RetryPolicy(10**6, 1.0, 5.0, 60.0)
    assert decide(failure("server"), 99_999, patient, 1.0).wait_seconds == 5.0


def test_retry_after_pauses_the_whole_judge_and_leaves_the_back_off_to_the_task():
    decision = decide(failure("rate_limited", 7.0), 1, POLICY, 1.0)
    assert decision == RetryDecision("retry", 1.0, pause_judge_seconds=7.0)


def test_retry_after_is_heeded_for_the_other_tasks_when_this_one_has_no_tries_left():
    assert decide(failure("rate_limited", 7.0), 4, POLICY, 1.0) == RetryDecision("give_up", pause_judge_seconds=7.0)


def test_a_server_that_asks_for_more_patience_than_the_run_has_is_given_up():
    decision = decide(failure("rate_limited", 3600.0), 1, POLICY, 0.0)
    assert decision.action == "give_up_judge"
    assert "3600 s" in decision.reason
    assert "60 s" in decision.reason
