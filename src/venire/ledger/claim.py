"""Claims: what a run holds while it lasts, so that no other run asks and pays for the same at the same time."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from venire.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class ProcessClaims:
    """The claims on a store that only one process writes to: nobody else needs to know of them."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = Lock()
        self._held: set[str] = set()

    @contextmanager
    def hold(self, names: Collection[str]) -> Iterator[None]:
        """Hold all of the claims; raises `LedgerError` if one of them is held."""
        mine = set(names)
        with self._lock:
            if not self._held.isdisjoint(mine):
                raise refusal("it is in this process itself", self._where)
            self._held |= mine
        try:
            yield
        finally:
            with self._lock:
                self._held -= mine


def refusal(holder: str, where: str) -> LedgerError:
    """Return what to raise when a claim is held, with what is known of its holder."""
    return LedgerError(
        f"another run is putting these questions to these judges already: {holder}",
        where=where,
        hint="Wait for it and run this again: its replies will be found, and not be paid for twice. Or end it first.",
    )
