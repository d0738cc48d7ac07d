"""One writer at a time."""

import subprocess
import sys

import pytest

from venire.errors import LedgerError
from venire.ledger.sqlite.lock import WriterLock


def test_a_second_writer_is_told_who_holds_the_lock_and_gets_it_when_it_is_released(tmp_path):
    ledger = tmp_path / "ledger.db"
    first = WriterLock(ledger)
    with pytest.raises(LedgerError, match="this process itself is writing to this ledger"):
        WriterLock(ledger)
    first.release()
    WriterLock(ledger).release()


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(LedgerError, match="cannot be opened for writing"):
        WriterLock(tmp_path / "missing" / "ledger.db")


LOCK_WITHOUT_ROOM = """
import pathlib, resource, sys
from venire.ledger.sqlite.lock import WriterLock
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
WriterLock(pathlib.Path(sys.argv[1])).release()
"""


def test_a_full_disk_keeps_nobody_from_the_lock(tmp_path):
    subprocess.run([sys.executable, "-c", LOCK_WITHOUT_ROOM, str(tmp_path / "ledger.sqlite")], check=True)
