"""Views of ledgers for tests, as the one reader has them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from litestar.testing import TestClient

from venire.server.viewer.app import OneReader, create_view_app, listen_on_loopback
from venire.server.viewer.room import OutputsRoom
from venire.workflows.outputs.opening import mark_writer, opened_outputs

ADDRESS = "http://127.0.0.1:8777"


@contextmanager
def viewing(path: Path, mark_as: str = "") -> Iterator[tuple[TestClient, OneReader]]:
    """Look at a source, before the token was used."""
    reader = OneReader(mark_as)
    with opened_outputs(str(path)) as outputs:
        room = OutputsRoom(lambda: outputs, path.name, mark_writer(str(path)) if mark_as else None)
        with TestClient(create_view_app(room, reader, 8777), base_url=ADDRESS) as client:
            client.headers["accept"] = "text/html"
            yield client, reader


@contextmanager
def serving_view(path: Path, mark_as: str = "") -> Iterator[str]:
    """Serve a view on loopback until the end of the block; yields the address with its token."""
    reader, listening = OneReader(mark_as), listen_on_loopback()
    port = listening.getsockname()[1]
    with opened_outputs(str(path)) as outputs:
        room = OutputsRoom(lambda: outputs, path.name, mark_writer(str(path)) if mark_as else None)
        server = uvicorn.Server(
            uvicorn.Config(create_view_app(room, reader, port), loop="asyncio", log_level="warning")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}/open/{reader.token}"
        finally:
            server.should_exit = True
            thread.join(timeout=60)
