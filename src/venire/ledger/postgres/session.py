"""A connection to PostgreSQL that comes back: when the server goes away, its user waits and goes on."""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from venire.errors import LedgerError, TamperedError
from venire.ledger.postgres.address import shown_address
from venire.ledger.store import load_queries
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable

QUERIES = load_queries("postgres/queries.sql")
"""The queries of `queries.sql` by name."""

Connection = psycopg.Connection[tuple[Any, ...]]
"""A connection whose rows are tuples."""

Result = TypeVar("Result")

_NOT_LET_IN = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "role",
    "not permitted to log in",
)
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.05, 2.0


class PostgresSession:
    """One connection for one thread at a time, made again when it is lost.

    Raises `LedgerError` if the server cannot be reached within `wait_seconds` at first; later, when it had been reached
    before, within `patience_seconds` after it was lost. Once that time is over every call tries once and fails at once,
    until the server is back: those who wait in a row must not each wait as long again.
    """

    def __init__(self, url: str, *, wait_seconds: float = 0.0, patience_seconds: float = 120.0) -> None:
        self.where = shown_address(url)
        self._parameters = _parameters(url, self.where)
        self._lock = Lock()
        self._closing = Event()
        self._connection: Connection | None = None
        self._lost_at: float | None = None
        self._patience_seconds = wait_seconds
        self.run("opening", lambda _: None)
        self._patience_seconds = patience_seconds

    def run(self, doing: str, work: Callable[[Connection], Result]) -> Result:
        """Do the work on the connection and return its result; done again from its beginning if the connection is lost.

        The work must therefore find out whether an earlier try of it has got through. A transaction that the work
        leaves open by raising is rolled back. Errors of the database are raised as `LedgerError`.
        """
        with self._lock:
            pause = _FIRST_PAUSE_SECONDS
            while True:
                self._check_open()
                try:
                    return self._try(doing, work)
                except psycopg.Error as error:  # The connection is lost or could not be made.
                    self._lost_at = self._lost_at or time.monotonic()
                    if time.monotonic() >= self._lost_at + self._patience_seconds:
                        raise _from_connecting(error, self.where) from None
                self._closing.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def close(self) -> None:
        """Let go of the connection, also from under someone who waits for the server; closing twice does nothing."""
        self._closing.set()
        with self._lock:
            self._let_go()

    def _try(self, doing: str, work: Callable[[Connection], Result]) -> Result:
        if self._connection is None:
            self._connection = _connect(self._parameters)
            self._lost_at = None
        connection = self._connection
        try:
            return work(connection)
        except psycopg.Error as error:
            if not connection.closed:
                connection.rollback()
                raise _from_database(error, self.where, doing) from None
            self._let_go()
            raise
        except BaseException:
            with suppress(psycopg.Error):
                connection.rollback()
            raise

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise LedgerError("error.ledger.closed", where=self.where)


def _connect(parameters: dict[str, Any]) -> Connection:
    # No prepared statements: few queries repeat often enough, and poolers between here and the server may lose them.
    connection = psycopg.connect(**parameters, autocommit=True, prepare_threshold=None)
    try:
        connection.execute(QUERIES["set_up_session"])
    except BaseException:
        connection.close()
        raise
    return connection


def _parameters(url: str, where: str) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Its message is not repeated, and neither is it kept as the cause: it quotes the address.
        raise LedgerError("error.ledger.address", where=where) from None
    return {"connect_timeout": 10, "application_name": "venire", **given, "client_encoding": "utf8"}


def _from_connecting(error: psycopg.Error, where: str) -> LedgerError:
    """Return what to raise when no connection could be made."""
    text = first_line(error)
    if "database" in text and "does not exist" in text:
        return LedgerError("error.ledger.no_database", where=where, reason=text)
    if any(sign in text for sign in _NOT_LET_IN):
        return LedgerError("error.ledger.not_let_in", where=where, reason=text)
    return LedgerError("error.ledger.unreachable", where=where, reason=text)


def _from_database(error: psycopg.Error, where: str, doing: str) -> LedgerError:
    """Return what to raise when the database refused something."""
    text = first_line(error)
    if isinstance(error, errors.InsufficientPrivilege):
        return LedgerError("error.ledger.no_right", where=where, doing=say(f"error.ledger.doing.{doing}"), reason=text)
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return LedgerError("error.ledger.standby", where=where, doing=say(f"error.ledger.doing.{doing}"), reason=text)
    if isinstance(error, errors.LockNotAvailable):
        return LedgerError("error.ledger.end_locked", where=where, doing=say(f"error.ledger.doing.{doing}"))
    if isinstance(error, errors.IntegrityError):
        return LedgerError("error.ledger.integrity", where=where, doing=say(f"error.ledger.doing.{doing}"), reason=text)
    if isinstance(error, (errors.DataCorrupted, errors.IndexCorrupted)):
        return TamperedError(
            "error.ledger.database_damaged", where=where, doing=say(f"error.ledger.doing.{doing}"), reason=text
        )
    return LedgerError(
        "error.ledger.database_failed", where=where, doing=say(f"error.ledger.doing.{doing}"), reason=text
    )


def first_line(error: psycopg.Error) -> str:
    """Return the first line of an error that says something, or else what kind of error it is."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
