"""A file that another tool may have written: opened once, looked at by each reader until one knows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zipfile import is_zipfile

from venire.errors import InputError
from venire.inputs.problems import OnProblem, tell, unreadable
from venire.inputs.tables.rows import MAX_JSON_BYTES

OTHER_FORM = (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError)
"""What reading raises where a file that looked known is built otherwise."""
_BEGINNING_BYTES = 65_536
_Row = TypeVar("_Row")
_Read = TypeVar("_Read")


class FileLine(NamedTuple):
    """One line of a file."""

    start: int
    """The place in the file at which it begins."""
    value: Any
    """What it holds."""


class ForeignFile:
    """A file, with whoever takes its problems; if nobody does, the first one is raised.

    A problem is told once, however often the file is read.
    """

    def __init__(self, path: Path, on_problem: OnProblem = None) -> None:
        self.path = path
        self._on_problem = on_problem
        self._told: set[str] = set()

    @cached_property
    def is_zip(self) -> bool:
        """Whether the file is a ZIP archive; raises `InputError` if it cannot be read at all."""
        try:
            with self.path.open("rb"):
                return is_zipfile(self.path)
        except OSError as error:
            raise unreadable(error, str(self.path)) from None

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes of the file, by which some formats are told."""
        with self.path.open("rb") as file:
            return file.read(_BEGINNING_BYTES)

    @property
    def is_sqlite(self) -> bool:
        """Whether the file is a database of SQLite."""
        return self.beginning.startswith(b"SQLite format 3\0")

    @cached_property
    def first_line(self) -> Any:
        """What the first line holds, if it is JSON by itself; else None."""
        if self.is_zip or self.is_sqlite:
            return None
        with self.path.open("rb") as file:
            try:
                return json.loads(file.readline(MAX_JSON_BYTES))
            except (ValueError, RecursionError):
                return None

    @cached_property
    def has_lines(self) -> bool:
        """Whether the file holds one JSON value a line: its first line is one, and there is another line."""
        if self.first_line is None:
            return False
        with self.path.open("rb") as file:
            file.readline()
            return any(line.strip() for line in file)

    @cached_property
    def top(self) -> Any:
        """What the whole file holds, if it is one JSON value; else None. Raises `InputError` if it is too large."""
        if self.is_zip or self.is_sqlite or self.has_lines:
            return None
        if self.first_line is not None:
            return self.first_line
        if self.beginning.lstrip()[:1] not in (b"{", b"["):
            return None
        size = self.path.stat().st_size
        if size > MAX_JSON_BYTES:
            raise InputError(
                "error.foreign.too_large", where=str(self.path), size=size >> 20, most=MAX_JSON_BYTES >> 20
            )
        try:
            return json.loads(self.path.read_bytes())
        except (ValueError, RecursionError):
            return None

    def whole(self) -> dict[str, Any]:
        """Return the one JSON object that the file holds; raises `InputError` if it does not."""
        if not isinstance(self.top, dict):
            raise InputError("error.foreign.not_json", where=str(self.path), reason=type(self.top).__name__)
        return self.top

    def lines(self) -> Iterator[FileLine]:
        """Yield what each line of the file holds; raises `InputError` for one that is not JSON."""
        start = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield FileLine(start, json_value(line, f"{self.path}:{number}"))
                start += len(line)

    def lines_at(self, starts: Iterable[int]) -> Iterator[Any]:
        """Yield what some lines hold, by the places at which they begin."""
        with self.path.open("rb") as file:
            for start in starts:
                file.seek(start)
                yield json.loads(file.readline())

    def check_version(self, tool: str, found: object, known: tuple[str, ...]) -> None:
        """Report a version that is not known; whoever takes problems gets what is understood of it."""
        if str(found) not in known:
            problem = InputError(
                "error.foreign.version", where=str(self.path), tool=tool, found=str(found), known=known
            )
            self.tell(problem)

    def understood(self, tool: str, rows: Iterable[_Row], read: Callable[[_Row], _Read]) -> Iterator[_Read]:
        """Yield what is read of each row, past those of another form if somebody takes problems."""
        for number, row in enumerate(rows, start=1):
            try:
                result = read(row)
            except OTHER_FORM as error:
                self.tell(other_form(f"{self.path}: {number}", tool, error))
            else:
                yield result

    def tell(self, problem: InputError) -> None:
        """Hand a problem to whoever takes them, once; raises it if nobody does."""
        if str(problem) not in self._told:
            self._told.add(str(problem))
            tell(problem, self._on_problem)


def other_form(where: str, tool: str, error: Exception) -> InputError:
    """Say that a file of a tool is built otherwise than known."""
    return InputError("error.foreign.other_form", where=where, tool=tool, reason=f"{type(error).__name__}: {error}")


def json_value(content: bytes, where: str) -> Any:
    """Decode JSON, in which NaN may stand; raises `InputError` if it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError("error.foreign.not_json", where=where, reason=str(error)) from None
