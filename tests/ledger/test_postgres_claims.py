"""Claims in PostgreSQL: they outlive lost connections and restarts of the server, and end with their holder."""

from __future__ import annotations

import os
import platform
from queue import SimpleQueue

import pytest

from claim_holders import taking_over, wait_for_claims
from postgres_server import READER, WRITER, PostgresServer
from venire.errors import LedgerError
from venire.ledger.postgres import PostgresLedger

NAME, OTHER, THIRD = "a1" * 32, "0b" * 32, "ff" * 32
PATIENCE = 60


@pytest.fixture
def own_server():
    server = PostgresServer()
    yield server
    server.remove()


def open_two(server):
    url = server.url(server.new_ledger(), WRITER)
    return PostgresLedger(url), PostgresLedger(url)


def never(reason):
    raise AssertionError(reason)


def test_whoever_comes_second_is_told_who_came_first(postgres):
    first, second = open_two(postgres)
    with first.claim([NAME, OTHER], never):
        with pytest.raises(LedgerError, match="already: process") as refused, second.claim([OTHER, THIRD], never):
            pass
        assert f"process {os.getpid()} on {platform.node()[:20]}" in refused.value.message
        assert ", since 20" in refused.value.message
        with second.claim([THIRD], never):
            pass
    with second.claim([NAME, OTHER, THIRD], never):
        pass
    first.close()
    second.close()


def test_a_holder_of_another_role_is_named_too(postgres):
    database = postgres.new_ledger()
    first, second = (PostgresLedger(postgres.url(database, role), read_only=True) for role in (WRITER, READER))
    with (
        first.claim([NAME], never),
        pytest.raises(LedgerError, match=f"process {os.getpid()} on "),
        second.claim([NAME], never),
    ):
        pass
    first.close()
    second.close()


def test_claims_in_another_database_are_others(postgres):
    first, _ = pair = open_two(postgres)
    elsewhere = PostgresLedger(postgres.url(postgres.new_ledger(), WRITER))
    with first.claim([NAME], never), elsewhere.claim([NAME], never):
        pass
    for ledger in (*pair, elsewhere):
        ledger.close()


def test_a_lost_connection_does_not_lose_the_claims(postgres):
    database = postgres.new_ledger()
    first, second = (PostgresLedger(postgres.url(database, WRITER)) for _ in range(2))
    with first.claim([NAME, OTHER], never):
        before = wait_for_claims(postgres, database, 2)
        with postgres.connect(database) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", [before[0]])
        wait_for_claims(postgres, database, 2, but=before)
        with pytest.raises(LedgerError, match="already"), second.claim([OTHER], never):
            pass
    first.close()
    second.close()


def test_the_claims_are_held_again_after_the_server_was_killed_and_restarted(own_server):
    database = own_server.new_ledger()
    first, second = (PostgresLedger(own_server.url(database, WRITER)) for _ in range(2))
    with first.claim([NAME], never):
        own_server.kill()
        own_server.start()
        wait_for_claims(own_server, database, 1)
        with pytest.raises(LedgerError, match="already"), second.claim([NAME], never):
            pass
    first.close()
    second.close()


def test_who_loses_a_claim_to_somebody_else_is_told(postgres):
    database = postgres.new_ledger()
    first = PostgresLedger(postgres.url(database, WRITER))
    told = SimpleQueue()
    with first.claim([NAME, OTHER], told.put), taking_over(postgres, database) as rival:
        reason = told.get(timeout=PATIENCE)
        assert reason == (
            f"another run has taken over while the database was away: it has the connection {rival} in pg_stat_activity"
        )
        assert wait_for_claims(postgres, database, 1) == [rival]  # It does not keep the others either.
    first.close()
