"""Slow clients cannot hold a server's sockets."""

from __future__ import annotations

import asyncio
import socket
from datetime import UTC, datetime
from threading import Thread

import pytest
import uvicorn
from litestar.testing import TestClient

from making_courts import write_samples
from venire.ledger.location import open_ledger
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.demo import make_demo, make_links
from venire.server.options import ServerOptions
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.server.serve import uvicorn_config

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's court with a client for readers."""
    options = asyncio.run(make_demo(tmp_path_factory.mktemp("demo"), NOW))
    court = Court(options)
    links = {each.role: each.link for each in make_links(court)}
    key = links[Role.READER].partition("#")[2]
    headers = {"host": "127.0.0.1:8600", "authorization": f"Bearer {key}"}
    with TestClient(create_app(options, court)) as http:
        http.headers.update(headers)
        yield court, http, links


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path


def test_requests_that_do_not_arrive_in_time_are_given_up(tmp_path):
    """Half-sent requests must not hold sockets: neither a head without an end nor a body that stops."""
    ledger = str(tmp_path / "ledger.sqlite")
    open_ledger(ledger).close()
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    options = ServerOptions(
        ledger=ledger, registry=tmp_path / "people", port=listening.getsockname()[1], request_seconds=0.5
    )
    court = Court(options)
    key = court.registry.issue(CredentialKind.KEY, Role.READER).secret
    server = uvicorn.Server(uvicorn_config(options, court))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    head = f"POST /api/v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{options.port}\r\nAuthorization: Bearer {key}\r\n"
    halves = ["", "GET /api", head, f"{head}Content-Length: 100\r\n\r\n{{"]
    try:
        slow = [socket.create_connection(("127.0.0.1", options.port), timeout=60) for _ in range(100) for _ in halves]
        for place, each in enumerate(slow):
            each.sendall(halves[place % len(halves)].encode())
        for each in slow:
            while each.recv(4096):  # Until it is closed: a server that waits makes this time out.
                pass
            each.close()
        with socket.create_connection(("127.0.0.1", options.port), timeout=60) as prompt:
            prompt.sendall(f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{options.port}\r\n".encode())
            prompt.sendall(f"Authorization: Bearer {key}\r\n\r\n".encode())
            assert prompt.recv(4096).startswith(b"HTTP/1.1 200")
        assert not server.server_state.connections or len(server.server_state.connections) == 1
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
