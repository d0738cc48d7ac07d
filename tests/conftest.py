"""What tests in several folders share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from ray_cluster import TOKEN

# The same examples on every run, so that a red run can be repeated; VENIRE_EXPLORE=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None, max_examples=500)
settings.load_profile("exploring" if os.environ.get("VENIRE_EXPLORE") else "repeatable")

os.environ.update(TOKEN)  # All Ray clusters of the tests have one: a process keeps the first that it has seen.


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
    from ray_cluster import RayCluster

    cluster = RayCluster()
    yield cluster
    cluster.remove()
