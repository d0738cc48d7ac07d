"""A target that is a program: the request comes as JSON on standard input, the answer goes to standard output."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from venire.judges.options import read_options
from venire.judges.provider import ErrorKind, Reply, Request
from venire.targets.program import told
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHUNK_BYTES = 64 * 1024
_KEPT_COMPLAINT = 2000


class CommandOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a target that is a program is configured with."""

    command: list[str]
    """The program and its arguments."""
    folder: str
    """The folder that it is run in."""
    timeout_seconds: float = 120.0
    """How long it may take; then it is ended, with whatever it has started."""
    max_reply_bytes: int = 4 * 1024 * 1024
    """How much of its answer is read; the rest is cut off."""


def create(options: Mapping[str, Any]) -> CommandProvider:
    """Make the target from configuration; raises `ConfigError` for wrong options."""
    return CommandProvider(read_options(options, CommandOptions, "command"))


class CommandProvider:
    """Runs one program for each request."""

    def __init__(self, options: CommandOptions) -> None:
        self._options = options

    async def ask(self, request: Request) -> Reply:
        """Run the program once; a failure of it is a failure of this output."""
        start = time.perf_counter()
        options = self._options
        try:
            process = await asyncio.create_subprocess_exec(
                *options.command,
                cwd=options.folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # So that what it starts can be ended with it.
            )
        except OSError as error:
            words = say("error.target.not_started", command=options.command[0], reason=error.strerror)
            return _failed(words, "connection", start)
        try:
            async with asyncio.timeout(options.timeout_seconds):
                sending = asyncio.create_task(_send(process, msgspec.json.encode(told(request))))
                complaint = asyncio.create_task(_read(process.stderr, _KEPT_COMPLAINT))
                data, is_cut = await _read(process.stdout, options.max_reply_bytes)
                if is_cut:
                    _end(process)
                await sending
                said, _ = await complaint
                code = await process.wait()
        except TimeoutError:
            return _failed(say("error.target.timeout", seconds=options.timeout_seconds), "timeout", start)
        finally:
            _end(process)
            await process.wait()
        return _reply(data, said, None if is_cut else code, start)

    async def close(self) -> None:
        """Let go of nothing: every program has ended by itself or was ended."""


async def _send(process: asyncio.subprocess.Process, data: bytes) -> None:
    """Hand the request over; a program need not read it."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()


async def _read(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, bool]:
    """Read to the end or up to a limit, and tell whether more would have come."""
    assert stream is not None
    received = bytearray()
    while chunk := await stream.read(_CHUNK_BYTES):
        received += chunk
        if len(received) > most:
            return bytes(received[:most]), True
    return bytes(received), False


def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _reply(data: bytes, said: bytes, code: int | None, start: float) -> Reply:
    latency = time.perf_counter() - start
    if code:
        complaint = said.decode("utf-8", "replace").strip().splitlines()
        words = say("error.target.exit_code", code=code, complaint=complaint[-1][:300] if complaint else "")
        return Reply(None, body=data, status=abs(code), error=words, error_kind="server", latency_seconds=latency)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if code is not None or error.start < len(data) - 4:  # Where we cut, a character may be cut too.
            words = say("error.target.not_utf8", offset=error.start)
            return Reply(None, body=data, error=words, error_kind="bad_request", latency_seconds=latency)
        text = data[: error.start].decode("utf-8")
    text = text.removesuffix("\n").removesuffix("\r")
    return Reply(text, body=data, finish_reason="cut" if code is None else None, latency_seconds=latency)


def _failed(words: str, kind: ErrorKind, start: float) -> Reply:
    return Reply(None, error=words, error_kind=kind, latency_seconds=time.perf_counter() - start)
