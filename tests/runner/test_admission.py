"""A judge that keeps failing rests once and is then given up."""

from venire.runner.admission import Breaker


def make():
    rests = []
    return Breaker(3, 30.0, rests.append), rests


def test_too_many_failures_in_a_row_bring_a_rest_and_one_more_gives_the_judge_up():
    breaker, rests = make()
    for _ in range(3):
        breaker.failed("HTTP 500", breaker.rests, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")
    breaker.failed("HTTP 503", breaker.rests, may_pass=True)
    assert rests == [30.0]
    assert breaker.given_up == "4 tasks failed in a row, and a pause did not help; the last: HTTP 503"


def test_failures_of_requests_that_were_under_way_when_the_rest_began_do_not_count():
    breaker, rests = make()
    for _ in range(8):
        breaker.failed("HTTP 500", 0, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")


def test_a_reply_makes_earlier_failures_forgotten():
    breaker, rests = make()
    for _ in range(2):
        breaker.failed("x", breaker.rests, may_pass=True)
    breaker.succeeded()
    for _ in range(3):
        breaker.failed("x", breaker.rests, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")
    breaker.succeeded()
    breaker.failed("x", breaker.rests, may_pass=True)
    assert breaker.given_up == ""


def test_the_first_reason_for_giving_up_stays():
    breaker, _ = make()
    breaker.give_up("HTTP 401")
    breaker.give_up("HTTP 403")
    assert breaker.given_up == "HTTP 401"


def test_a_judge_that_has_only_failed_for_reasons_that_stay_gets_no_rest():
    breaker, rests = make()
    for _ in range(3):
        breaker.failed("HTTP 400", breaker.rests, may_pass=False)
    assert rests == []
    assert breaker.given_up == "none of its first 3 tasks was answered; the last: HTTP 400"
