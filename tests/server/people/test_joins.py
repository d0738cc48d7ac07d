"""New jurors from one address are counted by the hour."""

from __future__ import annotations

import pytest
from litestar.exceptions import TooManyRequestsException

from venire.server.people import joins
from venire.server.people.joins import HOUR, JoinLimit


def test_one_too_many_is_refused_and_let_in_after_an_hour():
    moment = [100.0]
    limit = JoinLimit(2, lambda: moment[0])
    limit.admit("a")
    moment[0] += 10
    limit.admit("a")
    with pytest.raises(TooManyRequestsException) as stop:
        limit.admit("a")
    assert stop.value.headers == {"Retry-After": str(int(HOUR) - 10 + 1)}
    limit.admit("b")
    moment[0] = 100.0 + HOUR
    limit.admit("a")
    with pytest.raises(TooManyRequestsException):
        limit.admit("a")


def test_many_addresses_are_forgotten_together(monkeypatch):
    monkeypatch.setattr(joins, "_MOST_ADDRESSES", 2)
    limit = JoinLimit(1, lambda: 0.0)
    limit.admit("a")
    limit.admit("b")  # There was room for one more.
    limit.admit("a")  # Two were kept, and none is now.
    with pytest.raises(TooManyRequestsException):
        limit.admit("a")
