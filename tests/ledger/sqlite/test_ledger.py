from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from venire.errors import LedgerBusyError, LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import STORED_ONCE, Draft, Head, Kind
from venire.ledger.sqlite.ledger import SqliteLedger

VOTES = [Draft(Kind.VOTE, number, f"vote-{number}") for number in range(3)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(path):
    opened = SqliteLedger(path)
    opened.append(VOTES)
    yield opened
    opened.close()


def run_python(code, *arguments):
    """Run code in another process; returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_ledger_is_there_when_it_is_opened_again(path):
    first = SqliteLedger(path)
    head = first.append(VOTES)
    first.close()
    again = SqliteLedger(path)
    assert again.head() == head
    assert again.append(VOTES).sequence == 6
    assert audit_chain(again).intact
    again.close()


def test_commits_reach_the_disk_before_they_are_acknowledged(ledger):
    assert ledger._writer.pragma("journal_mode") == "wal"
    assert ledger._writer.pragma("synchronous") == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET payload = x'00' WHERE sequence = 2",
        "DELETE FROM entry WHERE sequence = 3",
        "INSERT OR REPLACE INTO entry SELECT sequence, kind, key, recorded_at, hash, hash, payload, blob FROM entry",
        "INSERT INTO entry SELECT sequence + 7, kind, 'x', recorded_at, previous_hash, hash, payload, blob FROM entry",
    ],
    ids=["update", "delete", "replace", "gap"],
)
def test_the_file_itself_refuses_to_be_anything_but_appended_to(ledger, path, statement):
    ledger.close()
    other = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        other.execute(statement)
    other.close()


@pytest.mark.parametrize("kind", sorted(STORED_ONCE))
def test_the_file_itself_refuses_a_second_result_for_one_key(path, kind):
    ledger = SqliteLedger(path)
    ledger.append([Draft(kind, 1, "task")])
    ledger.close()
    other = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError, match="at most one entry"):
        other.execute(
            "INSERT INTO entry SELECT 2, kind, key, recorded_at, previous_hash, hash, payload, blob FROM entry"
        )
    other.close()


def test_a_second_writer_in_another_process_is_told_who_is_writing(ledger, path):
    told = run_python(
        "import sys, pathlib\n"
        "from venire.errors import LedgerError\n"
        "from venire.ledger.sqlite.ledger import SqliteLedger\n"
        "try: SqliteLedger(pathlib.Path(sys.argv[1]))\n"
        "except LedgerError as error: print(error)\n",
        path,
    )
    assert f"another process (pid {os.getpid()}) is writing to this ledger" in told
    assert str(path) in told


def test_a_second_writer_in_the_same_process_is_refused_too(ledger, path):
    with pytest.raises(LedgerError, match="this process itself is writing"):
        SqliteLedger(path)


def test_a_writer_that_waits_gets_its_turn_when_the_other_is_killed(path):
    code = (
        "import sys, pathlib\n"
        "from venire.ledger.sqlite.ledger import SqliteLedger\n"
        "ledger = SqliteLedger(pathlib.Path(sys.argv[1]))\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(LedgerError, match=str(other.pid)):
            SqliteLedger(path, wait_seconds=0.06)
        other.kill()
        ledger = SqliteLedger(path, wait_seconds=60)
    assert ledger.append(VOTES).sequence == 3
    ledger.close()


def test_another_process_reads_while_this_one_writes(ledger, path):
    code = (
        "import sys, pathlib\n"
        "from venire.ledger.sqlite.ledger import SqliteLedger\n"
        "ledger = SqliteLedger(pathlib.Path(sys.argv[1]), read_only=True)\n"
        "print(ledger.head().sequence)\n"
    )
    assert run_python(code, path) == "3\n"
    ledger.append(VOTES)
    assert run_python(code, path) == "6\n"


def test_a_reader_in_mid_batch_does_not_hold_up_the_writer(ledger, path):
    ledger.append([Draft(Kind.VOTE, number) for number in range(600)])
    reader = SqliteLedger(path, read_only=True)
    reading = reader.read()
    next(reading)
    ledger._writer.set_busy_timeout(0)
    ledger.append(VOTES)
    busy, logged, folded = ledger._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert (busy, logged, folded) == (0, 0, 0)
    assert sum(1 for _ in reading) == 605
    reader.close()


def test_a_ledger_opened_for_reading_cannot_be_appended_to(ledger, path):
    reader = SqliteLedger(path, read_only=True)
    with pytest.raises(LedgerError, match="reading only"):
        reader.append(VOTES)
    reader.close()


def test_a_ledger_can_be_read_from_a_read_only_medium(ledger, path):
    # Root may write anywhere, so the reader gives up its rights first; then the folder is read-only to it.
    code = (
        "import os, sys, pathlib\n"
        "from venire.ledger.audit import audit_chain\n"
        "from venire.ledger.sqlite.ledger import SqliteLedger\n"
        "SqliteLedger(pathlib.Path(sys.argv[2]), read_only=True).close()  # Load all modules while that is allowed.\n"
        "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "assert not os.access(path.parent, os.W_OK)\n"
        "ledger = SqliteLedger(path, read_only=True)\n"
        "print(audit_chain(ledger).count, ledger.find(ledger.read().__next__().kind, 'vote-1').content)\n"
    )
    with TemporaryDirectory() as name:
        folder = Path(name)
        frozen = SqliteLedger(folder / "ledger.db")
        frozen.append(VOTES)
        frozen.close()
        (folder / "ledger.db").chmod(0o444)
        folder.chmod(0o555)
        try:
            assert run_python(code, folder / "ledger.db", path) == "3 1\n"
        finally:
            folder.chmod(0o755)


def test_there_must_be_a_ledger_to_read(path):
    with pytest.raises(LedgerError, match="no ledger here"):
        SqliteLedger(path, read_only=True)
    assert not path.exists()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_not_sqlite_is_refused_and_left_alone(path, read_only):
    path.write_bytes(b"not a ledger\n" * 500)
    with pytest.raises(LedgerError, match="not an SQLite file"):
        SqliteLedger(path, read_only=read_only)
    assert path.read_bytes() == b"not a ledger\n" * 500


@pytest.mark.parametrize("read_only", [True, False])
def test_an_sqlite_file_of_others_is_refused_and_left_alone(path, read_only):
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE recipe (name)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="another SQLite file"):
        SqliteLedger(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_newer_format_is_refused_with_what_to_do(ledger, path, read_only):
    ledger.close()
    other = apsw.Connection(str(path))
    other.pragma("user_version", 3)
    other.close()
    with pytest.raises(LedgerError, match=r"found format 3\n.*newer"):
        SqliteLedger(path, read_only=read_only)


def test_a_refused_file_can_be_opened_by_others_afterwards(path):
    path.write_bytes(b"not a ledger\n" * 500)
    for _ in range(2):
        with pytest.raises(LedgerError, match="not an SQLite file"):
            SqliteLedger(path)
    path.unlink()
    SqliteLedger(path).close()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_folder_is_no_ledger_and_nothing_is_made_beside_it(tmp_path, read_only):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(LedgerError, match="expected a file, found a folder"):
        SqliteLedger(folder, read_only=read_only)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(LedgerError, match=r"absent/ledger\.db.*\n.*folder exists"):
        SqliteLedger(tmp_path / "absent" / "ledger.db")


def test_a_file_left_blank_by_a_killed_process_becomes_a_ledger(path):
    blank = apsw.Connection(str(path))
    blank.pragma("journal_mode", "wal")
    blank.close()
    ledger = SqliteLedger(path)
    assert ledger.append(VOTES).sequence == 3
    ledger.close()


def test_paths_may_hold_any_character(tmp_path):
    path = tmp_path / "a ?b#%41 é'.db"
    ledger = SqliteLedger(path)
    ledger.append(VOTES)
    assert ledger.head().sequence == 3
    ledger.close()
    assert path.is_file()


def test_a_copy_of_file_and_log_taken_while_open_is_a_ledger(ledger, path, tmp_path):
    shutil.copy(path, tmp_path / "copy.db")
    shutil.copy(f"{path}-wal", tmp_path / "copy.db-wal")
    copy = SqliteLedger(tmp_path / "copy.db", read_only=True)
    assert copy.head() == ledger.head()
    copy.close()


def test_a_full_disk_keeps_the_call_out_whole_and_the_ledger_usable(ledger):
    before = ledger.head()
    ledger._writer.pragma("max_page_count", ledger._writer.pragma("page_count") + 2)
    with pytest.raises(LedgerError, match=r"full(.|\n)*free space"):
        ledger.append([Draft(Kind.VOTE, number, blob=b"x" * 3000) for number in range(100)])
    assert ledger.head() == before
    ledger._writer.pragma("max_page_count", 1_000_000)
    assert ledger.append(VOTES).sequence == before.sequence + 3
    assert audit_chain(ledger).intact


def test_a_writer_without_our_lock_makes_appending_fail_clearly(ledger, path, monkeypatch):
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("venire.ledger.sqlite.ledger.BUSY_MILLISECONDS", 0)
    with pytest.raises(LedgerError, match="another program holds the file locked"):
        ledger.append(VOTES)
    other.execute("ROLLBACK")
    other.close()
    assert ledger.append(VOTES).sequence == 6


def test_whoever_stages_in_an_event_loop_is_not_held_up_by_a_writer_without_our_lock(ledger, path, monkeypatch):
    monkeypatch.setattr("venire.ledger.sqlite.ledger.BUSY_MILLISECONDS", 120_000)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(LedgerBusyError, match="another program holds the file locked"):
        ledger.stage(VOTES)
    assert time.monotonic() - began < 60  # To wait as `append` does would take two minutes.
    other.execute("ROLLBACK")
    other.close()
    assert ledger.stage(VOTES)().sequence == 6


def test_a_new_ledger_is_empty(path):
    ledger = SqliteLedger(path)
    assert ledger.head() == Head()
    ledger.close()


def test_an_empty_file_is_not_called_another_kind_of_ledger(tmp_path):
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(LedgerError, match="expected a ledger, found an empty file"):
        SqliteLedger(tmp_path / "empty.sqlite", read_only=True)
