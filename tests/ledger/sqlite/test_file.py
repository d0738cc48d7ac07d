"""The file of a ledger: who may read it, and what is said of a file that is none."""

import stat

import apsw
import pytest

from venire.errors import LedgerError
from venire.ledger.sqlite.file import make_private, open_for_reading, open_for_writing, refuse_folder


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_ledger_can_be_read_by_its_owner_only(tmp_path):
    path = tmp_path / "run.db"
    connection = open_for_writing(path)
    assert {each.name for each in tmp_path.iterdir()} == {"run.db", "run.db-wal", "run.db-shm"}
    assert {rights(each) for each in tmp_path.iterdir()} == {0o600}
    connection.close()


def test_a_file_that_is_there_keeps_its_rights_and_its_content(tmp_path):
    path = tmp_path / "run.db"
    path.write_bytes(b"kept")
    path.chmod(0o640)
    make_private(path)
    assert (rights(path), path.read_bytes()) == (0o640, b"kept")


def test_a_missing_folder_is_told_as_such(tmp_path):
    with pytest.raises(LedgerError, match="unable to open database file"):
        open_for_writing(tmp_path / "none" / "run.db")


def test_a_ledger_that_is_not_there_is_not_made_by_reading_it(tmp_path):
    with pytest.raises(LedgerError):
        open_for_reading(tmp_path / "run.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_ledger(tmp_path):
    with pytest.raises(LedgerError):
        refuse_folder(tmp_path)
    refuse_folder(tmp_path / "run.db")


def test_a_file_of_another_program_or_format_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    before = path.read_bytes()
    for open_file in (open_for_reading, open_for_writing):
        with pytest.raises(LedgerError, match=r"other\.db"):
            open_file(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_ledger(tmp_path):
    path = tmp_path / "run.db"
    path.touch()
    connection = open_for_writing(path)
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2  # Full: what was acknowledged survives a power cut.
    assert connection.pragma("trusted_schema") == 0
    connection.close()
