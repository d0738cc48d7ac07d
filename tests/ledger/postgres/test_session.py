"""Many processes append at once, connections are cut and the server is killed: one whole chain, nothing twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from cutting_proxy import Cut, CuttingProxy
from postgres_server import WRITER, PostgresServer
from venire.errors import LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.hashing import link_all
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.postgres.session import first_line

PROGRAM = Path(__file__).with_name("postgres_writer.py")


class WriterProcess:
    """A process that appends, and what it was told is durable."""

    def __init__(self, url, name, *times):
        command = [sys.executable, str(PROGRAM), url, name, *map(str, times)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.acknowledged: list[str] = []

    def wait_for(self, more):
        for _ in range(more):
            line = self.process.stdout.readline()
            assert line, "the writer has ended"
            self.acknowledged.append(line.strip())

    def end(self):
        self.process.kill()
        self.acknowledged += [line.strip() for line in self.process.stdout if line.endswith("\n")]
        self.process.stdout.close()
        self.process.wait()


@pytest.fixture
def own_server():
    server = PostgresServer()
    yield server
    server.remove()


def test_eight_processes_make_one_whole_chain_without_repeats(postgres):
    url = postgres.url(postgres.new_ledger(), WRITER)
    writers = [WriterProcess(url, f"writer{name}", 25) for name in range(8)]
    for writer in writers:
        writer.wait_for(25)
        assert writer.process.wait(60) == 0
        writer.end()
    ledger = PostgresLedger(url, read_only=True)
    assert audit_chain(ledger).intact
    assert ledger.head().sequence == 8 * 25 * 2 + 25
    found = Counter((entry.kind, entry.key) for entry in ledger.read())
    assert set(found.values()) == {1}
    for writer in writers:
        own = [entry.key for entry in ledger.read(kinds={Kind.REPLY}) if entry.key in set(writer.acknowledged)]
        assert own == writer.acknowledged
    ledger.close()


def test_writers_wait_for_a_killed_server_and_nothing_acknowledged_is_lost_or_stored_twice(own_server):
    url = own_server.url(own_server.new_ledger(), WRITER)
    writers = [WriterProcess(url, f"writer{name}") for name in range(4)]
    try:
        for _ in range(3):
            for writer in writers:
                writer.wait_for(8)
            own_server.kill()
            own_server.start()
        ledger = PostgresLedger(url, read_only=True)
        restarted_at = ledger.head().sequence
        for writer in writers:
            writer.wait_for(1)
            while ledger.find(Kind.ATTEMPT, writer.acknowledged[-1]).sequence <= restarted_at:
                writer.wait_for(1)
    finally:
        for writer in writers:
            writer.end()
    report = audit_chain(ledger)
    assert report.intact, report.first_broken
    attempts = Counter(entry.key for entry in ledger.read(kinds={Kind.ATTEMPT}))
    assert set(attempts.values()) == {1}
    acknowledged = {key for writer in writers for key in writer.acknowledged}
    assert acknowledged <= set(attempts)
    # At most the one append of each writer that was under way may be there without having been acknowledged.
    assert len(attempts) <= len(acknowledged) + len(writers)
    ledger.close()


@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("verb", ["append", "adopt"])
def test_what_was_committed_when_the_connection_broke_is_not_appended_twice(postgres, cut, verb):
    proxy = CuttingProxy(postgres.port, cut)
    url = postgres.tcp_url(postgres.new_ledger()).replace(str(postgres.port), str(proxy.port))
    ledger = PostgresLedger(f"{url}?sslmode=disable", patience_seconds=60)
    drafts = [Draft(Kind.VOTE, number) for number in range(3)]
    if verb == "append":
        head = ledger.append(drafts)
    else:
        head = ledger.adopt(list(link_all(drafts, Head(), "2025-01-01T00:00:00.000000Z")))
    assert proxy.cuts == 1
    assert [entry.content for entry in ledger.read()] == [0, 1, 2]
    assert ledger.head() == head
    assert ledger.append(drafts).sequence == 6
    assert audit_chain(ledger).intact
    ledger.close()
    proxy.close()


def test_a_reader_goes_on_where_it_was_when_its_connection_is_ended(postgres):
    database = postgres.new_ledger()
    ledger = PostgresLedger(postgres.url(database, WRITER))
    ledger.append([Draft(Kind.VOTE, number) for number in range(600)])
    reading = ledger.read()
    first = next(reading)
    end_connections(postgres, database)
    assert [first.content, *(entry.content for entry in reading)] == list(range(600))
    assert ledger.append([Draft(Kind.VOTE, 600)]).sequence == 601
    ledger.close()


def test_a_server_that_stays_away_is_reported_when_patience_ends(own_server):
    ledger = PostgresLedger(own_server.url(own_server.new_ledger(), WRITER), patience_seconds=0.1)
    own_server.stop()
    with pytest.raises(LedgerError, match=r"cannot be reached(.|\n)*Check host and port"):
        ledger.append([Draft(Kind.VOTE, 1)])
    own_server.start()
    assert ledger.append([Draft(Kind.VOTE, 1)]).sequence == 1
    ledger.close()


def test_closing_ends_the_waiting_for_a_server(own_server):
    ledger = PostgresLedger(own_server.url(own_server.new_ledger(), WRITER), patience_seconds=600)
    own_server.stop()
    errors: list[str] = []

    def append():
        try:
            ledger.append([Draft(Kind.VOTE, 1)])
        except LedgerError as error:
            errors.append(error.message)

    waiting = Thread(target=append)
    waiting.start()
    ledger.close()
    waiting.join(60)
    own_server.start()
    assert errors == ["the ledger is closed"]


def end_connections(server, database):
    with server.connect("postgres") as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database])


def test_of_many_connections_that_decide_at_once_one_is_first_and_the_others_see_it(postgres):
    url = postgres.url(postgres.new_ledger(), WRITER)
    ledgers = [PostgresLedger(url) for _ in range(6)]

    def claim(number):
        for place in range(10):
            key = f"place-{place}"

            def decide(news, key=key):
                return [] if any(entry.key == key for entry in news) else [Draft(Kind.VOTE, {"by": number}, key)]

            ledgers[number].append_after(0, decide)

    threads = [Thread(target=claim, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entry.key for entry in ledgers[0].read()) == [f"place-{place}" for place in range(10)]
    assert audit_chain(ledgers[0]).intact
    for ledger in ledgers:
        ledger.close()


@pytest.mark.parametrize(
    ("text", "shown"), [("\n  it fell\nDETAIL: far", "it fell"), ("it fell", "it fell"), (" \n", "OperationalError")]
)
def test_an_error_is_told_by_its_first_line_that_says_something(text, shown):
    assert first_line(psycopg.OperationalError(text)) == shown
