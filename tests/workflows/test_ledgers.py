"""Ledgers that commands open for one piece of work."""

import pytest

from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.workflows.ledgers import opened_ledger, require_ledger


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
