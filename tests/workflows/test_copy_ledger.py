from __future__ import annotations

import pytest

from postgres_server import WRITER
from venire.errors import LedgerError, TamperedError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.workflows.copy_ledger import copy_ledger


@pytest.fixture
def source(tmp_path):
    ledger = SqliteLedger(tmp_path / "source.db")
    ledger.append([Draft(Kind.REPLY, {"n": number}, f"é\x00-{number}", b"\xff\x00" * number) for number in range(40)])
    ledger.append([Draft(Kind.VOTE, number) for number in range(3_000)])
    yield ledger
    ledger.close()


@pytest.fixture
def shared(postgres):
    ledger = PostgresLedger(postgres.url(postgres.new_ledger(), WRITER))
    yield ledger
    ledger.close()


def test_a_ledger_goes_to_postgresql_and_back_entry_by_entry_as_it_is(source, shared, tmp_path):
    back = SqliteLedger(tmp_path / "back.db")
    assert copy_ledger(source, shared).head == source.head()
    done = copy_ledger(shared, back)
    assert (done.copied, done.head) == (3_040, source.head())
    assert list(source.read()) == list(shared.read()) == list(back.read())
    assert audit_chain(back).intact
    back.close()


def test_a_copy_that_was_interrupted_goes_on_where_it_stopped(source, shared):
    shared.adopt([entry for entry in source.read() if entry.sequence <= 2_500])
    assert copy_ledger(source, shared).copied == 540
    assert copy_ledger(source, shared).copied == 0
    source.append([Draft(Kind.VOTE, "later")])
    assert copy_ledger(source, shared).copied == 1
    assert shared.head() == source.head()


def test_progress_is_told_up_to_the_end(source):
    told = []
    copy_ledger(source, MemoryLedger(), lambda number, goal: told.append((number, goal)))
    assert told == [(2_000, 3_040), (3_040, 3_040)]


def test_an_empty_ledger_can_be_copied(shared):
    assert copy_ledger(MemoryLedger(), shared).head == Head()


def test_another_ledger_is_not_overwritten_or_joined(source, shared):
    head = shared.append([Draft(Kind.VOTE, "own")])
    with pytest.raises(LedgerError, match=r"another ledger: its entry 1 (.|\n)*empty ledger"):
        copy_ledger(source, shared)
    assert shared.head() == head


def test_a_target_with_more_entries_is_refused(source, shared):
    copy_ledger(source, shared)
    shared.append([Draft(Kind.VOTE, "own")])
    with pytest.raises(LedgerError, match="3041 entries, more than the source's 3040"):
        copy_ledger(source, shared)


def test_damage_in_the_source_is_named_and_not_copied(postgres, shared):
    shared.append([Draft(Kind.VOTE, number) for number in range(5)])
    database = shared.where.rpartition("/")[2]
    with postgres.connect(database) as connection:
        connection.execute("ALTER TABLE venire.entry DISABLE TRIGGER ALL")
        connection.execute("UPDATE venire.entry SET payload = '9' WHERE sequence = 4")
    target = MemoryLedger()
    with pytest.raises(TamperedError, match="entry 4: hash"):
        copy_ledger(shared, target)
    assert target.head() == Head()


def test_a_source_that_lost_entries_at_its_end_is_noticed(source):
    class Shortened(MemoryLedger):
        def head(self):
            return Head(4, "f" * 64)

    short = Shortened()
    short.append([Draft(Kind.VOTE, 1)])
    with pytest.raises(LedgerError, match="expected the copy to end with entry 4"):
        copy_ledger(short, MemoryLedger())
