"""Live progress: from a file of events, and from a ledger that another program writes to."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from making_courts import open_bar, options_for, write_samples
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.runner.events import Event
from venire.server.court import Court
from venire.server.progress import EventsFile


def write(path, *events):
    with path.open("ab") as file:
        for event in events:
            file.write(msgspec.json.encode(event) + b"\n")


OPENED = Event("run_opened", details={"judges": ["strict", "lenient"], "protocol": "drift-sample"})


def test_events_are_counted_as_they_come(tmp_path):
    path = tmp_path / "events.jsonl"
    events = EventsFile(path)
    assert events.read() is None

    write(path, OPENED, Event("answered", judge="strict", status="valid", cost=0.5))
    counted = [(each.judge, each.done, each.valid) for each in events.read().judges]
    assert counted == [("strict", 1, 1), ("lenient", 0, 0)]

    write(path, Event("failed", judge="strict"), Event("answered", judge="lenient", status="invalid"))
    found = events.read()
    assert [(each.done, each.invalid, each.failed) for each in found.judges] == [(1, 0, 1), (1, 1, 0)]
    assert found.state == "running"

    write(path, Event("run_closed", reason="interrupted"))
    assert (events.read().state, events.read().reason) == ("stopped", "interrupted")


def test_half_a_line_waits_for_its_other_half_and_strange_lines_are_passed_over(tmp_path):
    path = tmp_path / "events.jsonl"
    events = EventsFile(path)
    line = msgspec.json.encode(OPENED)
    path.write_bytes(b"not an event\n" + line[:10])
    assert events.read() is None

    path.write_bytes(b"not an event\n" + line + b"\n")
    assert events.read().protocol == "drift-sample"


def test_a_run_that_writes_the_file_anew_is_another_run(tmp_path):
    path = tmp_path / "events.jsonl"
    events = EventsFile(path)
    write(path, OPENED, *[Event("answered", judge="strict", status="valid")] * 5)
    assert events.read().judges[0].done == 5
    path.unlink()
    write(path, OPENED)

    assert events.read().judges[0].done == 0


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


RUN = {"protocol": "d", "protocol_id": "drift-sample", "judges": [{"name": "strict"}], "profile": "contract"}


@pytest.fixture
def folder(tmp_path):
    write_samples(tmp_path / "ledger.sqlite", 2)
    return tmp_path


def test_a_court_that_only_looks_sees_what_another_program_writes(folder):
    ledger = open_ledger(str(folder / "ledger.sqlite"))

    async def watch():
        court = Court(options_for(folder, read_only=True))
        assert await court.runs() == ()
        ledger.append([Draft(Kind.RUN_OPENED, RUN)])
        await court.record.catch_up()
        states = [(await court.runs())[0].state]
        closing = {"stopped": "", "counts": {}, "spent": {}}
        ledger.append([Draft(Kind.RUN_CLOSED, closing)])
        await court.record.catch_up()
        states.append((await court.runs())[0].state)
        await court.close()
        return states

    assert asyncio.run(watch()) == ["running", "done"]
    ledger.close()


def test_watching_a_run_ends_when_it_does(folder):
    ledger = open_ledger(str(folder / "ledger.sqlite"))
    ledger.append([Draft(Kind.RUN_OPENED, RUN), Draft(Kind.RUN_CLOSED, {"stopped": "x", "counts": {}, "spent": {}})])
    ledger.close()

    async def watch():
        court = Court(options_for(folder, read_only=True))
        run = (await court.runs())[0].run
        seen = [progress.state async for progress in court.watch_run(run)]
        await court.close()
        return seen

    assert asyncio.run(watch()) == ["stopped"]
