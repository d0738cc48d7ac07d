"""Runs over HTTP, and their progress while it changes."""

from __future__ import annotations

import msgspec

from making_courts import open_bar
from venire.runner.events import Event


def write(path, *events):
    with path.open("ab") as file:
        for event in events:
            file.write(msgspec.json.encode(event) + b"\n")


OPENED = Event("run_opened", details={"judges": ["strict", "lenient"], "protocol": "drift-sample"})


def test_progress_is_sent_as_server_sent_events_until_the_end(tmp_path):
    path = tmp_path / "events.jsonl"
    write(path, OPENED, Event("answered", judge="strict", status="valid"), Event("run_closed"))
    with open_bar(tmp_path, events=path) as bar:
        answer = bar.ask("reader", "GET", "/api/v1/runs/live/events")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "event: progress" in answer.text
    assert '"state":"done"' in answer.text
    assert answer.text.rstrip().split("\r\n\r\n")[-1].startswith("event: end")


def test_an_unknown_run_is_not_found(tmp_path):
    with open_bar(tmp_path) as bar:
        assert bar.ask("reader", "GET", "/api/v1/runs/7/events").status_code == 404
