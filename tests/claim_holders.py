"""Who holds claims in a PostgreSQL ledger, and how they are taken away from somebody."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from threading import Thread

from postgres_server import PostgresServer

_CLAIMS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted = %s"
_KEY = "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"


def wait_for_claims(
    server: PostgresServer, database: str, count: int, but: Collection[int] = (), *, granted: bool = True
) -> list[int]:
    """Wait until so many claims are held, by none of these connections, and return who holds them."""
    with server.connect(database) as connection:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            found = [pid for (pid,) in connection.execute(_CLAIMS, [granted]).fetchall()]
            if len(found) == count and not set(found) & set(but):
                return found
    raise AssertionError(f"waited in vain for {count} claims, found {found}")


@contextmanager
def taking_over(server: PostgresServer, database: str) -> Iterator[int]:
    """Take over one of the claims that are held, by cutting the connection of its holder; yields who has it then.

    Whoever waits for a lock gets it before its holder can come back.
    """
    with server.connect(database) as connection, server.connect(database) as rival:
        (key,) = connection.execute(_KEY).fetchone()
        (holder, *_) = [pid for (pid,) in connection.execute(_CLAIMS, [True]).fetchall()]
        waiting = Thread(target=rival.execute, args=("SELECT pg_advisory_lock(%s)", [key]))
        waiting.start()
        wait_for_claims(server, database, 1, granted=False)
        connection.execute("SELECT pg_terminate_backend(%s)", [holder])
        waiting.join()
        yield rival.info.backend_pid
