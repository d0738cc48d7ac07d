"""Ledgers that commands open for one piece of work."""

import asyncio
import threading

import pytest

from experiment import write_config
from venire.config import load_settings
from venire.errors import LedgerBusyError, LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.runner.stop import StopSignal
from venire.workflows.ledgers import BUSY_SECONDS, LOOK_SECONDS, opened_ledger, require_ledger, run_ledger


def test_a_ledger_is_closed_when_the_work_fails(tmp_path):
    place = str(tmp_path / "run.db")
    with pytest.raises(ZeroDivisionError), opened_ledger(place) as ledger:
        raise ZeroDivisionError
    with pytest.raises(Exception, match="closed"):
        ledger.head()


def test_a_ledger_opened_to_be_read_takes_no_entry(tmp_path):
    place = str(tmp_path / "run.db")
    with opened_ledger(place) as ledger:
        ledger.append([Draft(Kind.SAMPLE, {"id": "one"}, "one")])
    with opened_ledger(place, read_only=True) as ledger:
        assert ledger.head().sequence == 1
        with pytest.raises(LedgerError):
            ledger.append([Draft(Kind.SAMPLE, {"id": "two"}, "two")])


def test_a_misspelt_path_is_an_error_and_makes_no_file(tmp_path):
    with pytest.raises(LedgerError):
        require_ledger(str(tmp_path / "rum.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_in_memory_needs_no_file_and_makes_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    require_ledger("memory:")
    assert list(tmp_path.iterdir()) == []


def test_while_a_run_opens_its_ledger_its_loop_goes_on(tmp_path, monkeypatch):
    has_gone_on = threading.Event()

    def open_late(location):
        assert has_gone_on.wait(60)
        return open_ledger(location)

    monkeypatch.setattr("venire.workflows.ledgers.open_ledger", open_late)
    settings = load_settings(write_config(tmp_path, {"oak": {"type": "rules", "weight": 1}}))

    async def run():
        asyncio.get_running_loop().call_soon(has_gone_on.set)
        async with run_ledger(settings, StopSignal(), lambda _: None) as ledger:
            return ledger.head().sequence

    assert asyncio.run(run()) == 0


class Looks:
    """A signal to stop that never comes; it says how long was waited, without waiting."""

    def __init__(self):
        self.seconds = []

    async def sleep(self, seconds):
        self.seconds.append(seconds)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_run_says_once_that_it_waits_for_its_ledger_and_looks_again(times, tmp_path, monkeypatch):
    stop, events = Looks(), []

    def open_at_last(location):
        if len(stop.seconds) < times:
            raise LedgerBusyError("somebody writes", where=location)
        return open_ledger(location)

    monkeypatch.setattr("venire.workflows.ledgers.open_ledger", open_at_last)
    settings = load_settings(write_config(tmp_path, {"oak": {"type": "rules", "weight": 1}}))

    async def run():
        async with run_ledger(settings, stop, events.append) as ledger:
            return ledger.head().sequence

    assert asyncio.run(run()) == 0
    assert stop.seconds == [LOOK_SECONDS] * times
    assert [event.event for event in events] == ["waiting"] * bool(times)


def test_a_run_gives_up_on_a_ledger_that_stays_busy(tmp_path, monkeypatch):
    def open_never(location):
        raise LedgerBusyError("somebody writes", where=location)

    monkeypatch.setattr("venire.workflows.ledgers.open_ledger", open_never)
    settings = load_settings(write_config(tmp_path, {"oak": {"type": "rules", "weight": 1}}))
    stop = Looks()

    async def run():
        async with run_ledger(settings, stop, lambda _: None):
            raise AssertionError

    with pytest.raises(LedgerBusyError, match="somebody writes"):
        asyncio.run(run())
    assert sum(stop.seconds) == pytest.approx(BUSY_SECONDS, abs=LOOK_SECONDS + 1e-6)
