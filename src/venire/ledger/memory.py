"""A ledger that lives as long as the process: for tests and for trying things out."""

from __future__ import annotations

from functools import partial
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from venire.errors import LedgerError
from venire.ledger.entry import Draft, Entry, Head, Kind, format_time, utc_now
from venire.ledger.hashing import link_all
from venire.ledger.store import ProcessClaims, check_adoptable, stored_once, without_repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from venire.ledger.store import Claims, Decide


class MemoryLedger:
    """An in-memory ledger. Durable only in the sense that nothing is lost while the process lives."""

    is_near = True

    def __init__(self, now: Callable[[], datetime] = utc_now) -> None:
        self._now = now
        self._lock = Lock()
        self._entries: list[Entry] = []
        self._latest: dict[Kind, dict[str, Entry]] = {kind: {} for kind in Kind}
        self._claims = ProcessClaims()
        self._closed = False

    def append(self, drafts: Sequence[Draft]) -> Head:
        """Append all of the drafts or none; see `Ledger.append`."""
        with self._lock:
            self._check_open()
            fresh = without_repeats(drafts, self._stored_of(drafts))
            return self._extend(list(link_all(fresh, self._head(), format_time(self._now()))))

    def stage(self, drafts: Sequence[Draft]) -> Callable[[], Head]:
        """Return what appends the drafts; see `Ledger.stage`."""
        return partial(self.append, drafts)

    def append_after(self, seen: int, decide: Decide) -> Head:
        """Append what is decided at the end of the ledger; see `Ledger.append_after`."""
        with self._lock:
            self._check_open()
            drafts = decide(self._entries[seen:])
            fresh = without_repeats(drafts, self._stored_of(drafts))
            return self._extend(list(link_all(fresh, self._head(), format_time(self._now()))))

    def adopt(self, entries: Sequence[Entry]) -> Head:
        """Append entries of another ledger as they are; see `Ledger.adopt`."""
        with self._lock:
            self._check_open()
            check_adoptable(entries, self._head(), self._stored_of(entries))
            return self._extend(entries)

    def read(self, after: int = 0, kinds: Collection[Kind] | None = None) -> Iterator[Entry]:
        """Yield the entries behind the given sequence; see `Ledger.read`."""
        self._check_open()
        # Entries are only ever added behind, which an iterator over the list follows.
        for entry in islice(self._entries, after, None):
            if kinds is None or entry.kind in kinds:
                yield entry

    def find(self, kind: Kind, key: str) -> Entry | None:
        """Return the latest entry of this kind and key; see `Ledger.find`."""
        with self._lock:
            self._check_open()
            return self._latest[kind].get(key)

    def find_all(self, wanted: Collection[tuple[Kind, str]]) -> dict[tuple[Kind, str], Entry]:
        """Return the latest entries of these kinds and keys; see `Ledger.find_all`."""
        with self._lock:
            self._check_open()
            found = ((each, self._latest[each[0]].get(each[1])) for each in wanted)
            return {each: entry for each, entry in found if entry is not None}

    def keys(self, kind: Kind) -> Iterator[str]:
        """Yield each key of this kind once; see `Ledger.keys`."""
        with self._lock:
            self._check_open()
            return iter(list(self._latest[kind]))

    def head(self) -> Head:
        """Return the end of the ledger."""
        with self._lock:
            self._check_open()
            return self._head()

    def storage_problems(self) -> tuple[str, ...]:
        """Return nothing: what is in memory is as it was put there. See `Ledger.storage_problems`."""
        return ()

    def claims(
        self,
        on_lost: Callable[[str], None],  # noqa: ARG002
    ) -> AbstractContextManager[Claims]:
        """Take claims, which cannot be lost; see `Ledger.claims`."""
        return self._claims.hold()

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._closed = True
            self._entries = []
            self._latest = {kind: {} for kind in Kind}

    def _head(self) -> Head:
        return Head(self._entries[-1].sequence, self._entries[-1].hash) if self._entries else Head()

    def _stored_of(self, items: Iterable[Draft | Entry]) -> set[tuple[Kind, str]]:
        return {(kind, key) for kind, key in stored_once(items) if key in self._latest[kind]}

    def _extend(self, entries: Sequence[Entry]) -> Head:
        self._entries.extend(entries)
        for entry in entries:
            if entry.key:
                self._latest[entry.kind][entry.key] = entry
        return self._head()

    def _check_open(self) -> None:
        if self._closed:
            raise LedgerError("error.ledger.closed", where="memory:")
