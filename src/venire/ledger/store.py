"""The interface of every ledger: append, read, look up. There is no update and no delete.

**Stored once.** Of a protocol, a sample, a material, a reply and a judgement the ledger holds at most one entry for
each key. Appending another is not an error: it is left out and the first stays, so that a resumed run, or two workers
that did the same task, can simply append; what it names to be recorded instead is. Entries of other kinds (attempts,
votes...) repeat freely.

**Rules of a writer.** A writer whose entries must agree with everything before them, such as a court that counts one
vote for each voter, reads the ledger, decides, and appends by `append_after`: it is shown what others appended
meanwhile, and nobody can append anything more until it has.

**Who asks what.** Whoever leads a run claims the tasks that it is about to ask, so that nobody else pays for them.

**What a runner looks up.** `keys(Kind.REPLY)` are the ids of the tasks that need not be asked again.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from venire.errors import TamperedError
from venire.ledger.entry import STORED_ONCE, Draft, Entry, Head, Kind
from venire.ledger.hashing import find_damage
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    Decide = Callable[[Sequence[Entry]], Sequence[Draft]]

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1  # What SQLite and PostgreSQL can number rows with.
FIRST_BATCH, LARGEST_BATCH = 32, 256
"""How many entries are read together at first, and at most."""
BATCH_BYTES = 32 * 1024 * 1024
"""About how many bytes of entries are read together."""
_NAME_MARK = "-- name: "


class Claims(Protocol):
    """What one run keeps others who use the ledger from asking meanwhile. Named by digests; in any thread."""

    def take(self, names: Collection[str]) -> dict[str, str]:
        """Claim what is free of these, and return by name who holds the others."""

    def let_go(self, names: Collection[str]) -> None:
        """Give these claims back, within a second or so."""


class Ledger(Protocol):
    """An append-only, hash-linked sequence of entries. Its methods may be called from any thread."""

    is_near: bool
    """Whether it is on this machine, where looking up a batch of tasks takes less than having another thread do it.

    In a file of 118 MB a batch of 64 took 0.1 to 0.5 ms, and 1.4 when it was read for the first time.
    """

    def append(self, drafts: Sequence[Draft]) -> Head:
        """Append all of the drafts or none, and return the new head once they are durable.

        Drafts of a kind that is stored once are left out if their key is there already. All entries of one call
        carry the same time. Raises `LedgerError` if the ledger is read-only, closed or cannot be written.
        """

    def stage(self, drafts: Sequence[Draft]) -> Callable[[], Head]:
        """Make ready to append the drafts, and return what appends them; whoever stages must call it, in any thread.

        What takes long, such as waiting for the disk, is left to it. Other writers may have to wait for the call.
        Both raise as `append` does.
        """

    def append_after(self, seen: int, decide: Decide) -> Head:
        """Show `decide` all entries behind the sequence `seen`, and append what it returns before anyone else appends.

        Otherwise as `append`. While `decide` works, all writers wait: it must be quick, and must not use the ledger. It
        is called again if the connection to the store was lost, and only what its last call returned is appended. If it
        raises, nothing is.
        """

    def adopt(self, entries: Sequence[Entry]) -> Head:
        """Append all of these entries of another ledger as they are, or none, and return once they are durable.

        They keep their sequences, times and hashes, and must be the ones that follow this ledger's head. Raises
        `TamperedError` if one of them does not follow from the one before it or repeats what is stored once.
        """

    def read(self, after: int = 0, kinds: Collection[Kind] | None = None) -> Iterator[Entry]:
        """Yield the entries behind the given sequence in order, of the given kinds only if there are any given.

        Reads in batches and never holds up the writer; entries that are appended meanwhile may be among them.
        Raises `TamperedError` for an entry that cannot be one.
        """

    def find(self, kind: Kind, key: str) -> Entry | None:
        """Return the latest entry of this kind and key; None if there is none. An empty key finds nothing."""

    def find_all(self, wanted: Collection[tuple[Kind, str]]) -> dict[tuple[Kind, str], Entry]:
        """Return the latest entry of each of these kinds and keys that is there, as many `find` would, in one go."""

    def keys(self, kind: Kind) -> Iterator[str]:
        """Yield each key of this kind once, in no particular order; entries without a key have none."""

    def head(self) -> Head:
        """Return the end of the ledger."""

    def storage_problems(self) -> tuple[str, ...]:
        """Return what is wrong with how entries are stored, beyond their links.

        That is damaged pages, indexes that do not agree with rows, and keys that are stored twice although their kind
        is stored once. It reads the whole store.
        """

    def claims(self, on_lost: Callable[[str], None]) -> AbstractContextManager[Claims]:
        """Take claims until the end of the block or of the process, however it ends.

        A store whose server was away may have given one to somebody else; then `on_lost` is called, once and from
        another thread, and told who it is.
        """

    def close(self) -> None:
        """Let go of the store; closing twice does nothing."""


def read_in_batches(fetch: Callable[[int, int], Sequence[Any]], after: int) -> Iterator[Any]:
    """Yield the rows behind a sequence, of what `fetch` returns for the first sequence and the number of rows wanted.

    Each batch is a transaction of its own: a slow reader must not keep a store from tidying up behind the writer.
    """
    # No entry has a number below 1; where somebody has put one, it must be seen and not skipped.
    first, batch = after + 1 if after > 0 else _LOWEST, FIRST_BATCH
    while True:
        try:
            rows = fetch(first, batch)
        except TamperedError:
            if batch == 1:
                raise
            batch = 1  # Find the damaged entry itself, and yield what stands before it.
            continue
        for row in rows:
            if row[0] < first:  # SQLite trusts the order of its pages, and would give the same rows for ever.
                raise TamperedError("error.ledger.out_of_order", later=row[0], earlier=first - 1)
            yield row
            first = row[0] + 1
        if not rows or rows[-1][0] == _HIGHEST:
            return
        batch = next_batch(rows)


def next_batch(rows: Sequence[Any]) -> int:
    """Return how many rows to read after these, so that long entries do not fill the memory.

    Payload and blob stand at the fourth and fifth place of a row.
    """
    length = sum(len(row[3]) + len(row[4]) for row in rows) // max(1, len(rows))
    return max(1, min(2 * len(rows), LARGEST_BATCH, BATCH_BYTES // max(1, length)))


def stored_once(items: Iterable[Draft | Entry]) -> list[tuple[Kind, str]]:
    """Return what is to be looked for in the ledger before these are appended, each once."""
    return list({(item.kind, item.key): None for item in items if item.kind in STORED_ONCE})


def without_repeats(drafts: Iterable[Draft], stored: set[tuple[Kind, str]]) -> list[Draft]:
    """Leave out the drafts that are stored once and are in the ledger, or earlier among the drafts, already.

    What such a draft names to be recorded instead, of a kind that may repeat, takes its place. What is kept is added
    to what is stored.
    """
    kept: list[Draft] = []
    for draft in drafts:
        if draft.kind in STORED_ONCE:
            identity = (draft.kind, draft.key)
            if identity in stored:
                kept.extend([draft.instead()] if draft.instead else ())
                continue
            stored.add(identity)
        kept.append(draft)
    return kept


def check_adoptable(entries: Iterable[Entry], head: Head, stored: set[tuple[Kind, str]]) -> None:
    """Raise `TamperedError` at the first entry that cannot be adopted by a ledger with this head."""
    for entry in entries:
        broken = find_damage(entry, head)
        if broken is not None:
            raise TamperedError("error.ledger.entries_do_not_follow", broken=broken.said)
        if entry.kind in STORED_ONCE:
            identity = (entry.kind, entry.key)
            if identity in stored:
                raise TamperedError(
                    "error.ledger.repeated", sequence=entry.sequence, kind=entry.kind.value, key=entry.key
                )
            stored.add(identity)
        head = Head(entry.sequence, entry.hash)


class ProcessClaims:
    """The claims on a store that only one process writes to: nobody else needs to know of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: set[str] = set()

    @contextmanager
    def hold(self) -> Iterator[Claims]:
        """Take claims until the end of the block."""
        mine = _OwnClaims(self._lock, self._held)
        try:
            yield mine
        finally:
            mine.let_go(mine.names)


class _OwnClaims:
    """The claims of one run among those of a process."""

    def __init__(self, lock: Lock, held: set[str]) -> None:
        self._lock = lock
        self._held = held
        self.names: set[str] = set()

    def take(self, names: Collection[str]) -> dict[str, str]:
        """Take what is free; see `Claims.take`."""
        with self._lock:
            elsewhere = self._held - self.names
            others: dict[str, str] = {name: say("error.ledger.holder_here") for name in names if name in elsewhere}
            mine = set(names) - others.keys()
            self._held |= mine
            self.names |= mine
        return others

    def let_go(self, names: Collection[str]) -> None:
        """Give claims back; see `Claims.let_go`."""
        with self._lock:
            mine = self.names.intersection(names)
            self._held -= mine
            self.names -= mine


@cache
def load_script(file_name: str) -> str:
    """Return the text of an SQL file in the room of a store, such as `sqlite/schema.sql`."""
    return files("venire.ledger").joinpath(*file_name.split("/")).read_text("utf-8")


def load_queries(file_name: str) -> dict[str, str]:
    """Return the queries of an SQL file by the names that stand above them (`-- name: select_head`)."""
    queries = {}
    for part in load_script(file_name).split(_NAME_MARK)[1:]:
        name, _, sql = part.partition("\n")
        queries[name.strip()] = sql.strip()
    return queries
