"""Courts for tests that want nothing special: one of three samples with somebody of every role, and the demo."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from litestar.testing import TestClient

from making_courts import open_bar
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.demo import make_demo, make_links
from venire.server.people.person import Role

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
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
