"""Where the register of people is kept: the two questions that it asks of a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import apsw

from venire.errors import LedgerError
from venire.ledger.sqlite.file import make_private
from venire.server.options import RateLimit

Statement = tuple[str, tuple[str, ...]]
"""A statement and what is bound to its question marks; `{people}` stands before the names of tables."""


class Buckets(Protocol):
    """Buckets of tokens that several processes share."""

    def take_tokens(self, caller: str, wanted: int, limit: RateLimit) -> tuple[int, float]:
        """Take up to so many tokens of a caller; return how many there were, and what is left."""


class RegistryStore(Protocol):
    """A database with the tables `person` and `credential`. Its methods may be called from any thread."""

    is_remote: bool
    """Whether it is asked over a network, which may take long."""
    buckets: Buckets | None
    """Where servers that share the database count requests; None if there can be one server only."""

    def select(self, statement: Statement) -> list[Any]:
        """Return the rows that a query finds."""

    def change(self, statements: Sequence[Statement]) -> int:
        """Do all of the statements or none, and return how many rows the last one changed."""

    def close(self) -> None:
        """Let go of the database."""


class SqliteStore:
    """The register in a file, or in memory. Other processes of the same machine may use the file meanwhile."""

    is_remote = False
    buckets: Buckets | None = None

    def __init__(self, path: Path | None) -> None:
        self._where = str(path or "memory:")
        self._lock = Lock()
        with self._errors():
            if path:
                make_private(path)
            self._connection = apsw.Connection(str(path) if path else ":memory:")
            if path:
                path.chmod(0o600)  # One of an earlier version may be open to others.
            self._connection.set_busy_timeout(5_000)
            self._connection.pragma("journal_mode", "wal")
            self._connection.pragma("synchronous", "normal")  # A power cut may take the last keys; make them again.
            self._connection.pragma("foreign_keys", True)
            self._connection.execute(files("venire.server.people").joinpath("registry.sql").read_text("utf-8"))

    def select(self, statement: Statement) -> list[Any]:
        """Return the rows that a query finds."""
        query, bindings = statement
        with self._lock, self._errors():
            return self._connection.execute(query.format(people=""), bindings).fetchall()

    def change(self, statements: Sequence[Statement]) -> int:
        """Do all of the statements or none, and return how many rows the last one changed."""
        with self._lock, self._errors():
            with self._connection:
                for query, bindings in statements:
                    self._connection.execute(query.format(people=""), bindings)
            return self._connection.changes()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise LedgerError("error.server.keys_file", where=self._where, problem=str(error)) from error
