"""Everything Venire raises on purpose.

    VenireError
    ├── UsageError          the caller asked for something that cannot be done as asked
    │   └── RefusedError    a server cannot do this now: NotFoundError, InUseError, ReadOnlyError, ReusedKeyError,
    │                       AlreadyVotedError, TooLateError
    ├── InputError          a file or value that the user brought cannot be read
    │   ├── ProtocolError   a protocol file is not a protocol
    │   └── TableError      a table cannot be used at all: its encoding or its columns are others
    ├── ConfigError         venire.yaml or the environment is wrong
    ├── RuleError           the checks of a rule judge cannot score what they were given
    ├── PoolingError        numbers of different protocol or judge versions would be mixed
    ├── ServerError         a server refused, or did not answer
    └── LedgerError         the ledger cannot be opened, written or trusted
        ├── LedgerBusyError another process keeps it from being written to, for now
        └── TamperedError   an entry does not follow from the one before it

A bad reply is not an error: it is a judgement with findings.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from venire.words.language import Words
from venire.words.said import say

__all__ = [
    "AlreadyVotedError",
    "ConfigError",
    "InUseError",
    "InputError",
    "LedgerBusyError",
    "LedgerError",
    "NotFoundError",
    "PoolingError",
    "ProtocolError",
    "ReadOnlyError",
    "RefusedError",
    "ReusedKeyError",
    "RuleError",
    "ServerError",
    "TableError",
    "TamperedError",
    "TooLateError",
    "UsageError",
    "VenireError",
    "os_reason",
]


class VenireError(Exception):
    """The root of all errors that Venire raises on purpose.

    An error is said by its code (`error.…` in the words of each language) and the values of its sentence; that of
    `CODE.hint`, where there is one, says what to do next. A text that is no code stands as it is: plugins bring their
    own words. `where` is a place a person can go to: a file, a line, an entry.
    """

    def __init__(self, code: str, *, where: str = "", hint: str = "", **values: object) -> None:
        super().__init__(code)
        self.where, self.values = where, values
        known = Words()
        self.message: str = say(code, **values) if code in known else code
        hinted = say(f"{code}.hint", **values) if f"{code}.hint" in known else ""
        self.hint: str = (say(hint, **values) if hint in known else hint) or hinted
        self.further: tuple[VenireError, ...] = ()

    @classmethod
    def all_of(cls, errors: Sequence[VenireError]) -> Self:
        """Return one error that says everything that is wrong, in the order of the lines."""
        first, *others = sorted(errors, key=_line)
        whole = cls(first.message, where=first.where, hint=first.hint)
        whole.further = tuple(others)
        return whole

    def __str__(self) -> str:
        return self.said(Words())

    def said(self, words: Words, *, advise: bool = True) -> str:
        """Return place, sentence and advice in the language of these words, and the same of all further errors."""
        place = words("error.at", where=self.where) if self.where else ""
        advice = f"\n  {words.of(self.hint)}" if self.hint and advise else ""
        return "\n".join([f"{place}{words.of(self.message)}{advice}", *(each.said(words) for each in self.further)])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made_again, (type(self), self.__dict__, self.args))


def os_reason(error: OSError) -> str:
    """Return why the operating system refused: by a code of ours where it is a common reason, else in its own words.

    >>> os_reason(FileNotFoundError(2, "No such file or directory"))
    'No such file or directory'
    """
    code = f"os.{errno.errorcode.get(error.errno or 0, '').lower()}"
    return say(code) if code in Words() else error.strerror or type(error).__name__


def _line(error: VenireError) -> int:
    line = error.where.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def _made_again(kind: type[VenireError], state: dict[str, Any], args: tuple[Any, ...]) -> VenireError:
    """Return an error as it was before it was pickled: kinds differ in what they are made from."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UsageError(VenireError):
    """The caller asked for something that cannot be done as asked."""


class RefusedError(UsageError):
    """A server cannot do this now; the HTTP status says why."""

    status: ClassVar[int] = 409


class NotFoundError(RefusedError):
    """There is nothing under this name."""

    status: ClassVar[int] = 404


class InUseError(RefusedError):
    """Another browser came in with the same invitation; `where` names it."""


class ReadOnlyError(RefusedError):
    """The ledger is only looked at."""

    status: ClassVar[int] = 503


class ReusedKeyError(RefusedError):
    """An idempotency key came back with another content."""

    status: ClassVar[int] = 422


class AlreadyVotedError(RefusedError):
    """The juror has voted on this item in this round, and the policy does not allow another vote."""


class TooLateError(RefusedError):
    """There is no vote that can still be taken back, or no item that can still be decided."""


class InputError(VenireError):
    """A file or value that the user brought cannot be read."""


class ProtocolError(InputError):
    """A protocol file is not a protocol."""


class TableError(InputError):
    """A table cannot be used at all, so that reading does not go on past it."""


class ConfigError(VenireError):
    """The configuration file or the environment is wrong."""


class RuleError(VenireError):
    """The checks of a rule judge cannot score what they were given."""


class PoolingError(VenireError):
    """Numbers of different protocol or judge-prompt versions would be mixed."""


class ServerError(VenireError):
    """A server refused, or did not answer."""

    def __init__(self, code: str, *, status: int = 0, where: str = "", hint: str = "", **values: object) -> None:
        super().__init__(code, where=where, hint=hint, **values)
        self.status = status
        """The HTTP status; 0 if there was no answer."""


class LedgerError(VenireError):
    """The ledger cannot be opened, written or trusted."""


class LedgerBusyError(LedgerError):
    """Another process keeps the ledger from being written to, for now: it may be waited for."""


class TamperedError(LedgerError):
    """An entry of the ledger does not follow from the one before it."""
