"""Claims in a PostgreSQL database: locks of a connection, which the server lets go of when the process dies.

A server that was restarted has forgotten them. So somebody looks every second whether the connection still lives, and
takes them again. Who starts the same run in that second gets them instead; then the run that had them is told.
"""

from __future__ import annotations

import os
import platform
import re
import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

from venire.errors import LedgerError
from venire.ledger.postgres.session import QUERIES, Connection, PostgresSession
from venire.ledger.store import refusal
from venire.words.said import Said, say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime

_LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 3.0  # A busy server may not have noticed yet that the run that held them was killed.
_TRY_SECONDS = 0.1
_LONGEST_LABEL = 63  # Of an application's name; the server cuts off the rest.
_LABEL = re.compile(r"venire run (?P<since>\S+) (?P<process>\d+)@(?P<host>.+)")


class _Holder(NamedTuple):
    """Who holds a claim."""

    backend: int
    """The server's process for the connection."""
    label: str | None
    """What the connection calls itself."""

    @property
    def said(self) -> Said:
        """Who it is, in words."""
        found = _LABEL.fullmatch(self.label or "")
        if found is None:
            return say("error.ledger.holder_connection", backend=self.backend)
        return say("error.ledger.holder_process", **found.groupdict())


@contextmanager
def hold_claims(
    connect: Callable[[], PostgresSession], names: Collection[str], on_lost: Callable[[str], None], now: datetime
) -> Iterator[None]:
    """Hold all of the claims by a session of their own; see `Ledger.claim`."""
    session, ended = connect(), Event()
    claims = _Claims(session, sorted(set(map(_key, names))), now)
    watching = Thread(target=claims.watch, args=(ended, on_lost), name="venire-claim", daemon=True)
    try:
        holder = claims.take_patiently()
        if holder is not None:
            raise refusal(holder.said, session.where)
        watching.start()
        yield
    finally:
        ended.set()
        session.close()
        if watching.ident is not None:
            watching.join()


class _Claims:
    """Claims that are to be held by whatever connection the session has."""

    def __init__(self, session: PostgresSession, keys: list[int], now: datetime) -> None:
        self._session = session
        self._keys = keys
        self._label = f"venire run {now:%Y-%m-%dT%H:%M:%SZ} {os.getpid()}@{platform.node()}"[:_LONGEST_LABEL]
        self._connection: Connection | None = None
        self._backend = 0

    def take(self) -> _Holder | None:
        """Take the claims unless they are held; return another holder of one if there is any."""
        return self._session.run("claiming", self._take)

    def take_patiently(self) -> _Holder | None:
        """Take the claims as soon as they are free; return another holder that does not let go soon."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while (holder := self.take()) is not None and time.monotonic() < until:
            time.sleep(_TRY_SECONDS)
        return holder

    def watch(self, ended: Event, on_lost: Callable[[str], None]) -> None:
        """Take the claims again whenever the connection was lost, until that is no longer wanted or possible."""
        while not ended.wait(_LOOK_SECONDS):
            try:
                holder = self.take()
            except LedgerError:
                continue  # The server is away for long. Whoever appends tells of it.
            if holder is not None and holder.backend != self._backend:
                on_lost(say("stop.taken_over", holder=holder.said))
                return

    def _take(self, connection: Connection) -> _Holder | None:
        if connection is self._connection:
            connection.execute(QUERIES["select_nothing"])
            return None
        row = connection.execute(QUERIES["name_session"], {"name": self._label}).fetchone()
        # One after the other, in one order for all, and up to the first that is held: if two begin together, one wins.
        for key in self._keys:
            if holder := _take_one(connection, key):
                connection.execute(QUERIES["unlock_claims"])
                return holder
        # Where only the network was cut, the server may not know yet that the connection before this one is dead.
        self._connection, self._backend = connection, row[0] if row else 0
        return None


def _take_one(connection: Connection, key: int) -> _Holder | None:
    while True:
        taken = connection.execute(QUERIES["try_claim"], {"key": key}).fetchone()
        if taken and taken[0]:
            return None
        holder = connection.execute(QUERIES["select_holder"], {"key": key}).fetchone()
        if holder:  # If not, it has let go in the meantime.
            return _Holder(*holder)


def _key(name: str) -> int:
    """Return the number of a claim: the server's locks have numbers of 64 bits."""
    return int.from_bytes(bytes.fromhex(name)[:8], signed=True)
