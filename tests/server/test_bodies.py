"""Bodies of requests are read strictly."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("vote", ['"1"', "true", '"yes"', "null", "[1]"])
def test_a_vote_is_a_number_and_not_a_text_that_looks_like_one(bar, vote):
    item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
    body = f'{{"item": "{item}", "vote": {vote}}}'
    headers = {"content-type": "application/json"}

    for path, sent in (("/api/v1/votes", body), ("/api/v1/votes/batch", f'{{"votes": [{body}]}}')):
        answer = bar.ask("juror", "POST", path, headers=headers, content=sent)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["key"].endswith("vote")
    assert bar.court.state.tally.votes == 0


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 100_000, '{"item": 1', "\x00", '{"item": "\xff"}'])
def test_json_of_any_depth_or_shape_is_a_bad_request(bar, body):
    headers = {"content-type": "application/json"}
    for who, path in (("juror", "/api/v1/votes"), ("reader", "/api/v1/evaluate"), ("operator", "/api/v1/invitations")):
        answer = bar.ask(who, "POST", path, headers=headers, content=body.encode("latin-1"))
        assert answer.status_code == 400, path


STRICT = {
    "/api/v1/votes": ("juror", {"item": "i", "vote": 1}),
    "/api/v1/votes/batch": ("operator", {"votes": [{"item": "i", "vote": 1}]}),
    "/api/v1/votes/skip": ("juror", {"item": "i"}),
    "/api/v1/invitations": ("operator", {"name": "ann"}),
    "/api/v1/queue/decisions": ("curator", {"inference_id": "a", "outcome": "accept"}),
    "/api/v1/evaluate": ("reader", {}),
    "/api/v1/verdict/histogram": ("reader", {"data": []}),
    "/api/v1/verdict/completeness": ("reader", {"data": [], "voter_list": []}),
    "/api/v1/verdict/population-confidence": ("reader", {"data": [], "voter_list": []}),
    "/api/v1/verdict/majority-good": ("reader", {"data": []}),
    "/api/v1/verdict/votes-distribution": ("reader", {"data": []}),
}


@pytest.mark.parametrize("path", STRICT)
def test_a_field_that_nobody_asked_for_is_refused_and_named(bar, path):
    who, body = STRICT[path]
    answer = bar.ask(who, "POST", path, json={**body, "typed_wrong": 1})
    assert answer.status_code == 400
    assert "typed_wrong" in answer.text
