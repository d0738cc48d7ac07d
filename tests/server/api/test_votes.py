"""Votes over HTTP: who may name an item how."""

from __future__ import annotations

VOTES = "/api/v1/votes"


def test_a_juror_cannot_vote_by_the_name_of_an_output_in_a_batch_either(bar):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
    body = {"votes": [{"item": "secretmodel-1", "vote": 1}, {"item": item, "vote": 1}]}

    answer = bar.ask("juror", "POST", f"{VOTES}/batch", json=body).json()

    refused, cast = answer["outcomes"]
    assert refused["problem"]["status"] == 404
    assert cast["receipt"]["item"] == item
    assert bar.court.state.tally.votes == 1


def test_one_vote_of_others_refuses_the_whole_batch_of_a_juror(bar):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
    body = {"votes": [{"item": item, "vote": 1}, {"item": item, "vote": 1, "voter_id": "ann"}]}

    assert bar.ask("juror", "POST", f"{VOTES}/batch", json=body).status_code == 422
    assert bar.court.state.tally.votes == 0


def test_what_an_operator_brings_in_a_batch_is_refused_one_by_one(bar):
    future = {"item": "secretmodel-1", "vote": 1, "voter_id": "ann", "vote_time": "2999-01-01T00:00:00Z"}
    body = {"votes": [future, {"item": "secretmodel-1", "vote": 1, "voter_id": "ben"}]}

    answer = bar.ask("operator", "POST", f"{VOTES}/batch", json=body).json()

    assert (answer["accepted"], answer["refused"]) == (1, 1)
    assert "expected a vote of now or the past" in answer["outcomes"][0]["problem"]["detail"]
