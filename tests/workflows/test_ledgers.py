"""Ledgers that commands open for one piece of work."""

import asyncio
import threading

import pytest

from experiment import write_config
from venire.config import load_settings
from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.runner.stop import StopSignal
from venire.workflows.ledgers import opened_ledger, require_ledger, run_ledger


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
