"""The child process that parses PDFs, kept warm between files and replaced when one of them takes it down."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec

from venire.inputs.documents.pdf_child import PdfAnswer, PdfLimits, PdfRequest
from venire.words.said import say

_PIPE_BYTES = 1 << 20
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""What a Python may need to start; nothing else of the environment, such as keys, reaches the child."""
_ALLOCATOR = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "67108864",
    "MALLOC_TOP_PAD_": "8388608",
    "MALLOC_TRIM_THRESHOLD_": "67108864",
}
"""Lets glibc keep the memory of one file for the next, which saves a tenth of the processor time (mallopt(3))."""
_NO_MEMORY_FOR_THREAD = 127
"""How glibc's loader ends a process that has no memory left for the data of a thread."""


class PdfReader:
    """Parses PDFs in a child process, one after another; may be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, data: bytes, limits: PdfLimits) -> PdfAnswer:
        """Return the text of a PDF, or the problem with it; a file that takes the child down is such a problem."""
        request = msgspec.msgpack.encode(PdfRequest(data, limits))
        with self._lock:
            child = self._running_child()
            # The child counts its own processor time. This is for one that waits without using any, or is starved.
            deadline = time.monotonic() + 10 * limits.seconds + 60
            try:
                _send(child, len(request).to_bytes(8) + request, deadline)
                answer = _receive(child, 16 * limits.characters + _PIPE_BYTES, deadline)
            except TimeoutError:
                self._drop()
                return PdfAnswer(problem="error.pdf.waited", values={"seconds": 10 * limits.seconds + 60})
            except (OSError, EOFError, ValueError):
                return _describe_end(self._drop(), limits)
            except BaseException:
                self._drop()  # an answer that nobody waits for must not be taken for that of the next file
                raise
            if answer.is_last:
                self._drop()
            return answer

    @property
    def child_id(self) -> int | None:
        """The process id of the child; None if there is none now."""
        return self._child.pid if self._child else None

    def close(self) -> None:
        """End the child; the next file starts another."""
        with self._lock:
            self._drop()

    def forget(self) -> None:
        """Leave the child to the process that this one was forked from."""
        if self._child:
            self._child.returncode = 0  # not ours to wait for
            _close_pipes(self._child)
        self._lock = threading.Lock()
        self._child = None

    def _running_child(self) -> subprocess.Popen[bytes]:
        if self._child and self._child.poll() is not None:
            self._drop()
        if self._child is None:
            self._child = _start()
        return self._child

    def _drop(self) -> int:
        """End the child and return how it ended: an exit code, or the negative number of a signal."""
        child, self._child = self._child, None
        if child is None:
            return 0
        _close_pipes(child)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(timeout=0.2)  # it has ended already, or does so now that its input is closed
        child.kill()
        return child.wait()


def _start() -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(str(Path(entry or ".").absolute()) for entry in sys.path)
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    child = subprocess.Popen(
        [sys.executable, "-P", "-S", "-m", "venire.inputs.documents.pdf_child"],  # -S: the paths are told
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd="/",
        env={**kept, **_ALLOCATOR, "PYTHONPATH": paths},
        close_fds=True,  # no lock, database or socket of this process reaches the child
    )
    for pipe in (child.stdin, child.stdout):
        if pipe:
            os.set_blocking(pipe.fileno(), False)
            _widen(pipe.fileno())
    return child


def _widen(descriptor: int) -> None:
    """Let a whole file pass at once, where the system allows it."""
    import fcntl

    set_size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if set_size is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, set_size, _PIPE_BYTES)


def _close_pipes(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def _send(child: subprocess.Popen[bytes], message: bytes, deadline: float) -> None:
    if child.stdin is None:
        raise EOFError
    descriptor, rest = child.stdin.fileno(), memoryview(message)
    while rest:
        _wait(descriptor, select.POLLOUT, deadline)
        rest = rest[os.write(descriptor, rest) :]


def _receive(child: subprocess.Popen[bytes], most: int, deadline: float) -> PdfAnswer:
    if child.stdout is None:
        raise EOFError
    descriptor = child.stdout.fileno()
    length = int.from_bytes(_receive_bytes(descriptor, 8, deadline))
    if length > most:
        raise ValueError("an answer that is longer than any can be")
    return msgspec.msgpack.decode(_receive_bytes(descriptor, length, deadline), type=PdfAnswer)


def _receive_bytes(descriptor: int, length: int, deadline: float) -> bytes:
    received = bytearray()
    while len(received) < length:
        _wait(descriptor, select.POLLIN, deadline)
        piece = os.read(descriptor, min(length - len(received), _PIPE_BYTES))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)


def _wait(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise TimeoutError


def _describe_end(code: int, limits: PdfLimits) -> PdfAnswer:
    """Say what is known about why the child ended in the middle of a file."""
    how = say("problem.exit_code", number=code) if code >= 0 else signal.Signals(-code).name
    if code == -signal.SIGXCPU:
        return PdfAnswer(problem="error.pdf.seconds", values={"most": limits.seconds})
    if code in (-signal.SIGABRT, _NO_MEMORY_FOR_THREAD):
        return PdfAnswer(problem="error.pdf.gave_up", values={"how": how, "most": limits.memory_mib})
    if code == -signal.SIGKILL:
        return PdfAnswer(problem="error.pdf.killed")
    return PdfAnswer(problem="error.pdf.crashed", values={"how": how})


PDF_READER = PdfReader()
"""The reader of this process; its child starts with the first PDF."""
atexit.register(PDF_READER.close)
os.register_at_fork(after_in_child=PDF_READER.forget)
