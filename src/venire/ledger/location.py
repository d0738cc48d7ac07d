"""Opens a ledger by where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from venire.errors import LedgerError, UsageError
from venire.ledger.entry import utc_now
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.address import is_postgres, require_driver, shown_address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from venire.ledger.postgres.schema import SetUp
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
            raise LedgerError("error.ledger.memory_empty", where=location)
        return MemoryLedger(now)
    if is_shared(location):
        return _open_postgres(location, read_only, wait_seconds, patience_seconds, now)
    from venire.ledger.sqlite.ledger import SqliteLedger

    return SqliteLedger(_file(location), read_only=read_only, wait_seconds=wait_seconds, now=now)


def shown_location(location: str) -> str:
    """Return a location as it may be printed: without a password.

    >>> shown_location("postgresql://ann:secret@db.example/evals")
    'postgresql://ann@db.example/evals'
    """
    return shown_address(location) if is_shared(location) else location


def is_shared(location: str) -> bool:
    """Tell whether a location is a database: many programs may append to it at once, and it is asked over a network."""
    return is_postgres(location)


def file_of(location: str) -> Path | None:
    """Return the file that a ledger is in; None for one in a database or in memory."""
    return None if location == "memory:" or is_shared(location) else _file(location)


def is_missing_file(location: str) -> bool:
    """Tell whether a location is a file that does not exist, so that there is nothing to read yet."""
    path = file_of(location)
    return path is not None and not path.exists()


def require_store(location: str) -> None:
    """Raise `LedgerError` if what the store of a location needs is not installed."""
    if is_shared(location):
        require_driver(location)


def set_up_ledger(url: str, *, writers: Sequence[str] = (), readers: Sequence[str] = ()) -> SetUp:
    """Make a ledger in a database or bring it up to date; see `venire.ledger.postgres.schema.set_up`.

    Raises `UsageError` for a file, which is made when it is first written to.
    """
    if not is_shared(url):
        raise UsageError("error.ledger.only_postgres")
    require_driver(url)
    from venire.ledger.postgres.schema import set_up

    return set_up(url, writers=writers, readers=readers)


def _file(location: str) -> Path:
    scheme, separator, _ = location.partition("://")
    if separator and not location.startswith(_SQLITE):
        # Only the scheme is repeated: the rest may hold a password.
        raise LedgerError("error.ledger.location", where=f"{scheme}://", scheme=scheme)
    path = location.removeprefix(_SQLITE)
    if not path:
        raise LedgerError("error.ledger.no_location", where=location)
    return Path(path)


def _open_postgres(
    url: str, read_only: bool, wait_seconds: float, patience_seconds: float, now: Callable[[], datetime]
) -> Ledger:
    require_driver(url)
    from venire.ledger.postgres.ledger import PostgresLedger

    return PostgresLedger(
        url, read_only=read_only, wait_seconds=wait_seconds, patience_seconds=patience_seconds, now=now
    )
