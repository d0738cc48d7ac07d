"""Scores over HTTP, page after page."""

from __future__ import annotations

import pytest

VOTES = "/api/v1/votes"
SCORES = "/api/v1/scores"


def bring(bar, item, voter):
    body = {"item": item, "vote": 1, "voter_id": voter, "vote_time": "2026-01-01T00:00:00Z"}
    assert bar.ask("operator", "POST", VOTES, json=body).status_code == 201


def pages(bar, address):
    """Follow the pages of a list of two at a time; return where each ended, and all items."""
    ends, items, after = [], [], 0
    while after is not None:
        page = bar.ask("reader", "GET", f"{address}limit=2&after={after}").json()
        after = page["next_after"]
        ends.append(after)
        items += page["items"]
    return ends, items


@pytest.mark.parametrize("terms", ["", "as_of=2026-06-01T00:00:00Z&"])
def test_the_next_page_begins_where_the_last_one_ended(bar, terms):
    names = [f"secretmodel-{number}" for number in range(3)] + ["other-1", "other-2"]
    for name in names:
        bring(bar, name, "ann")

    ends, items = pages(bar, f"{SCORES}?{terms}")

    assert ends == [2, 4, None]
    assert sorted(item["inference_id"] for item in items) == sorted(names)


def test_the_votes_behind_a_score_come_page_after_page(bar):
    for voter in ("ann", "ben", "cam"):
        bring(bar, "secretmodel-1", voter)

    ends, items = pages(bar, f"{SCORES}/trail?inference_id=secretmodel-1&")

    assert ends == [2, None]
    assert {item["voter_id"] for item in items} == {"ann", "ben", "cam"}
    assert sum(item["weight"] for item in items) == pytest.approx(1)


def test_there_is_no_trail_of_what_nobody_voted_on(bar):
    answer = bar.ask("reader", "GET", f"{SCORES}/trail?inference_id=none")
    assert (answer.status_code, answer.json()["detail"]) == (404, "nobody has voted on 'none' under this prompt")
