"""What is done with input that cannot be read: raised at once, or told to the caller so that reading can go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from venire.errors import InputError, os_reason

OnProblem: TypeAlias = Callable[[InputError], None] | None
"""Takes each problem and lets reading go on past it; None raises the first problem instead."""


def tell(problem: InputError, on_problem: OnProblem) -> None:
    """Hand a problem to the caller, or raise it if the caller does not take problems."""
    if on_problem is None:
        raise problem
    on_problem(problem)


def unreadable(error: OSError, where: str) -> InputError:
    """Say why the operating system does not let a file or folder be read, and what to do."""
    if isinstance(error, FileNotFoundError):
        return InputError("error.folder.missing", where=where)
    if isinstance(error, PermissionError):
        return InputError("error.folder.forbidden", where=where)
    if isinstance(error, IsADirectoryError):
        return InputError("error.folder.not_file", where=where)
    reason = os_reason(error)
    return InputError("error.folder.unreadable", where=where, reason=reason)
