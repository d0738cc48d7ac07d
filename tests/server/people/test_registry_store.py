"""The file of keys."""

from __future__ import annotations

import pytest

from venire.errors import LedgerError
from venire.server.people.registry_store import SqliteStore


def test_a_file_that_cannot_be_used_is_named_with_what_to_check(tmp_path):
    (tmp_path / "keys").write_bytes(b"no database" * 100)
    with pytest.raises(LedgerError, match="the file of keys cannot be used") as refused:
        SqliteStore(tmp_path / "keys")
    assert refused.value.where == str(tmp_path / "keys")
    assert "disk" in refused.value.hint


def test_statements_are_done_all_or_none(tmp_path):
    store = SqliteStore(None)
    adding = "INSERT INTO {people}court_secret VALUES (?, 'x')"
    with pytest.raises(LedgerError):
        store.change([(adding, ("a",)), (adding, ("b",)), (adding, ("b",))])
    assert store.select(("SELECT name FROM {people}court_secret", ())) == []
    assert store.change([(adding, ("a",))]) == 1
