"""How often each person may call."""

from __future__ import annotations

import asyncio

import pytest
from litestar.exceptions import TooManyRequestsException

from making_courts import by_cookie, enter, open_bar
from venire.server.options import RateLimit
from venire.server.people import callers
from venire.server.people.callers import callers_for


def test_a_limit_is_a_persons_however_many_sessions_there_are(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=8)) as bar:
        cookies = [enter(bar, "reader")[0] for _ in range(4)]

        answers = [by_cookie(bar, "GET", "/api/v1/me", cookie).status_code for cookie in cookies for _ in range(3)]

        assert answers.count(200) == 8


def test_who_asks_too_often_is_told_to_wait(tmp_path):
    with open_bar(tmp_path, rate_limit=RateLimit(per_second=0.001, burst=3)) as bar:
        answers = [bar.ask("reader", "GET", "/api/v1/me") for _ in range(4)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[3].headers["retry-after"]) > 1
        assert bar.ask("curator", "GET", "/api/v1/me").status_code == 200


def test_whoever_has_not_called_for_longest_is_forgotten_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(callers, "_MOST_CALLERS", 2)
    counting = callers_for(None, RateLimit(per_second=0.001, burst=1))

    def calls(name):
        try:
            asyncio.run(counting.admit(name))
        except TooManyRequestsException:
            return False
        return True

    assert [calls(name) for name in ("a", "b", "b", "c")] == [True, True, False, True]
    assert calls("a")  # There was no room for a third one.
    assert not calls("c")


class Scarce:
    """A database with tokens for one call of each."""

    def __init__(self):
        self.asked = []

    def take_tokens(self, caller, count, limit):
        self.asked.append((caller, count))
        return (1, 0.0) if len(self.asked) == 1 else (0, 0.25)


def test_tokens_are_taken_from_a_database_by_parts_of_a_burst_and_not_asked_for_while_there_are_none():
    database = Scarce()
    counting = callers_for(database, RateLimit(per_second=0.5, burst=60))

    async def call():
        await counting.admit("a")

    asyncio.run(call())
    for _ in range(2):
        with pytest.raises(TooManyRequestsException) as refused:
            asyncio.run(call())
        assert refused.value.headers == {"Retry-After": "2"}
    assert database.asked == [("a", 3), ("a", 3)]
