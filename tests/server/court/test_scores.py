"""Scores over time, and questions about votes that a caller brings along."""

from __future__ import annotations

import asyncio

import pytest

from venire.errors import UsageError
from venire.server.court.scores import _is_led
from venire.server.court.vote_views import ModelResult


def test_curves_are_of_votes_of_people_with_the_latest_votes_first(bar):
    for item, kind in (("secretmodel-0", "person"), ("secretmodel-1", "judge"), ("secretmodel-2", "person")):
        body = {"item": item, "vote": 1, "voter_id": "ann", "voter_kind": kind}
        bar.ask("operator", "POST", "/api/v1/votes", json=body)

    assert [item.inference_id for item in bar.court.scores.voted_items(9)] == ["secretmodel-2", "secretmodel-0"]
    assert [item.inference_id for item in bar.court.scores.voted_items(1)] == ["secretmodel-2"]


def test_a_time_beyond_all_calendars_is_the_callers_mistake(bar):
    def question(client):
        raise OverflowError("date value out of range")

    with pytest.raises(UsageError, match="a time or number is out of range"):
        asyncio.run(bar.court.scores.answer(question))


def cast(bar, item, votes):
    for number, vote in enumerate(votes):
        body = {"item": item, "vote": vote, "voter_id": f"voter-{number}"}
        assert bar.ask("operator", "POST", "/api/v1/votes", json=body).status_code == 201


def test_the_standing_counts_what_is_missing_and_calls_nothing_a_dispute_too_soon(bar):
    outputs = len(bar.court.state.index.samples)
    cast(bar, "secretmodel-0", [0, 1])
    early = asyncio.run(bar.court.scores.standing())
    cast(bar, "secretmodel-1", [0, 1, 1, 0])
    later = asyncio.run(bar.court.scores.standing())

    assert (early.disputes, early.votes_needed, early.least_votes) == (0, 3 * outputs - 2, 3)
    assert (later.disputes, later.votes_needed) == (1, 3 * outputs - 5)
    assert later.agreement is not None
    [model] = later.models
    assert (model.votes, model.outputs, model.voters) == (6, 2, 4)
    assert model.score == pytest.approx(0.5)
    assert not later.is_led


@pytest.mark.parametrize(("second_high", "is_led"), [(0.69, True), (0.7, False), (None, False)])
def test_a_model_leads_once_its_interval_lies_above_the_next(second_high, is_led):
    named = {"votes": 9, "outputs": 3, "voters": 3, "batches": 1, "unaged": 0.5}
    first = ModelResult(model="a", score=0.8, low=0.7, high=0.9, **named)
    second = ModelResult(model="b", score=0.5, low=0.4, high=second_high, **named)
    assert _is_led((first, second)) is is_led
    assert _is_led((first,)) is False
