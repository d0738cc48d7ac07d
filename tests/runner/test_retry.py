"""What is done after a failure, as a pure decision."""

import pytest

from venire.judges.provider import Reply
from venire.runner.retry import RetryDecision, RetryPolicy, Tries, decide
from venire.words.said import say

POLICY = RetryPolicy(attempts=4, first_seconds=1.0, limit_seconds=5.0, retry_after_limit_seconds=60.0)


def failure(kind, retry_after=None, status=None, error="x"):
    return Reply(None, error=error, error_kind=kind, retry_after_seconds=retry_after, status=status)


def action(reply, counted=1, **keys):
    return decide(reply, Tries(counted, **keys), POLICY, 0.0).action


@pytest.mark.parametrize("kind", ["server", "connection", "timeout", "malformed"])
def test_what_may_pass_by_itself_is_tried_again_until_the_tries_are_used_up(kind):
    assert [action(failure(kind), counted) for counted in (1, 3, 4)] == ["retry", "retry", "give_up"]


def test_being_refused_for_too_many_requests_uses_up_no_tries():
    assert action(failure("rate_limited"), counted=0) == "retry"
    assert action(failure("rate_limited"), counted=99) == "retry"


def test_a_bad_request_is_not_tried_again():
    assert action(failure("bad_request")) == "give_up"


def test_a_refused_key_gives_the_judge_up_or_is_tried_once_more_if_it_was_good_before():
    assert action(failure("auth"), refused_keys=1, is_first=True) == "give_up_judge"
    assert action(failure("auth"), refused_keys=1) == "retry"
    assert action(failure("auth"), refused_keys=2) == "give_up_judge"


def test_an_empty_account_pauses_the_judge():
    assert action(failure("quota")) == "pause_judge"


@pytest.mark.parametrize("kind", ["connection", "malformed"])
def test_a_judge_that_has_only_failed_to_be_there_or_to_speak_its_protocol_is_given_up_soon(kind):
    assert [action(failure(kind), is_first=True, failed_before=(kind, count)) for count in (0, 1, 2)] == [
        "retry",
        "retry",
        "give_up_judge",
    ]
    assert action(failure(kind), failed_before=(kind, 2)) == "retry"


def test_a_judge_that_fails_in_another_way_each_time_is_not_given_up_as_if_nobody_were_there():
    assert action(failure("malformed"), is_first=True, failed_before=("server", 2)) == "retry"
    assert action(failure("connection"), is_first=True, failed_before=("malformed", 2)) == "retry"


def test_a_judge_that_nobody_has_heard_of_is_given_up_soon():
    assert action(failure("bad_request", status=404), is_first=True) == "give_up_judge"
    assert action(failure("bad_request", status=404)) == "give_up"
    assert [action(failure("server", status=each), is_first=True) for each in (405, 501)] == ["give_up_judge"] * 2
    assert [action(failure("server", status=each), is_first=True) for each in (500, 502, 503)] == ["retry"] * 3
    absent = failure(
        "bad_request",
        status=400,
        error=say("error.judge.model_not_there", status=400, model="m", host="h", known=("oak",)),
    )
    assert action(absent, is_first=True) == "give_up_judge"
    assert action(absent) == "give_up"
    assert action(failure("bad_request", status=400), is_first=True) == "give_up"


def test_pauses_double_up_to_the_limit_between_half_and_all_of_their_length():
    def waits(jitter):
        return [decide(failure("server"), Tries(counted), POLICY, jitter).wait_seconds for counted in (1, 2, 3)]

    assert waits(1.0) == [1.0, 2.0, 4.0]
    assert waits(0.0) == [0.5, 1.0, 2.0]
    patient = RetryPolicy(10**6, 1.0, 5.0, 60.0)
    assert decide(failure("server"), Tries(99_999), patient, 1.0).wait_seconds == 5.0


def test_retry_after_is_waited_for_by_the_task_that_was_refused():
    assert decide(failure("rate_limited", 7.0), Tries(0), POLICY, 1.0) == RetryDecision("retry", 7.0)


def test_a_server_that_asks_for_more_patience_than_the_run_has_pauses_the_judge():
    decision = decide(failure("rate_limited", 3600.0), Tries(0), POLICY, 0.0)
    assert decision.action == "pause_judge"
    assert "3600 s" in decision.reason
    assert "60 s" in decision.reason
