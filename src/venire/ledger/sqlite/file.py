"""Opens SQLite files that are ledgers, makes new ones, and says clearly what is wrong with others."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import apsw

from venire.errors import LedgerBusyError, LedgerError, TamperedError
from venire.ledger.store import load_script
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION_ID = 0x564E5245
"""What marks an SQLite file as a ledger of ours: `VNRE` in ASCII."""

FILE_FORMAT = 2
"""The version of the file: since 2, long payloads are packed. A file of version 1 is gone on with."""

BUSY_MILLISECONDS = 5_000
"""How long another process that locks the file is waited for, where nothing else is held up by it."""
_PAGE_BYTES = 8192  # Holds most replies and judgements whole: with SQLite's own 4,096 a commit takes a third more CPU.


@contextmanager
def storage_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn whatever SQLite raises inside the block into a `LedgerError` that names the file."""
    try:
        yield
    except apsw.NotADBError as error:
        raise LedgerError("error.ledger.not_sqlite", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise TamperedError("error.ledger.not_utf8", where=str(path), reason=str(error)) from error
    except (
        apsw.CorruptError,
        apsw.SQLError,
    ) as error:  # Our queries fit every ledger whose tables are as we made them.
        raise TamperedError(
            "error.ledger.file_damaged", where=str(path), doing=say(f"error.ledger.doing.{doing}"), reason=str(error)
        ) from error
    except apsw.BusyError as error:
        raise LedgerBusyError(
            "error.ledger.file_locked", where=str(path), doing=say(f"error.ledger.doing.{doing}")
        ) from error
    except apsw.ConnectionClosedError as error:
        raise LedgerError("error.ledger.closed", where=str(path)) from error
    except apsw.Error as error:
        raise LedgerError(
            "error.ledger.file_failed", where=str(path), doing=say(f"error.ledger.doing.{doing}"), reason=str(error)
        ) from error


def refuse_folder(path: Path) -> None:
    """Raise `LedgerError` if there is a folder where a ledger is expected."""
    if path.is_dir():
        raise LedgerError("error.ledger.folder", where=str(path))


def make_private(path: Path) -> None:
    """Make a file that only its owner may read, unless it is there; SQLite gives its further files the same rights."""
    with suppress(FileExistsError, FileNotFoundError, PermissionError):  # SQLite says what is wrong better.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def open_for_writing(path: Path) -> apsw.Connection:
    """Open a ledger for writing and make it if there is none. The caller holds the writer's lock."""
    with storage_errors(path, "opening"):
        make_private(path)
        connection = apsw.Connection(str(path))
        try:
            _prepare(connection)
            if _is_blank(connection):
                _create(connection)
            _check_is_ledger(connection, path)
            if connection.pragma("user_version") != FILE_FORMAT:
                connection.pragma("user_version", FILE_FORMAT)
        except BaseException:
            connection.close()
            raise
        return connection


def open_for_reading(path: Path) -> apsw.Connection:
    """Open a ledger for reading only; another process may be writing to it, or the medium be read-only."""
    if not path.is_file():
        raise LedgerError("error.ledger.missing", where=str(path))
    with storage_errors(path, "opening"):
        try:
            return _open_checked(path, "mode=ro")
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # SQLite needs its shared-memory file even to read, and cannot make one on a read-only medium. Nobody can
            # write there either, so that the file may be taken for immutable, unless entries are still outside it.
            log = path.with_name(path.name + "-wal")
            if log.is_file() and log.stat().st_size > 0:
                raise
            return _open_checked(path, "immutable=1")


def _open_checked(path: Path, option: str) -> apsw.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{option}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        _distrust(connection)
        _check_is_ledger(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    _distrust(connection)
    if _is_blank(connection):
        connection.pragma("page_size", _PAGE_BYTES)
        connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")


def _distrust(connection: apsw.Connection) -> None:
    """Keep a file that a stranger made from running anything of its own."""
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)


def _is_blank(connection: apsw.Connection) -> bool:
    if connection.pragma("application_id") or connection.pragma("user_version"):
        return False
    return bool(connection.execute("SELECT count(*) = 0 FROM sqlite_schema").get)


def _create(connection: apsw.Connection) -> None:
    # One transaction: a process killed in between leaves a blank file, which the next one fills.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(load_script("sqlite/schema.sql"))
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", FILE_FORMAT)
    connection.execute("COMMIT")


def _check_is_ledger(connection: apsw.Connection, path: Path) -> None:
    found = connection.pragma("application_id")
    if found != APPLICATION_ID:
        if not path.stat().st_size:
            raise LedgerError("error.ledger.empty_file", where=str(path))
        raise LedgerError("error.ledger.other_sqlite", where=str(path), expected=APPLICATION_ID, found=found)
    version = connection.pragma("user_version")
    if not 1 <= version <= FILE_FORMAT:
        raise LedgerError("error.ledger.format", where=str(path), expected=FILE_FORMAT, found=version)
