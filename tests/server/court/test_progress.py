"""Live progress: from a file of events, and from a ledger that another program writes to."""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace

import msgspec
import pytest

from experiment import FakeProvider, good_reply, make_judge, make_samples, run_fakes
from making_courts import open_bar, options_for, write_samples
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.events import Event
from venire.runner.executor import LocalEngine
from venire.runner.options import Budget, RunnerOptions
from venire.runner.run import run_panel
from venire.server.court.court import Court
from venire.server.court.ledger_index import LedgerIndex
from venire.server.court.progress import LIVE, EventsFile, Progress
from venire.server.people.court_secret import CourtSecret

SECRET = CourtSecret(b"a secret")


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
        await court.state.catch_up()
        states = [(await court.runs())[0].state]
        closing = {"stopped": "", "counts": {}, "spent": {}}
        ledger.append([Draft(Kind.RUN_CLOSED, closing)])
        await court.state.catch_up()
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


def shown(index):
    """Return the state of each run and what its judges have done of what it planned, the latest first."""
    record = SimpleNamespace(index=index, options=SimpleNamespace(events=None), others_write=True)
    return [(run.state, *((each.done, each.planned) for each in run.judges)) for run in Progress(record).runs()]


def overlapping_runs(ledger):
    """Run two judges at once, of which the second begins last and ends last."""

    async def both():
        begun, ended = asyncio.Event(), asyncio.Event()

        async def answer_when(event, request):
            await event.wait()
            return good_reply(request)

        async def run(name, event, samples):
            provider = FakeProvider(partial(answer_when, event))
            spec = RunSpec(
                find_protocol("drift-sample"), (make_judge(name),), lambda: iter(samples), RunnerOptions(reask_share=0)
            )
            await run_panel(spec, ledger, LocalEngine({name: provider}), on_event=lambda _: begun.set())

        async def first():
            await run("oak", begun, make_samples(5))
            ended.set()

        await asyncio.gather(first(), run("elm", ended, make_samples(8)))

    asyncio.run(both())


def test_runs_that_overlap_are_shown_each_with_its_own_plan_and_end():
    ledger = MemoryLedger()
    overlapping_runs(ledger)
    index, seen = LedgerIndex(SECRET, one_writer=False), []
    for entry in ledger.read():
        index.add(entry)
        seen += [] if seen and seen[-1] == shown(index) else [shown(index)]

    plans = {state[1][1] for states in seen for state in states}
    assert plans == {5, 8}
    assert [("running", (0, 8)), ("done", (5, 5))] in [sorted(each, reverse=True) for each in seen]
    assert sorted(seen[-1]) == [("done", (5, 5)), ("done", (8, 8))]


def test_a_resumed_run_begins_with_what_was_answered_and_the_killed_one_stays_as_it_was():
    ledger = MemoryLedger()
    run_fakes({"oak": FakeProvider()}, make_samples(10), ledger=ledger, budget=Budget(calls=4))
    killed = MemoryLedger()
    for entry in ledger.read():
        if entry.kind is not Kind.RUN_CLOSED:
            killed.append([Draft(entry.kind, entry.content, entry.key, entry.blob)])
    run_fakes({"oak": FakeProvider()}, make_samples(10), ledger=killed)

    index, seen = LedgerIndex(SECRET, one_writer=False), []
    for entry in killed.read():
        index.add(entry)
        seen.append(shown(index))
    assert [("running", (4, 10))] in seen
    assert [("running", (4, 10)), ("stopped", (4, 10))] in seen
    assert seen[-1] == [("done", (10, 10)), ("stopped", (4, 10))]


def test_a_run_that_goes_on_beside_one_of_the_same_plan_is_shown_as_running():
    whole = MemoryLedger()
    run_fakes({"oak": FakeProvider()}, make_samples(6), ledger=whole)
    entries = [each for each in whole.read() if each.kind is not Kind.RUN_CLOSED]
    opened = next(each for each in entries if each.kind is Kind.RUN_OPENED)
    judged = [each.content for each in entries if each.kind is Kind.JUDGEMENT]
    index, ledger = LedgerIndex(SECRET, one_writer=False), MemoryLedger()

    def append(kind, content, key):
        ledger.append([Draft(kind, content, key)])
        index.add(ledger.find(kind, key))

    for each in entries:
        if each.kind is Kind.PLAN:
            ledger.append([Draft(each.kind, each.content, each.key, each.blob)])
            index.add(ledger.find(each.kind, each.key))
    append(Kind.RUN_OPENED, {**opened.content, "run": "one"}, "one")
    append(Kind.RUN_OPENED, {**opened.content, "run": "two"}, "two")
    assert shown(index) == [("running", (0, 6)), ("stopped", (0, 6))]
    append(Kind.JUDGEMENT, {**judged[0], "run": "two"}, "a")
    assert shown(index) == [("running", (1, 6)), ("stopped", (0, 6))]
    append(Kind.JUDGEMENT, {**judged[1], "run": "one"}, "b")
    assert shown(index) == [("running", (2, 6)), ("running", (2, 6))]


def test_what_was_planned_is_not_known_where_no_plan_was_recorded(folder):
    ledger = open_ledger(str(folder / "ledger.sqlite"))
    ledger.append([Draft(Kind.RUN_OPENED, RUN), Draft(Kind.RUN_CLOSED, {"stopped": "", "counts": {}, "spent": {}})])
    ledger.close()
    with open_bar(folder, read_only=True) as bar:
        (run,) = bar.ask("reader", "GET", "/api/v1/runs").json()["items"]
        page = bar.ask("reader", "GET", "/runs").text
    assert run["judges"][0]["planned"] is None
    assert "0 / not known" in page


def test_a_stream_of_events_ends_with_its_run_though_the_next_one_writes_to_the_same_file(tmp_path):
    path = tmp_path / "events.jsonl"
    details = {**OPENED.details, "planned": {"strict": 7, "lenient": 9}}
    write(path, Event("run_opened", details=details, run="first"))
    record = SimpleNamespace(index=LedgerIndex(SECRET), options=SimpleNamespace(events=path), others_write=True)

    async def watch():
        seen = []
        async for progress in Progress(record).watch(LIVE):
            seen.append([each.planned for each in progress.judges])
            write(path, Event("run_closed"), Event("run_opened", details=details, run="second"))
        return seen

    assert asyncio.run(watch()) == [[7, 9]]
