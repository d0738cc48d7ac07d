"""Opens a ledger by where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from venire.errors import LedgerError
from venire.ledger.entry import utc_now
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.address import is_postgres, require_driver, shown_address

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from venire.ledger.store import Ledger

_SQLITE = "sqlite:///"


def open_ledger(
    location: str,
    *,
    read_only: bool = False,
    wait_seconds: float = 0.0,
    patience_seconds: float = 120.0,
    now: Callable[[], datetime] = utc_now,
) -> Ledger:
    """Open the ledger at a path, at `sqlite:///path`, at `postgresql://user@host/database`, or in memory (`memory:`).

    A missing file is made for writing; in a database `venire ledger init` makes the ledger. Raises `LedgerError` if
    there is none to read, if it cannot be used, or if another process writes to the file, or the database's server
    cannot be reached, for longer than `wait_seconds`. A database that is lost later is waited for, up to
    `patience_seconds`.
    """
    if location == "memory:":
        if read_only:
            raise LedgerError("a ledger in memory begins empty: there is nothing to read", where=location)
        return MemoryLedger(now)
    if is_postgres(location):
        return _open_postgres(location, read_only, wait_seconds, patience_seconds, now)
    from venire.ledger.sqlite.ledger import SqliteLedger

    return SqliteLedger(_file(location), read_only=read_only, wait_seconds=wait_seconds, now=now)


def shown_location(location: str) -> str:
    """Return a location as it may be printed: without a password.

    >>> shown_location("postgresql://ann:secret@db.example/evals")
    'postgresql://ann@db.example/evals'
    """
    return shown_address(location) if is_postgres(location) else location


def is_missing_file(location: str) -> bool:
    """Tell whether a location is a file that does not exist, so that there is nothing to read yet."""
    return location != "memory:" and not is_postgres(location) and not _file(location).exists()


def _file(location: str) -> Path:
    scheme, separator, _ = location.partition("://")
    if separator and not location.startswith(_SQLITE):
        # Only the scheme is repeated: the rest may hold a password.
        raise LedgerError(
            "expected a path, sqlite:///path, postgresql://user@host/database or memory:, "
            f"found an address of the kind {scheme}://",
            where=f"{scheme}://",
            hint="Give the path of a file.",
        )
    path = location.removeprefix(_SQLITE)
    if not path:
        raise LedgerError("expected the path of a ledger, found nothing", where=location)
    return Path(path)


def _open_postgres(
    url: str, read_only: bool, wait_seconds: float, patience_seconds: float, now: Callable[[], datetime]
) -> Ledger:
    require_driver(url)
    from venire.ledger.postgres.ledger import PostgresLedger

    return PostgresLedger(
        url, read_only=read_only, wait_seconds=wait_seconds, patience_seconds=patience_seconds, now=now
    )
