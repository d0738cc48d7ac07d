"""Judgements over HTTP."""

from __future__ import annotations

import pytest

from making_courts import write_samples


def test_judgements_are_listed_by_judge_sample_and_status(demo):
    _, http, _ = demo
    everything = http.get("/api/v1/judgements", params={"limit": 1000}).json()
    first = http.get("/api/v1/judgements", params={"judge": "strict", "limit": 10}).json()
    more = {"judge": "strict", "limit": 10, "after": first["next_after"]}
    second = http.get("/api/v1/judgements", params=more).json()

    assert everything["total"] == len(everything["items"])
    assert {row["judge"] for row in first["items"] + second["items"]} == {"strict"}
    assert not {row["key"] for row in first["items"]} & {row["key"] for row in second["items"]}
    assert http.get("/api/v1/judgements", params={"status": "invalid"}).json()["total"] == 0


def test_an_unknown_judgement_is_not_found(demo):
    assert demo[1].get("/api/v1/judgements/none").status_code == 404


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path
