"""A ledger in a PostgreSQL database: the store that many people and machines share.

There is one sequence for all writers. Whoever appends takes a lock in the database, reads the end, links the entries to
it, copies them in and commits; the lock ends with the transaction. The commit returns after the server's log has
reached the disk. Readers take no lock and see whole commits only, in order.

When the connection is lost while a commit is under way, nobody has told whether it happened. The next try takes the
lock, which the lost transaction holds for as long as it lives, and looks for its own entries before it appends again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from psycopg import ClientCursor

from venire.errors import LedgerError, TamperedError
from venire.ledger.entry import Draft, Entry, Head, Kind, format_time, utc_now
from venire.ledger.hashing import link_all
from venire.ledger.postgres.claim import hold_claims
from venire.ledger.postgres.schema import check_standing
from venire.ledger.postgres.session import QUERIES, Connection, PostgresSession
from venire.ledger.store import LARGEST_BATCH, check_adoptable, read_in_batches, stored_once, without_repeats
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from venire.ledger.store import Claims, Decide

    Question = tuple[str, dict[str, Any]]

_KINDS = {kind.value: kind for kind in Kind}
_COLUMN_TYPES = ("int8", "text", "bytea", "bytea", "bytea", "text", "text", "text")


class PostgresLedger:
    """A ledger that `set_up` has made. Any number of processes may append to it and read it at the same time.

    Raises `LedgerError` if the server cannot be reached within `wait_seconds`, or if the role or the schema is not the
    right one. A connection that is lost later is made again, for up to `patience_seconds` each time.
    """

    is_near = False

    def __init__(
        self,
        url: str,
        *,
        read_only: bool = False,
        wait_seconds: float = 0.0,
        patience_seconds: float = 120.0,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._now = now
        self._connect = partial(PostgresSession, url, wait_seconds=wait_seconds, patience_seconds=patience_seconds)
        # Two connections, so that looking something up does not wait for a commit to reach the disk.
        self._reader = self._connect()
        self._writer: PostgresSession | None = None
        self.where = self._reader.where
        """The database, without a password."""
        try:
            self._reader.run(
                "opening", lambda connection: check_standing(connection, self.where, for_writing=not read_only)
            )
            if not read_only:
                self._writer = self._connect()
        except BaseException:
            self.close()
            raise

    def append(self, drafts: Sequence[Draft]) -> Head:
        """Append all of the drafts or none, and return once they are durable; see `Ledger.append`."""
        for draft in drafts:
            _ = draft.payload_bytes  # Encoded before the lock is taken, to hold up others as little as can be.

        def follow(_: Connection, head: Head, places: list[Any]) -> list[Entry]:
            return self._link(drafts, head, {once[place - 1] for (place,) in places})

        once = stored_once(drafts)
        return self._store(_look_up(once), follow)

    def stage(self, drafts: Sequence[Draft]) -> Callable[[], Head]:
        """Return what appends the drafts; see `Ledger.stage`."""
        return partial(self.append, drafts)

    def append_after(self, seen: int, decide: Decide) -> Head:
        """Append what is decided at the end of the ledger; see `Ledger.append_after`."""

        def follow(connection: Connection, head: Head, rows: list[Any]) -> list[Entry]:
            drafts = decide([self._entry(row) for row in rows])
            once = stored_once(drafts)
            places = connection.execute(*_look_up(once)) if once else ()
            return self._link(drafts, head, {once[place - 1] for (place,) in places})

        return self._store((QUERIES["select_from"], {"first": seen + 1, "batch": None}), follow)

    def adopt(self, entries: Sequence[Entry]) -> Head:
        """Append entries of another ledger as they are; see `Ledger.adopt`."""

        def follow(_: Connection, head: Head, places: list[Any]) -> Sequence[Entry]:
            check_adoptable(entries, head, {once[place - 1] for (place,) in places})
            return entries

        once = stored_once(entries)
        return self._store(_look_up(once), follow)

    def read(self, after: int = 0, kinds: Collection[Kind] | None = None) -> Iterator[Entry]:
        """Yield the entries behind the given sequence; see `Ledger.read`."""
        query = "select_from" if kinds is None else "select_kinds_from"
        chosen = {} if kinds is None else {"kinds": sorted({kind.value for kind in kinds})}

        def fetch(first: int, batch: int) -> list[Any]:
            return self._fetch(query, {"first": first, "batch": batch, **chosen})

        return map(self._entry, read_in_batches(fetch, after))

    def find(self, kind: Kind, key: str) -> Entry | None:
        """Return the latest entry of this kind and key; see `Ledger.find`."""
        rows = self._fetch("select_latest", {"kind": kind.value, "key": key.encode()})
        return self._entry(rows[0]) if rows else None

    def find_all(self, wanted: Collection[tuple[Kind, str]]) -> dict[tuple[Kind, str], Entry]:
        """Return the latest entries of these kinds and keys; see `Ledger.find_all`."""
        if not wanted:
            return {}
        rows = self._fetch("select_latest_of", _pairs(wanted))
        return {(entry.kind, entry.key): entry for entry in map(self._entry, rows)}

    def keys(self, kind: Kind) -> Iterator[str]:
        """Yield each key of this kind once; see `Ledger.keys`."""
        after = b""
        while rows := self._fetch("select_keys_after", {"kind": kind.value, "after": after, "batch": LARGEST_BATCH}):
            for key, _ in rows:
                yield self._text(key, say("error.ledger.key_of_kind", kind=kind.value))
            after = rows[-1][1]

    def head(self) -> Head:
        """Return the end of the ledger."""
        rows = self._fetch("select_head", {})
        return Head(*rows[0]) if rows else Head()

    def storage_problems(self) -> tuple[str, ...]:
        """Return which keys are stored twice; PostgreSQL looks after its pages. See `Ledger.storage_problems`."""
        repeated = self._fetch("select_repeated", {})
        return tuple(say("error.ledger.stored_twice", kind=kind, key=key, times=times) for kind, key, times in repeated)

    def claims(self, on_lost: Callable[[str], None]) -> AbstractContextManager[Claims]:
        """Take claims by a connection of their own; see `Ledger.claims`."""
        return hold_claims(self._connect, on_lost, self._now())

    def close(self) -> None:
        """Let go of the connections."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()

    def _link(self, drafts: Sequence[Draft], head: Head, stored: set[tuple[Kind, str]]) -> list[Entry]:
        return list(link_all(without_repeats(drafts, stored), head, format_time(self._now())))

    def _store(self, question: Question, follow: Callable[[Connection, Head, list[Any]], Sequence[Entry]]) -> Head:
        """Lock the end, ask the question, and append what follows from the end and the answer."""
        if self._writer is None:
            raise LedgerError("error.ledger.read_only", where=self.where)
        sent: list[Entry] = []  # What an earlier try was committing when its connection was lost.

        def work(connection: Connection) -> Head:
            head, answer = _go_to_the_end(connection, question)
            if sent and _hash_at(connection, sent[0].sequence) == sent[0].hash:
                connection.execute("ROLLBACK")
                return Head(sent[-1].sequence, sent[-1].hash)
            entries = follow(connection, head, answer)
            if not entries:
                connection.execute("ROLLBACK")
                return head
            _copy_in(connection, entries)
            sent[:] = entries
            connection.execute("COMMIT")
            return Head(entries[-1].sequence, entries[-1].hash)

        return self._writer.run("appending", work)

    def _fetch(self, query: str, bindings: dict[str, Any]) -> list[Any]:
        def work(connection: Connection) -> list[Any]:
            with connection.cursor(binary=True) as cursor:
                return cursor.execute(QUERIES[query], bindings).fetchall()

        return self._reader.run("reading", work)

    def _entry(self, row: Any) -> Entry:
        sequence, kind, key, *rest = row
        if kind not in _KINDS:
            raise TamperedError("error.ledger.entry_kind_database", where=self.where, sequence=sequence, kind=kind)
        return Entry(
            sequence, _KINDS[kind], self._text(key, say("error.ledger.key_of_entry", sequence=sequence)), *rest
        )

    def _text(self, data: bytes, what: str) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise TamperedError(
                "error.ledger.not_utf8_database", where=self.where, what=what, reason=str(error)
            ) from error


def _look_up(once: Sequence[tuple[Kind, str]]) -> Question:
    """Ask which of these are stored; the answer tells their places, counted from 1."""
    return QUERIES["select_stored"], _pairs(once)


def _pairs(wanted: Collection[tuple[Kind, str]]) -> dict[str, str]:
    """Return kinds and keys as PostgreSQL writes arrays; psycopg takes ten times as long for it."""
    keys = ",".join([rf'"\\x{key.encode().hex()}"' for _, key in wanted])
    return {"kinds": f"{{{','.join([kind.value for kind, _ in wanted])}}}", "keys": f"{{{keys}}}"}


def _go_to_the_end(connection: Connection, question: Question) -> tuple[Head, list[Any]]:
    """Begin a transaction, lock the end, and return it with the answer to the question; all in one message."""
    asked, bindings = question
    with ClientCursor(connection) as cursor:
        # Statements of their own: the second must see what was committed while the first waited for the lock.
        cursor.execute(f"BEGIN; {QUERIES['lock_end']} {QUERIES['select_head']} {asked}", bindings)
        _, _, end, answer = (each.fetchall() if each.description else [] for each in cursor.results())
    return Head(*end[0]) if end else Head(), answer


def _hash_at(connection: Connection, sequence: int) -> str | None:
    row = connection.execute(QUERIES["select_hash_at"], {"sequence": sequence}).fetchone()
    return row[0] if row else None


def _copy_in(connection: Connection, entries: Iterable[Entry]) -> None:
    with connection.cursor() as cursor, cursor.copy(QUERIES["copy_entries"]) as copy:
        copy.set_types(_COLUMN_TYPES)
        for each in entries:
            copy.write_row(
                (
                    each.sequence,
                    each.kind.value,
                    each.key.encode(),
                    each.payload,
                    each.blob,
                    each.recorded_at,
                    each.previous_hash,
                    each.hash,
                )
            )
