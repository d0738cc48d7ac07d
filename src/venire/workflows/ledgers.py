"""Open a ledger for one piece of work, set one up in a database, and name it so that no password is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from venire.ledger.location import file_of, open_ledger, set_up_ledger, shown_location
from venire.ledger.store import Ledger

__all__ = ["opened_ledger", "require_ledger", "set_up_ledger", "shown_location"]


@contextmanager
def opened_ledger(location: str, *, read_only: bool = False) -> Iterator[Ledger]:
    """Open the ledger at a location, and close it whatever happens; see `venire.ledger.location.open_ledger`."""
    with closing(open_ledger(location, read_only=read_only)) as ledger:
        yield ledger


def require_ledger(location: str) -> None:
    """Raise `LedgerError` if a path leads to no ledger: a misspelt one must not become a new, empty ledger."""
    if file_of(location):
        open_ledger(location, read_only=True).close()
