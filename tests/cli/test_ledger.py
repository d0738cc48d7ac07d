from __future__ import annotations

import pytest
from click.testing import CliRunner

from postgres_server import READER, WRITER
from venire.cli.ledger import ledger
from venire.errors import LedgerError, UsageError
from venire.ledger.checkpoint import create_key
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger


def invoke(*arguments):
    """Run the command; returns what it printed, or raises what it raised."""
    result = CliRunner().invoke(ledger, arguments)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_init_makes_a_ledger_and_names_who_may_use_it(postgres):
    url = postgres.url(postgres.new_database())
    shown = invoke("init", url, "--writer", WRITER, "--reader", READER)
    assert "made a ledger in postgresql://owner@/test_" in shown
    assert "app may append and read\nanalyst may read\n" in shown
    assert "is up to date" in invoke("init", url)


def test_init_is_for_databases(tmp_path):
    with pytest.raises(UsageError, match="only ledgers in PostgreSQL"):
        invoke("init", str(tmp_path / "ledger.db"))


def test_copy_goes_both_ways_and_shows_the_common_head(postgres, tmp_path):
    path, url = str(tmp_path / "ledger.db"), postgres.url(postgres.new_ledger(), WRITER)
    source = open_ledger(path)
    head = source.append([Draft(Kind.VOTE, number) for number in range(5)])
    source.close()
    expected = f"copied 5 entries; both ledgers end with entry 5, {head.hash}"
    assert expected in invoke("copy", path, url)
    assert expected in invoke("copy", url, f"sqlite:///{tmp_path / 'back.db'}")


def test_a_copy_of_nothing_leaves_no_file_behind(tmp_path):
    with pytest.raises(LedgerError, match="no ledger here"):
        invoke("copy", str(tmp_path / "absent.db"), str(tmp_path / "copy.db"))
    assert list(tmp_path.iterdir()) == []


def test_copying_into_memory_is_refused(tmp_path):
    with pytest.raises(UsageError, match="lost at once"):
        invoke("copy", str(tmp_path / "ledger.db"), "memory:")


def test_export_and_import_go_through_a_folder(tmp_path):
    path, folder = str(tmp_path / "ledger.db"), str(tmp_path / "run")
    source = open_ledger(path)
    head = source.append([Draft(Kind.VOTE, number) for number in range(5)])
    source.close()
    create_key(tmp_path / "key.pem")
    assert f"exported 5 entries in 1 file to {folder}" in invoke(
        "export", path, folder, "--key", str(tmp_path / "key.pem")
    )
    assert f"imported 5 entries; the ledger ends with entry 5, {head.hash}" in invoke(
        "import", folder, str(tmp_path / "back.db")
    )
