"""Samples over HTTP."""

from __future__ import annotations

SAMPLES = "/api/v1/samples"


def test_samples_are_listed_page_by_page_and_found_by_name_and_digest(bar):
    first = bar.ask("reader", "GET", f"{SAMPLES}?limit=2").json()
    last = bar.ask("reader", "GET", f"{SAMPLES}?limit=2&after={first['next_after']}").json()
    assert (first["next_after"], last["next_after"], first["total"]) == (2, None, 3)
    assert [each["output_id"] for each in first["items"] + last["items"]] == [f"secretmodel-{n}" for n in range(3)]

    [named] = bar.ask("reader", "GET", f"{SAMPLES}?output_id=secretmodel-1").json()["items"]
    whole = bar.ask("reader", "GET", f"{SAMPLES}/{named['digest']}").json()

    assert (whole["row"], whole["task"]) == (named, "Answer question 1.")
    assert whole["entry"]["kind"] == "sample"


def test_an_unknown_sample_is_not_found(bar):
    assert bar.ask("reader", "GET", f"{SAMPLES}?output_id=none").json()["items"] == []
    answer = bar.ask("reader", "GET", f"{SAMPLES}/none")
    assert (answer.status_code, answer.json()["detail"]) == (404, "there is no sample 'none'")
