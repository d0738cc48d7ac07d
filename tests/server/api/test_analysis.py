"""Questions about votes that a caller brings along, over HTTP."""

from __future__ import annotations

import pytest

VOTES = [
    {"inference_id": name, "vote": vote, "voter_id": voter, "vote_time": "2026-01-01T00:00:00"}
    for name, vote, voter in (("a", 1, "ann"), ("a", 0, "ben"), ("b", 1, "ann"))
]


@pytest.mark.parametrize(
    ("question", "terms", "answer"),
    [
        ("votes-distribution", {}, {"a": 2, "b": 1}),
        ("majority-good", {}, {"count": 1}),
        ("completeness", {"voter_list": ["ann", "ben"], "inference_ids": ["a", "b"]}, {"a": 1.0, "b": 0.5}),
        ("population-confidence", {"voter_list": ["ann", "ben"], "inference_ids": ["b"]}, {"b": 0.5}),
    ],
)
def test_a_question_is_answered_for_the_votes_that_came_with_it(bar, question, terms, answer):
    asked = bar.ask("reader", "POST", f"/api/v1/verdict/{question}", json={"data": VOTES, **terms})
    assert (asked.status_code, asked.json()) == (200, answer)


def test_the_decay_that_the_caller_names_goes_before_the_servers(bar):
    body = {
        "previous_score": 1.0,
        "previous_timestamp": "2026-01-01T00:00:00Z",
        "timestamp": "2026-01-02T00:00:00Z",
        "votes": [0.0],
    }
    usual = bar.ask("reader", "POST", "/api/v1/evaluate", json=body).json()
    none = bar.ask("reader", "POST", "/api/v1/evaluate", json={**body, "decay_per_second": 0}).json()
    assert usual != none
