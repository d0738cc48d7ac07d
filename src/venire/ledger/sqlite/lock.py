"""One writer at a time: a lock file beside the ledger, held by the operating system for as long as the writer lives."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from venire.errors import LedgerBusyError, LedgerError, os_reason
from venire.words.said import Said, say

if TYPE_CHECKING:
    from pathlib import Path

_POLL_SECONDS = 0.05


class WriterLock:
    """The right to write to a ledger file. It ends with `release` or with the process, however that ends.

    Raises `LedgerBusyError` if another process holds it for longer than `wait_seconds`, naming that process, and
    `LedgerError` if it is this one, which would wait for itself.
    """

    def __init__(self, ledger: Path, wait_seconds: float = 0.0) -> None:
        self._path = ledger.with_name(ledger.name + ".lock")
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LedgerError("error.ledger.cannot_write", where=str(ledger), reason=os_reason(error)) from error
        try:
            self._acquire(ledger, wait_seconds)
        except BaseException:
            os.close(self._descriptor)
            raise
        os.ftruncate(self._descriptor, 0)
        with suppress(OSError):  # On a full disk others learn only that the ledger is in use, not by whom.
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let another writer in. The file stays: removing it would let two writers lock two different files."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def _acquire(self, ledger: Path, wait_seconds: float) -> None:
        deadline = time.monotonic() + wait_seconds
        while not self._try_lock():
            if time.monotonic() >= deadline:
                holder = self._holder()
                kind = LedgerError if holder.code == "error.ledger.this_process" else LedgerBusyError
                raise kind("error.ledger.in_use", where=str(ledger), holder=holder)
            time.sleep(_POLL_SECONDS)

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
                return False
            raise LedgerError("error.ledger.no_locks", where=str(self._path), reason=os_reason(error)) from error
        return True

    def _holder(self) -> Said:
        pid = os.pread(self._descriptor, 32, 0).strip().decode("ascii", "replace")
        if not pid:
            return say("error.ledger.another_process")
        is_ours = pid == str(os.getpid())
        return say("error.ledger.this_process") if is_ours else say("error.ledger.process", pid=pid)
