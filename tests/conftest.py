"""What tests in several folders share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The same examples on every run, so that a red run can be repeated; VENIRE_EXPLORE=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None, max_examples=500)
settings.load_profile("exploring" if os.environ.get("VENIRE_EXPLORE") else "repeatable")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for the whole session; see `PostgresServer`."""
    from postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def shared_cluster():
    """A Ray cluster of two nodes for the whole session, which nobody kills; see `RayCluster`."""
    from ray_cluster import TOKEN, RayCluster

    before = {name: os.environ.get(name) for name in TOKEN}
    os.environ.update(TOKEN)
    cluster = RayCluster()
    yield cluster
    cluster.remove()
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})
