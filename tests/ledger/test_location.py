from __future__ import annotations

import pytest

from venire.errors import LedgerError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger


@pytest.mark.parametrize("prefix", ["", "sqlite:///"])
def test_a_path_opens_a_file(tmp_path, prefix):
    ledger = open_ledger(f"{prefix}{tmp_path / 'ledger.db'}")
    ledger.append([Draft(Kind.VOTE, 1)])
    ledger.close()
    again = open_ledger(str(tmp_path / "ledger.db"), read_only=True)
    assert again.head().sequence == 1
    again.close()


def test_a_relative_url_opens_a_file_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_ledger("sqlite:///ledger.db").close()
    assert (tmp_path / "ledger.db").is_file()


def test_memory_opens_a_new_ledger_each_time():
    first = open_ledger("memory:")
    first.append([Draft(Kind.VOTE, 1)])
    assert open_ledger("memory:").head().sequence == 0


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("postgresql://user:secret@host/db", "not available in this version"),
        ("mysql://user:secret@host/db", "found an address of the kind mysql://"),
        ("sqlite://ledger.db", "expected a path"),
        ("sqlite:///", "found nothing"),
        ("", "found nothing"),
    ],
)
def test_a_place_where_no_ledger_can_be_is_refused_without_telling_secrets(location, message):
    with pytest.raises(LedgerError, match=message) as raised:
        open_ledger(location)
    assert "secret" not in str(raised.value)


def test_an_empty_ledger_in_memory_cannot_be_opened_for_reading():
    with pytest.raises(LedgerError, match="nothing to read"):
        open_ledger("memory:", read_only=True)
