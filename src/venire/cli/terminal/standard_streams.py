"""Standard output and error that a reader may close and that any encoding can carry.

A command decides what it found whether or not anybody reads it to the end: `venire gate … | head` has the exit code of
the gate. What a terminal's encoding does not have is written by a likeness, so that no character ends a command.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_LIKENESS = {
    **dict.fromkeys("−–—‑─", "-"),
    **dict.fromkeys("●▏▎▍▌▋▊▉█", "#"),
    "○": "o",
    "■": "!",
    "✓": "+",
    "✗": "x",
    "…": "...",
    "·": "|",
    "≤": "<=",
    "≥": ">=",
    "×": "x",
    "→": "->",
    "⟦": "[[",
    "⟧": "]]",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "\u00a0": " ",
    "\u202f": " ",
}
"""What is written for characters of ours that an encoding does not have."""
_WRITE_LIKENESS = "venire.likeness"

STANDARD_OUTPUT = "<stdout>"
"""The file name in errors of standard output."""


class _StandardStream(io.FileIO):
    """One of the two streams; after its first failure everything that is still written goes nowhere."""

    def __init__(self, descriptor: int, named: str) -> None:
        """Take a descriptor that stays open, and what errors call it; without a name they are not raised."""
        super().__init__(descriptor, "w", closefd=False)
        self._named = named

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, and raise `OSError` under the name of the stream if it cannot be written for lack of space."""
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if self._named and not isinstance(error, BrokenPipeError):
                raise OSError(error.errno, error.strerror, self._named) from error
            return memoryview(data).nbytes


def guard_standard_streams() -> None:
    """Let the process's own streams outlive their readers; streams that somebody put in their place are left alone."""
    codecs.register_error(_WRITE_LIKENESS, _write_likeness)
    for name, own, called in (("stdout", sys.__stdout__, STANDARD_OUTPUT), ("stderr", sys.__stderr__, "")):
        if own is None or getattr(sys, name) is not own:
            continue
        if own.encoding.lower().replace("-", "") != "utf8":
            own.reconfigure(errors=_WRITE_LIKENESS)
        if not own.isatty():
            raw = io.BufferedWriter(_StandardStream(own.fileno(), called))
            guarded = io.TextIOWrapper(raw, own.encoding, own.errors, line_buffering=own.line_buffering)
            setattr(sys, name, guarded)


def _write_likeness(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_LIKENESS.get(character, "?") for character in lacking), error.end
