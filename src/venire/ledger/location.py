"""Opens a ledger by where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from venire.errors import LedgerError
from venire.ledger.entry import utc_now
from venire.ledger.memory import MemoryLedger

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
    now: Callable[[], datetime] = utc_now,
) -> Ledger:
    """Open the ledger at a path, at `sqlite:///path`, or in memory (`memory:`); a missing file is made for writing.

    Raises `LedgerError` if there is none to read, if it cannot be used, or if another process writes to it for longer
    than `wait_seconds`.
    """
    if location == "memory:":
        if read_only:
            raise LedgerError("a ledger in memory begins empty: there is nothing to read", where=location)
        return MemoryLedger(now)
    scheme, separator, _ = location.partition("://")
    if separator and not location.startswith(_SQLITE):
        raise _unknown(scheme)
    path = location.removeprefix(_SQLITE)
    if not path:
        raise LedgerError("expected the path of a ledger, found nothing", where=location)
    from venire.ledger.sqlite import SqliteLedger

    return SqliteLedger(Path(path), read_only=read_only, wait_seconds=wait_seconds, now=now)


def _unknown(scheme: str) -> LedgerError:
    # Only the scheme is repeated: the rest may hold a password.
    if scheme in {"postgresql", "postgres"}:
        return LedgerError(
            "ledgers in PostgreSQL are not available in this version",
            where=f"{scheme}://",
            hint="Give the path of a file instead.",
        )
    return LedgerError(
        f"expected a path, sqlite:///path or memory:, found an address of the kind {scheme}://",
        where=f"{scheme}://",
        hint="Give the path of a file.",
    )
