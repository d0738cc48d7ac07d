"""The child process that serves a local model: `python -m venire.judges.local_server SETTINGS`.

It prints its address when the model is loaded and healthy, and lives until its standard input ends, which happens
when the parent closes it or dies in whatever way.
"""

from __future__ import annotations

import os
import sys
import threading
import urllib.request
from importlib import import_module
from typing import Any

import msgspec


class ServerSettings(msgspec.Struct, frozen=True):
    """What the child is told by its parent."""

    path: str
    """The GGUF file."""
    alias: str
    """The name that replies carry instead of the path."""
    context_tokens: int
    """How many tokens a prompt and its reply may have together."""
    parallel: int
    """How many requests are decoded at once."""
    threads: int | None = None
    """How many threads decode; None leaves it to llama.cpp."""


def main() -> None:
    """Serve until standard input ends."""
    settings = msgspec.json.decode(sys.argv[1], type=ServerSettings)
    watcher = threading.Thread(target=_end_with_parent, daemon=True)
    watcher.start()
    server = _serve(settings)
    with urllib.request.urlopen(f"{server.listening_address}/health") as answer:  # noqa: S310 - our own loopback
        answer.read()
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    watcher.join()


def _serve(settings: ServerSettings) -> Any:
    xllamacpp = import_module("xllamacpp")  # An extra without types, loaded only in this process.
    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings.path
    parameters.model_alias = {settings.alias}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = settings.context_tokens * settings.parallel
    parameters.n_parallel = settings.parallel
    parameters.cache_ram_mib = 0  # By default llama.cpp keeps up to 8 GiB of prompts; ours rarely come twice.
    parameters.ui = False
    parameters.verbosity = 1
    if settings.threads is not None:
        parameters.cpuparams.n_threads = settings.threads
    return xllamacpp.Server(parameters)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # llama.cpp's threads would keep a polite exit waiting.


if __name__ == "__main__":
    main()
