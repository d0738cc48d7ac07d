"""Claims in a PostgreSQL database: locks of a connection, which the server lets go of when the process dies.

A server that was restarted has forgotten them. So somebody looks every second whether the connection still lives, and
takes them again. Who asks for the same in that second gets them instead; then the run that had them is told.
"""

from __future__ import annotations

import os
import platform
import re
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

from venire.errors import LedgerError
from venire.ledger.postgres.session import QUERIES, Connection, PostgresSession
from venire.words.said import Said, say

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime

_LOOK_SECONDS = 1.0
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
    connect: Callable[[], PostgresSession], on_lost: Callable[[str], None], now: datetime
) -> Iterator[PostgresClaims]:
    """Take claims by a session of their own, which ends with the block; see `Ledger.claims`."""
    session, ended = connect(), Event()
    claims = PostgresClaims(session, now)
    watching = Thread(target=claims.watch, args=(ended, on_lost), name="venire-claim", daemon=True)
    watching.start()
    try:
        yield claims
    finally:
        ended.set()
        session.close()
        watching.join()


class PostgresClaims:
    """Claims that are to be held by whatever connection the session has. Only the session's user changes them."""

    def __init__(self, session: PostgresSession, now: datetime) -> None:
        self._session = session
        self._held: set[int] = set()
        self._given_back: list[int] = []
        self._label = f"venire run {now:%Y-%m-%dT%H:%M:%SZ} {os.getpid()}@{platform.node()}"[:_LONGEST_LABEL]
        self._connection: Connection | None = None
        self._backend = 0

    def take(self, names: Collection[str]) -> dict[str, str]:
        """Take what is free, in one round trip; see `Claims.take`."""
        keys = {_key(name): name for name in names}

        def work(connection: Connection) -> dict[int, _Holder]:
            self._take_again(connection)
            return self._exchange(connection, list(keys))

        return {keys[key]: holder.said for key, holder in self._session.run("claiming", work).items()}

    def let_go(self, names: Collection[str]) -> None:
        """Give claims back with the next look or the next take; see `Claims.let_go`."""
        self._given_back += map(_key, names)

    def watch(self, ended: Event, on_lost: Callable[[str], None]) -> None:
        """Take the claims again whenever the connection was lost, until that is no longer wanted or possible."""
        while not ended.wait(_LOOK_SECONDS):
            try:
                holder = self._session.run("claiming", self._look)
            except LedgerError:
                continue  # The server is away for long. Whoever appends tells of it.
            if holder is not None and holder.backend != self._backend:
                on_lost(say("stop.taken_over", holder=holder.said))
                return

    def _look(self, connection: Connection) -> _Holder | None:
        if connection is self._connection:
            connection.execute(QUERIES["select_nothing"])
        holder = self._take_again(connection)
        if holder is None and self._given_back:
            self._exchange(connection, [])
        return holder

    def _take_again(self, connection: Connection) -> _Holder | None:
        """Take on a new connection what the one before it held; return who else holds something of it.

        Where only the network was cut, that may be the connection before, of which the server thinks that it lives.
        """
        if connection is self._connection:
            return None
        row = connection.execute(QUERIES["name_session"], {"name": self._label}).fetchone()
        connection.execute(QUERIES["unlock_claims"])
        wanted, self._held, self._given_back = self._held - set(self._given_back), set(), []
        others = self._exchange(connection, sorted(wanted))
        if others:
            connection.execute(QUERIES["unlock_claims"])
            self._held = wanted
            return next(iter(others.values()))
        self._connection, self._backend = connection, row[0] if row else 0
        return None

    def _exchange(self, connection: Connection, wanted: list[int]) -> dict[int, _Holder]:
        """Give back what is to be given back, take what is free of what is wanted, and return who holds the rest."""
        given_back, self._given_back = self._given_back, []
        self._held -= set(given_back)
        keys, is_wanted = [*given_back, *wanted], [False] * len(given_back) + [True] * len(wanted)
        others: dict[int, _Holder] = {}
        while keys:
            rows = connection.execute(QUERIES["exchange_claims"], {"keys": keys, "wanted": is_wanted}).fetchall()
            self._held |= {key for key, mine, is_done in rows if mine and is_done}
            refused = [key for key, mine, is_done in rows if mine and not is_done]
            if refused:
                holders = connection.execute(QUERIES["select_holders"], {"keys": refused}).fetchall()
                others |= {key: _Holder(backend, label) for key, backend, label in holders}
            keys = [key for key in refused if key not in others]  # Whoever held these has let go in the meantime.
            is_wanted = [True] * len(keys)
        return others


def _key(name: str) -> int:
    """Return the number of a claim: the server's locks have numbers of 64 bits."""
    return int.from_bytes(bytes.fromhex(name)[:8], signed=True)
