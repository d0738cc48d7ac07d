from __future__ import annotations

import sys
import traceback
from pathlib import Path

import pytest

from postgres_server import WRITER
from venire.errors import LedgerError, UsageError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import file_of, is_missing_file, is_shared, open_ledger, set_up_ledger


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


def test_a_url_opens_a_database(postgres):
    url = postgres.url(postgres.new_ledger(), WRITER)
    ledger = open_ledger(url)
    head = ledger.append([Draft(Kind.VOTE, 1)])
    ledger.close()
    again = open_ledger(url.replace("postgresql://", "postgres://"), read_only=True)
    assert again.head() == head
    again.close()


def test_only_a_file_can_be_missing(tmp_path):
    path = tmp_path / "ledger.db"
    assert is_missing_file(str(path))
    assert is_missing_file(f"sqlite:///{path}")
    open_ledger(str(path)).close()
    assert not is_missing_file(str(path))
    assert not is_missing_file("memory:")
    assert not is_missing_file("postgresql://host/db")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:se@secret@host/db",
        "postgresql://user:se/secret@host/db",
        "postgresql://?password=secret&user=a@b",
        "postgresql://user:secret@host:port/db",
        "postgresql://user:secret@host/db?passwrd=secret",
        "postgresql://user:%zzsecret@host/db",
        "postgresql://user:secret@127.0.0.1:1/db?connect_timeout=1",
    ],
)
def test_no_part_of_a_password_is_ever_shown(url):
    with pytest.raises(LedgerError) as raised:
        open_ledger(url)
    assert "secret" not in "".join(traceback.format_exception(raised.value))
    assert raised.value.hint


def test_without_the_driver_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"postgresql://user@host/db: (.|\n)*pip install 'venire\[postgres\]'"):
        open_ledger("postgresql://user:secret@host/db")


def test_an_empty_ledger_in_memory_cannot_be_opened_for_reading():
    with pytest.raises(LedgerError, match="nothing to read"):
        open_ledger("memory:", read_only=True)


@pytest.mark.parametrize(
    ("location", "shared", "path"),
    [
        ("memory:", False, None),
        ("runs/ledger.sqlite", False, Path("runs/ledger.sqlite")),
        ("sqlite:///ledger.sqlite", False, Path("ledger.sqlite")),
        ("postgres://ann@db.example/evals", True, None),
    ],
)
def test_a_location_tells_whether_it_is_shared_and_which_file_it_is(location, shared, path):
    assert (is_shared(location), file_of(location)) == (shared, path)


def test_a_file_is_not_set_up(tmp_path):
    with pytest.raises(UsageError, match="only ledgers in PostgreSQL"):
        set_up_ledger(str(tmp_path / "ledger.sqlite"))
