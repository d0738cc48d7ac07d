"""Files that a command was told to write: whole, or as they were before."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from venire.errors import UsageError, os_reason

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a disk that is full, or of a limit on its use."""


def put_file(path: Path, data: bytes) -> None:
    """Write a file and the folders above it; raise `UsageError` if that fails.

    A disk that is full leaves no half of a file behind, and what was there stays as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # A device or a pipe, such as /dev/stdout.
        else:
            _put_whole(path, data)
    except OSError as error:
        raise UsageError("error.cli.not_written", where=str(path), reason=os_reason(error)) from None


def _put_whole(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_bytes(data)
        draft.replace(path.resolve())
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        if error.errno in NO_ROOM or path.is_dir():
            raise
        path.write_bytes(data)  # Some files can be written where nothing can be put beside or in their place.
