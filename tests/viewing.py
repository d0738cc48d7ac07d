"""Views of ledgers for tests, as the one reader has them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litestar.testing import TestClient

from venire.server.viewer.app import OneReader, create_view_app
from venire.server.viewer.room import OutputsRoom
from venire.workflows.outputs.opening import mark_writer, opened_outputs

ADDRESS = "http://127.0.0.1:8777"


@contextmanager
def viewing(path: Path, mark_as: str = "") -> Iterator[tuple[TestClient, OneReader]]:
    """Look at a ledger, before the token was used."""
    reader = OneReader(mark_as)
    with opened_outputs(str(path)) as outputs:
        room = OutputsRoom(lambda: outputs, path.name, mark_writer(str(path)) if mark_as else None)
        with TestClient(create_view_app(room, reader, 8777), base_url=ADDRESS) as client:
            client.headers["accept"] = "text/html"
            yield client, reader
