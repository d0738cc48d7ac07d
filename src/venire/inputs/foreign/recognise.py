"""Finds the tool that wrote a file, and reads its results."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol
from zipfile import BadZipFile

from venire.errors import InputError
from venire.inputs.foreign import deepeval, inspect_logs, mlflow, openai_evals, promptfoo
from venire.inputs.foreign.file import OTHER_FORM, ForeignFile, other_form
from venire.inputs.foreign.results import ForeignResults
from venire.inputs.problems import OnProblem


class ForeignReader(Protocol):
    """What reads the results of one tool."""

    TOOL: str
    """What the tool is called in options and records."""

    def recognises(self, file: ForeignFile) -> bool:
        """Tell whether the tool wrote a file."""

    def read(self, file: ForeignFile) -> ForeignResults:
        """Read a file; raises `InputError` for a version that is not known."""


READERS: dict[str, ForeignReader] = {
    reader.TOOL: reader for reader in (openai_evals, inspect_logs, promptfoo, deepeval, mlflow)
}
"""The readers by their tools, in the order in which a file is shown to them."""


def read_foreign(path: Path, tool: str = "", on_problem: OnProblem = None) -> ForeignResults:
    """Read the results in a file of another tool, which is recognised if it is not named.

    Raises `InputError` if no tool is recognised. Whoever takes problems gets what is understood of a version or a
    sample that is not known; otherwise these are raised too.
    """
    file = ForeignFile(path, on_problem)
    reader = READERS[tool] if tool else _reader_of(file)
    try:
        return reader.read(file)
    except (*OTHER_FORM, BadZipFile, StopIteration) as error:
        raise other_form(str(path), reader.TOOL, error) from error


def _reader_of(file: ForeignFile) -> ForeignReader:
    for reader in READERS.values():
        try:
            if reader.recognises(file):
                return reader
        except BadZipFile:
            continue
    raise InputError("error.foreign.unknown", where=str(file.path), known=tuple(sorted(READERS)))
