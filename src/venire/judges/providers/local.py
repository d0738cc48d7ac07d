"""A judge on this machine: llama.cpp's own server in a child process, started at the first question."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from venire.errors import ConfigError
from venire.judges.local_models import find_model
from venire.judges.local_server import ServerSettings
from venire.judges.options import read_options
from venire.judges.provider import Provider, Reply, Request
from venire.judges.registry import create_provider
from venire.words.said import say

STOP_SECONDS = 5.0
"""How long the child may take to end by itself."""


class LocalOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a local judge is configured with."""

    model: str
    """The name of a fetched model, or a GGUF file."""
    models_directory: str | None = None
    """Where fetched models are; None for the user's cache."""
    context_tokens: int = 8192
    """How many tokens a prompt and its reply may have together."""
    parallel: int = 1
    """How many requests are decoded at once; each needs memory for its own context."""
    threads: int | None = None
    """How many threads decode; None leaves it to llama.cpp."""
    start_timeout_seconds: float = 120.0
    """How long loading the model may take."""
    timeout_seconds: float = 600.0
    """How long one answer may take."""
    max_reply_bytes: int = 4 * 1024 * 1024
    """How many bytes of an answer are read; the rest is cut off."""


def create(options: Mapping[str, Any]) -> LocalProvider:
    """Make the judge; raises `ConfigError` if the runtime or the model is missing, with the command that helps."""
    read = read_options(options, LocalOptions, "local")
    if find_spec("xllamacpp") is None:
        raise ConfigError("error.judge.no_llama")
    directory = Path(read.models_directory) if read.models_directory else None
    return LocalProvider(read, find_model(read.model, directory))


class LocalProvider:
    """Starts the server when it is first needed, again if it has died, and stops it on close."""

    def __init__(self, options: LocalOptions, path: Path) -> None:
        self._options = options
        # The name, not the path: where a user keeps files is nobody's business in a ledger.
        self._settings = ServerSettings(str(path), path.stem, options.context_tokens, options.parallel, options.threads)
        self._child: asyncio.subprocess.Process | None = None
        self._client: Provider | None = None
        self._starting = asyncio.Lock()

    @property
    def process_id(self) -> int | None:
        """The process that serves the model; None while there is none."""
        return self._child.pid if self._child else None

    async def ask(self, request: Request) -> Reply:
        """Ask once, with decoding constrained to the request's schema."""
        async with self._starting:
            # A cancelled start leaves a child without a client.
            if self._client is None or self._child is None or self._child.returncode is not None:
                await self.close()
                if failure := await self._start():
                    return Reply(None, error=failure, error_kind="connection")
            client = self._client
        assert client is not None
        return await client.ask(request)

    async def close(self) -> None:
        """Stop the server and wait until its process is gone."""
        client, self._client = self._client, None
        child, self._child = self._child, None
        if client is not None:
            await client.close()
        if child is not None:
            await _stop(child)

    async def _start(self) -> str | None:
        """Start the server and return None, or say why it did not come up."""
        with tempfile.TemporaryFile() as log:
            child = self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "venire.judges.local_server",
                msgspec.json.encode(self._settings).decode(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # Without it idle OpenMP threads spin and take the processor from everyone else.
                env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            )
            address = await _read_address(child, self._options.start_timeout_seconds)
            if address is None:
                await self.close()
                return say("error.judge.not_served", model=self._settings.alias, reason=_complaint(log))
        self._client = create_provider(
            "openai_compatible",
            {
                "base_url": f"{address}/v1",
                "structured": "schema",
                "timeout_seconds": self._options.timeout_seconds,
                "max_reply_bytes": self._options.max_reply_bytes,
            },
        )
        return None


async def _read_address(child: asyncio.subprocess.Process, timeout_seconds: float) -> str | None:
    """Return the address that the child prints; None if it ends or takes too long."""
    assert child.stdout is not None
    try:
        async with asyncio.timeout(timeout_seconds):
            # llama.cpp may print lines of its own before.
            while line := await child.stdout.readline():
                if line.startswith(b"http://127.0.0.1:"):
                    return line.decode().strip()
    except TimeoutError:
        pass
    return None


async def _stop(child: asyncio.subprocess.Process) -> None:
    if child.stdin is not None:
        child.stdin.close()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()


def _complaint(log: Any) -> str:
    """Return the last line of a log that speaks of a failure, without what a crash prints after it."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    telling = [line.strip() for line in lines if re.search("error|fail|invalid", line, re.IGNORECASE)]
    return telling[-1][:200] if telling else say("error.judge.not_up")
