"""Everything Venire raises on purpose.

    VenireError
    ├── UsageError          the caller asked for something that cannot be done as asked
    ├── InputError          a file or value that the user brought cannot be read
    │   ├── ProtocolError   a protocol file is not a protocol
    │   └── TableError      a table cannot be used at all: its encoding or its columns are others
    ├── ConfigError         venire.yaml or the environment is wrong
    ├── PoolingError        numbers of different protocol or judge versions would be mixed
    └── LedgerError         the ledger cannot be opened, written or trusted
        └── TamperedError   an entry does not follow from the one before it

A bad reply is not an error: it is a judgement with findings.
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "InputError",
    "LedgerError",
    "PoolingError",
    "ProtocolError",
    "TableError",
    "TamperedError",
    "UsageError",
    "VenireError",
]


class VenireError(Exception):
    """The root of all errors that Venire raises on purpose.

    `where` is a place a person can go to (a file, a line, an entry); `hint` is what to do next.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)  # only this, so that errors can be pickled: the rest travels as attributes
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"


class UsageError(VenireError):
    """The caller asked for something that cannot be done as asked."""


class InputError(VenireError):
    """A file or value that the user brought cannot be read."""


class ProtocolError(InputError):
    """A protocol file is not a protocol."""


class TableError(InputError):
    """A table cannot be used at all, so that reading does not go on past it."""


class ConfigError(VenireError):
    """The configuration file or the environment is wrong."""


class PoolingError(VenireError):
    """Numbers of different protocol or judge-prompt versions would be mixed."""


class LedgerError(VenireError):
    """The ledger cannot be opened, written or trusted."""


class TamperedError(LedgerError):
    """An entry of the ledger does not follow from the one before it."""
