"""Scores over time, and questions about votes that a caller brings along."""

from __future__ import annotations

import asyncio

import pytest

from venire.errors import UsageError


def test_curves_are_of_votes_of_people_with_the_latest_votes_first(bar):
    for item, kind in (("secretmodel-0", "person"), ("secretmodel-1", "judge"), ("secretmodel-2", "person")):
        body = {"item": item, "vote": 1, "voter_id": "ann", "voter_kind": kind}
        bar.ask("operator", "POST", "/api/v1/votes", json=body)

    assert [curve.inference_id for curve in bar.court.scores.curves(9)] == ["secretmodel-2", "secretmodel-0"]
    assert [curve.inference_id for curve in bar.court.scores.curves(1)] == ["secretmodel-2"]


def test_a_time_beyond_all_calendars_is_the_callers_mistake(bar):
    def question(client):
        raise OverflowError("date value out of range")

    with pytest.raises(UsageError, match="a time or number is out of range"):
        asyncio.run(bar.court.scores.answer(question))
