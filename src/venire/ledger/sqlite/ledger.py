"""A ledger in one SQLite file: the store for one machine.

The file is in WAL mode with `synchronous=FULL`: a commit returns after the log has reached the disk, and readers see
the last commit without ever holding up the writer. One process writes at a time; any number may read.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from venire.errors import LedgerError, TamperedError
from venire.ledger.entry import Draft, Entry, Head, Kind, format_time, utc_now
from venire.ledger.hashing import link_all
from venire.ledger.sqlite.file import (
    BUSY_MILLISECONDS,
    open_for_reading,
    open_for_writing,
    refuse_folder,
    storage_errors,
)
from venire.ledger.sqlite.lock import WriterLock
from venire.ledger.sqlite.packing import packed, unpacked
from venire.ledger.store import (
    LARGEST_BATCH,
    ProcessClaims,
    check_adoptable,
    load_queries,
    read_in_batches,
    stored_once,
    without_repeats,
)
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    import apsw

    from venire.ledger.store import Claims, Decide

_KINDS = {kind.value: kind for kind in Kind}
_TYPES = (int, str, str, bytes, bytes, str, str, str)


class SqliteLedger:
    """A ledger file. Opening it for writing makes it if need be, and keeps other writers out until it is closed.

    Raises `LedgerError` if the file is not a ledger, has another format, or is being written to by someone else for
    longer than `wait_seconds`.
    """

    is_near = True

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        wait_seconds: float = 0.0,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        refuse_folder(path)
        self.path = path
        self._now = now
        self._claims = ProcessClaims()
        self._sql = load_queries("sqlite/queries.sql")
        # Two connections, so that looking something up does not wait for a commit to reach the disk.
        self._write_lock, self._read_lock = Lock(), Lock()
        self._writer_lock = None if read_only else WriterLock(path, wait_seconds)
        self._writer: apsw.Connection | None = None
        try:
            self._writer = None if read_only else open_for_writing(path)
            self._reader = open_for_reading(path)
        except BaseException:
            self._let_go()
            raise

    def append(self, drafts: Sequence[Draft]) -> Head:
        """Append all of the drafts or none, and return once they are durable; see `Ledger.append`."""
        return self._staged(drafts, BUSY_MILLISECONDS)()

    def stage(self, drafts: Sequence[Draft]) -> Callable[[], Head]:
        """Insert the drafts, and return what commits them; see `Ledger.stage`. Nobody is waited for."""
        return self._staged(drafts, 0)

    def _staged(self, drafts: Sequence[Draft], patience_milliseconds: int) -> Callable[[], Head]:
        with ExitStack() as stack:
            connection = stack.enter_context(self._transaction(patience_milliseconds))
            head = self._end(connection)
            fresh = without_repeats(drafts, self._stored_of(connection, drafts))
            head = self._insert(connection, list(link_all(fresh, head, format_time(self._now()))), head)
            open_transaction = stack.pop_all()

        def commit() -> Head:
            with open_transaction:
                return head

        return commit

    def append_after(self, seen: int, decide: Decide) -> Head:
        """Append what is decided at the end of the ledger; see `Ledger.append_after`."""
        with self._transaction() as connection:
            head = self._end(connection)
            rows = connection.execute(self._sql["select_from"], {"first": seen + 1, "batch": -1}).fetchall()
            drafts = decide([self._entry(row) for row in rows])
            fresh = without_repeats(drafts, self._stored_of(connection, drafts))
            return self._insert(connection, list(link_all(fresh, head, format_time(self._now()))), head)

    def adopt(self, entries: Sequence[Entry]) -> Head:
        """Append entries of another ledger as they are; see `Ledger.adopt`."""
        with self._transaction() as connection:
            head = self._end(connection)
            check_adoptable(entries, head, self._stored_of(connection, entries))
            return self._insert(connection, entries, head)

    def read(self, after: int = 0, kinds: Collection[Kind] | None = None) -> Iterator[Entry]:
        """Yield the entries behind the given sequence; see `Ledger.read`."""
        query = "select_from" if kinds is None else "select_kinds_from"
        chosen = {} if kinds is None else {"kinds": json.dumps([kind.value for kind in kinds])}

        def fetch(first: int, batch: int) -> list[Any]:
            return self._fetch(query, {"first": first, "batch": batch, **chosen})

        return map(self._entry, read_in_batches(fetch, after))

    def find(self, kind: Kind, key: str) -> Entry | None:
        """Return the latest entry of this kind and key; see `Ledger.find`."""
        rows = self._fetch("select_latest", {"kind": kind.value, "key": key})
        return self._entry(rows[0]) if rows else None

    def find_all(self, wanted: Collection[tuple[Kind, str]]) -> dict[tuple[Kind, str], Entry]:
        """Return the latest entries of these kinds and keys; see `Ledger.find_all`."""
        if not wanted:
            return {}
        entries = map(self._entry, self._fetch("select_latest_of", {"wanted": _pairs(wanted)}))
        return {(entry.kind, entry.key): entry for entry in entries}

    def keys(self, kind: Kind) -> Iterator[str]:
        """Yield each key of this kind once; see `Ledger.keys`."""
        after = 0
        while rows := self._fetch("select_keys_after", {"kind": kind.value, "after": after, "batch": LARGEST_BATCH}):
            for _, key in rows:
                if type(key) is not str:
                    raise TamperedError(
                        "error.ledger.key_type", where=str(self.path), kind=kind.value, found=type(key).__name__
                    )
                yield key
            after = rows[-1][0]

    def head(self) -> Head:
        """Return the end of the ledger."""
        rows = self._fetch("select_head", {})
        return self._head(rows[0]) if rows else Head()

    def storage_problems(self) -> tuple[str, ...]:
        """Return what SQLite finds wrong with the file and its indexes; see `Ledger.storage_problems`."""
        rows = self._fetch("check_integrity", {})
        found = [str(message) for (message,) in rows if message != "ok"]
        repeated = self._fetch("select_repeated", {})
        return (
            *found,
            *(say("error.ledger.stored_twice", kind=kind, key=key, times=times) for kind, key, times in repeated),
        )

    def claims(
        self,
        on_lost: Callable[[str], None],  # noqa: ARG002
    ) -> AbstractContextManager[Claims]:
        """Take claims, which cannot be lost; see `Ledger.claims`."""
        return self._claims.hold()

    def close(self) -> None:
        """Let go of the file and of the right to write to it."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            self._let_go()

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._writer_lock is not None:
            self._writer_lock.release()
            self._writer_lock = None

    @contextmanager
    def _transaction(self, patience_milliseconds: int = BUSY_MILLISECONDS) -> Iterator[apsw.Connection]:
        with self._write_lock, storage_errors(self.path, "appending"):
            if self._writer is None:
                raise LedgerError("error.ledger.read_only", where=str(self.path))
            self._writer.set_busy_timeout(patience_milliseconds)
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:  # SQLite itself has rolled back after some errors.
                    self._writer.execute("ROLLBACK")
                raise

    def _end(self, connection: apsw.Connection) -> Head:
        row = connection.execute(self._sql["select_head"]).fetchone()
        return self._head(row) if row else Head()

    def _stored_of(self, connection: apsw.Connection, items: Iterable[Draft | Entry]) -> set[tuple[Kind, str]]:
        """Return which of those that are stored once are in the ledger; one question is a fifth of one for each."""
        wanted = stored_once(items)
        found = connection.execute(self._sql["select_places_of"], {"wanted": _pairs(wanted)}) if wanted else ()
        return {wanted[place] for (place,) in found}

    def _insert(self, connection: apsw.Connection, entries: Sequence[Entry], head: Head) -> Head:
        if not entries:
            return head
        connection.executemany(self._sql["insert_entry"], map(_row, entries))
        return Head(entries[-1].sequence, entries[-1].hash)

    def _fetch(self, query: str, bindings: dict[str, Any]) -> list[Any]:
        with self._read_lock, storage_errors(self.path, "reading"):
            return self._reader.execute(self._sql[query], bindings).fetchall()

    def _entry(self, row: Any) -> Entry:
        if (*map(type, row),) != _TYPES:
            raise self._tampered(
                "error.ledger.entry_types", row[0], found=_names(map(type, row)), expected=_names(_TYPES)
            )
        sequence, kind, key, payload, *rest = row
        if kind not in _KINDS:
            raise self._tampered("error.ledger.entry_kind", sequence, kind=kind)
        return Entry(sequence, _KINDS[kind], key, unpacked(payload), *rest)

    def _head(self, row: Any) -> Head:
        if (*map(type, row),) != (int, str):
            raise self._tampered("error.ledger.hash_type", row[0], found=type(row[1]).__name__)
        return Head(*row)

    def _tampered(self, code: str, sequence: object, **values: object) -> TamperedError:
        return TamperedError(
            code, where=str(self.path), hint="error.ledger.key_type.hint", sequence=repr(sequence), **values
        )


def _row(entry: Entry) -> tuple[Any, ...]:
    """Return an entry as the query names its columns, in the order of its fields."""
    sequence, kind, key, payload, *rest = msgspec.structs.astuple(entry)
    return (sequence, kind, key, packed(payload, kind), *rest)


def _pairs(wanted: Iterable[tuple[Kind, str]]) -> str:
    return msgspec.json.encode([*wanted]).decode()


def _names(types: Iterable[type]) -> tuple[str, ...]:
    return tuple(each.__name__ for each in types)
