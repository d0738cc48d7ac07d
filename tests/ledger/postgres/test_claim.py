"""Claims in PostgreSQL: they outlive lost connections and restarts of the server, and end with their holder."""

from __future__ import annotations

import os
import platform
import socket
from contextlib import suppress
from queue import SimpleQueue
from threading import Semaphore, Thread

import pytest

from claim_holders import taking_over, wait_for_claims
from postgres_server import READER, WRITER, PostgresServer
from venire.ledger.postgres.ledger import PostgresLedger

NAME, OTHER, THIRD = "a1" * 32, "0b" * 32, "ff" * 32
PATIENCE = 300


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
    with first.claims(never) as mine, second.claims(never) as others:
        assert mine.take([NAME, OTHER]) == {}
        told = others.take([OTHER, THIRD])
        assert set(told) == {OTHER}
        assert f"process {os.getpid()} on {platform.node()[:20]}" in told[OTHER]
        assert ", since 20" in told[OTHER]
        mine.let_go([OTHER])
        assert mine.take([THIRD]).keys() == {THIRD}  # What was given back goes with it.
        assert others.take([OTHER]) == {}
    with second.claims(never) as mine:
        assert mine.take([NAME, OTHER, THIRD]) == {}
    first.close()
    second.close()


def test_what_was_given_back_is_free_soon_though_nothing_more_is_taken(postgres):
    database = postgres.new_ledger()
    ledger = PostgresLedger(postgres.url(database, WRITER))
    with ledger.claims(never) as claims:
        claims.take([NAME, OTHER])
        wait_for_claims(postgres, database, 2)
        claims.let_go([NAME])
        wait_for_claims(postgres, database, 1)
    ledger.close()


def test_a_holder_of_another_role_is_named_too(postgres):
    database = postgres.new_ledger()
    first, second = (PostgresLedger(postgres.url(database, role), read_only=True) for role in (WRITER, READER))
    with first.claims(never) as mine, second.claims(never) as others:
        mine.take([NAME])
        assert f"process {os.getpid()} on " in others.take([NAME])[NAME]
    first.close()
    second.close()


def test_claims_in_another_database_are_others(postgres):
    first, _ = pair = open_two(postgres)
    database = postgres.new_ledger()
    elsewhere = PostgresLedger(postgres.url(database, WRITER))
    with first.claims(never) as here, elsewhere.claims(never) as there:
        assert here.take([NAME]) == there.take([NAME]) == {}
        assert len(set(wait_for_claims(postgres, database, 2))) == 2
    for ledger in (*pair, elsewhere):
        ledger.close()


def test_a_lost_connection_does_not_lose_the_claims(postgres):
    database = postgres.new_ledger()
    first, second = (PostgresLedger(postgres.url(database, WRITER)) for _ in range(2))
    with first.claims(never) as mine, second.claims(never) as others:
        mine.take([NAME, OTHER, THIRD])
        mine.let_go([THIRD])
        before = wait_for_claims(postgres, database, 2)
        with postgres.connect(database) as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", [before[0]])
        wait_for_claims(postgres, database, 2, but=before)
        assert set(others.take([OTHER, THIRD])) == {OTHER}
    first.close()
    second.close()


def test_the_claims_are_held_again_after_the_server_was_killed_and_restarted(own_server):
    database = own_server.new_ledger()
    first, second = (PostgresLedger(own_server.url(database, WRITER)) for _ in range(2))
    with first.claims(never) as mine, second.claims(never) as others:
        mine.take([NAME])
        own_server.kill()
        own_server.start()
        wait_for_claims(own_server, database, 1)
        assert set(others.take([NAME])) == {NAME}
    first.close()
    second.close()


def test_who_loses_a_claim_to_somebody_else_is_told(postgres):
    database = postgres.new_ledger()
    first = PostgresLedger(postgres.url(database, WRITER))
    told = SimpleQueue()
    with first.claims(told.put) as mine:
        mine.take([NAME, OTHER])
        with taking_over(postgres, database) as rival:
            reason = told.get(timeout=PATIENCE)
            assert reason == (
                "another run took over while the database was unreachable: "
                f"it has the connection {rival} in pg_stat_activity"
            )
            assert wait_for_claims(postgres, database, 1) == [rival]  # It does not keep the others either.
    first.close()


class HalfCutting:
    """Stands before a server, and cuts off clients without the server's knowledge, as a network that fails would."""

    def __init__(self, server_port):
        self._server_port = server_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.pairs = []
        self.looks = Semaphore(0)
        self._threads = []
        self._start(self._accept)

    def cut_off_clients(self):
        """Cut off all clients that there are, and return what the server takes for their connections."""
        cut, self.pairs = self.pairs, []
        for client, _ in cut:
            client.shutdown(socket.SHUT_RDWR)
        return [server for _, server in cut]

    def close(self, ghosts):
        self._listener.shutdown(socket.SHUT_RDWR)
        for each in (self._listener, *ghosts, *(side for pair in self.pairs for side in pair)):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
        self._listener.close()

    def _start(self, target, *arguments):
        self._threads.append(Thread(target=target, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server_port))
                self.pairs.append((client, server))
                self._start(self._pump, client, server)
                self._start(self._pump, server, client)

    def _pump(self, source, target):
        with suppress(OSError), source:
            while data := source.recv(65536):
                if b"pg_locks" in data:
                    self.looks.release()
                target.sendall(data)


def test_a_connection_that_only_the_server_takes_for_alive_is_nobody_else(postgres):
    database = postgres.new_ledger()
    proxy = HalfCutting(postgres.port)
    url = postgres.tcp_url(database).replace(f":{postgres.port}/", f":{proxy.port}/")
    ledger = PostgresLedger(url)
    lost = SimpleQueue()
    ghosts = []
    with ledger.claims(lost.put) as claims:
        claims.take([NAME])
        before = wait_for_claims(postgres, database, 1)
        ghosts = proxy.cut_off_clients()
        for _ in range(2):  # At the second look, the first has found the ghost.
            assert proxy.looks.acquire(timeout=PATIENCE)
        for ghost in ghosts:
            ghost.shutdown(socket.SHUT_RDWR)
        wait_for_claims(postgres, database, 1, but=before)
        assert lost.empty()
    ledger.close()
    proxy.close(ghosts)
