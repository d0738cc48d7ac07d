"""What tests in several folders share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for the whole session; see `PostgresServer`."""
    from postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.remove()
