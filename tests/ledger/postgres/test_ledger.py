from __future__ import annotations

import psycopg
import pytest

from postgres_server import READER, WRITER
from venire.errors import LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Kind
from venire.ledger.hashing import Damage
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.postgres.schema import set_up
from venire.ledger.postgres.session import QUERIES

VOTES = [Draft(Kind.VOTE, number, f"vote-{number}") for number in range(3)]

CHANGES = {
    "update": "UPDATE venire.entry SET payload = '' WHERE sequence = 2",
    "delete": "DELETE FROM venire.entry WHERE sequence = 3",
    "truncate": "TRUNCATE venire.entry",
}
MISPLACED = {
    "gap": "SELECT sequence + 7, kind, 'x', recorded_at, previous_hash, hash, payload, blob",
    "before the first": "SELECT sequence - 3, kind, 'x', recorded_at, previous_hash, hash, payload, blob",
}


@pytest.fixture
def database(postgres):
    return postgres.new_ledger()


@pytest.fixture
def ledger(postgres, database):
    opened = PostgresLedger(postgres.url(database, WRITER))
    opened.append(VOTES)
    yield opened
    opened.close()


def execute(postgres, database, user, statement):
    with postgres.connect(database, user) as connection:
        return connection.execute(statement)


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("role", [WRITER, READER])
def test_the_roles_of_programs_may_not_change_entries(postgres, database, ledger, role, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        execute(postgres, database, role, statement)
    assert audit_chain(ledger).count == 3


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE venire.entry",
        "ALTER TABLE venire.entry DISABLE TRIGGER ALL",
        "CREATE TABLE venire.other (x int)",
        "DELETE FROM venire.schema_version",
        "INSERT INTO venire.schema_version (version) VALUES (99)",
    ],
)
def test_the_roles_of_programs_may_not_change_the_schema(postgres, database, ledger, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        execute(postgres, database, WRITER, statement)


def test_the_role_of_readers_may_not_append(postgres, database, ledger):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        execute(postgres, database, READER, f"INSERT INTO venire.entry {MISPLACED['gap']} FROM venire.entry")


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES.keys())
def test_the_database_refuses_changes_by_its_owner_too(postgres, database, ledger, statement):
    with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
        execute(postgres, database, "owner", statement)
    with postgres.connect(database) as connection:
        connection.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
            connection.execute(statement)


@pytest.mark.parametrize("rows", MISPLACED.values(), ids=MISPLACED.keys())
def test_the_database_refuses_entries_that_do_not_go_to_the_end(postgres, database, ledger, rows):
    with pytest.raises(psycopg.errors.IntegrityError, match="without gaps"):
        execute(postgres, database, WRITER, f"INSERT INTO venire.entry {rows} FROM venire.entry")


def test_the_database_refuses_a_second_result_for_one_key(postgres, database, ledger):
    ledger.append([Draft(Kind.REPLY, 1, "task")])
    rows = "SELECT 5, kind, key, recorded_at, previous_hash, hash, payload, blob FROM venire.entry WHERE sequence = 4"
    with pytest.raises(psycopg.errors.UniqueViolation):
        execute(postgres, database, WRITER, f"INSERT INTO venire.entry {rows}")


def test_a_commit_is_acknowledged_once_it_is_on_disk_whatever_the_servers_default(postgres, ledger):
    (default,) = execute(postgres, "postgres", "owner", "SHOW synchronous_commit").fetchone()
    assert default == "off"
    assert ledger._writer.run("asking", lambda open_: open_.execute("SHOW synchronous_commit").fetchone()) == ("on",)


def test_keys_may_be_longer_than_an_index_can_hold(ledger):
    long = [f"{'k' * 10_000}{number}" for number in range(3)]
    ledger.append([Draft(Kind.REPLY, key[-1], key) for key in long])
    assert ledger.append([Draft(Kind.REPLY, "again", long[0])]).sequence == 6
    assert ledger.find(Kind.REPLY, long[1]).content == "1"
    assert set(ledger.keys(Kind.REPLY)) == set(long)


@pytest.mark.parametrize(
    ("query", "bindings"),
    [
        ("select_head", {}),
        ("select_hash_at", {"sequence": 2}),
        ("select_stored", {"kinds": ["reply"] * 500, "keys": [b"%d" % number for number in range(500)]}),
        ("select_from", {"first": 3_000, "batch": 256}),
        ("select_kinds_from", {"kinds": ["reply", "vote"], "first": 3_000, "batch": 256}),
        ("select_latest", {"kind": "reply", "key": b"key"}),
        ("select_keys_after", {"kind": "reply", "after": b"x", "batch": 256}),
    ],
)
@pytest.mark.parametrize("analysed", [False, True])
def test_nothing_reads_the_whole_table_whether_it_was_analysed_or_not(
    postgres, database, ledger, query, bindings, analysed
):
    ledger.append([Draft(Kind.REPLY, number, f"key {number}", b"x" * 100) for number in range(5_000)])
    if analysed:
        execute(postgres, database, "owner", "VACUUM ANALYZE venire.entry")
    with postgres.connect(database, WRITER) as connection:
        plan = connection.execute(f"EXPLAIN {QUERIES[query]}", bindings).fetchall()
    shown = "\n".join(line for (line,) in plan)
    assert "Seq Scan" not in shown, shown
    assert "Index" in shown, shown
    assert "Filter" not in shown, shown  # Rows are found by the index, not looked through.


def test_appending_waits_for_a_writer_that_is_at_the_end(postgres, database, ledger):
    with postgres.connect(database, WRITER) as other:
        other.execute("BEGIN")
        other.execute("SELECT pg_advisory_xact_lock(1447973445, 'venire.entry'::regclass::oid::integer)")
        ledger._writer.run("asking", lambda open_: open_.execute("SET lock_timeout = '50ms'"))
        with pytest.raises(LedgerError, match=r"kept the ledger's end locked(.|\n)*pg_stat_activity"):
            ledger.append(VOTES)
        other.execute("ROLLBACK")
    assert ledger.append(VOTES).sequence == 6


def test_a_writer_without_our_lock_makes_appending_fail_clearly(postgres, database, ledger):
    rows = "SELECT 4, kind, 'x', recorded_at, previous_hash, hash, payload, blob FROM venire.entry WHERE sequence = 1"
    with postgres.connect(database, WRITER) as other:
        other.execute("BEGIN")
        other.execute(f"INSERT INTO venire.entry {rows}")
        ledger._writer.run("asking", lambda open_: open_.execute("SET lock_timeout = '50ms'"))
        with pytest.raises(LedgerError, match="locked"):
            ledger.append(VOTES)
        other.execute("ROLLBACK")
    assert ledger.append(VOTES).sequence == 6
    assert audit_chain(ledger).intact


def test_a_reader_role_can_read_but_is_told_that_it_cannot_append(postgres, database, ledger):
    reader = PostgresLedger(postgres.url(database, READER), read_only=True)
    assert reader.head() == ledger.head()
    with pytest.raises(LedgerError, match="reading only"):
        reader.append(VOTES)
    reader.close()
    with pytest.raises(
        LedgerError, match=r"role analyst may read .* not append(.|\n)*ledger init URL --writer analyst"
    ):
        PostgresLedger(postgres.url(database, READER))


def test_a_role_without_rights_is_told_whom_to_ask(postgres):
    database = postgres.new_database()
    set_up(postgres.url(database))
    with pytest.raises(LedgerError, match=r"role app may not read(.|\n)*ledger init URL --writer app"):
        PostgresLedger(postgres.url(database, WRITER))


def test_rights_that_are_taken_away_later_are_reported(postgres, database, ledger):
    execute(postgres, database, "owner", f"REVOKE INSERT ON venire.entry FROM {WRITER}")
    with pytest.raises(LedgerError, match=r"may not do it(.|\n)*ledger init URL --writer"):
        ledger.append(VOTES)


def test_a_server_that_takes_no_changes_is_reported(postgres, database, ledger):
    ledger._writer.run("asking", lambda open_: open_.execute("SET default_transaction_read_only = on"))
    with pytest.raises(LedgerError, match=r"takes no changes(.|\n)*primary"):
        ledger.append(VOTES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"password": "wrong secret"}, r"the server refuses this user(.|\n)*pgpass"),
        ({"user": "nobody"}, r"the server refuses this user(.|\n)*pgpass"),
        ({"database": "absent"}, r"no such database(.|\n)*createdb"),
    ],
    ids=["password", "user", "database"],
)
def test_wrong_credentials_are_told_from_one_another_and_not_shown(postgres, database, change, message):
    url = postgres.tcp_url(**{"database": database, **change})
    with pytest.raises(LedgerError, match=message) as raised:
        PostgresLedger(url)
    assert "secret" not in str(raised.value)
    assert f"@127.0.0.1:{postgres.port}/" in raised.value.where


def test_a_missing_password_is_reported(postgres, database, monkeypatch):
    monkeypatch.setenv("PGPASSFILE", "/dev/null")
    with pytest.raises(LedgerError, match=r"the server refuses this user(.|\n)*PGPASSWORD"):
        PostgresLedger(f"postgresql://{WRITER}@127.0.0.1:{postgres.port}/{database}")


def test_the_right_password_lets_in(postgres, database):
    ledger = PostgresLedger(postgres.tcp_url(database))
    assert ledger.head().sequence >= 0
    ledger.close()


def test_an_unreachable_server_is_reported(postgres):
    with pytest.raises(LedgerError, match=r"postgresql://app@127.0.0.1:1/x: the server cannot be reached(.|\n)*port"):
        PostgresLedger("postgresql://app@127.0.0.1:1/x")


def test_a_damaged_page_is_reported_with_what_stands_before_it(postgres):
    database = postgres.new_ledger()
    ledger = PostgresLedger(postgres.url(database, WRITER))
    ledger.append([Draft(Kind.VOTE, number, blob=b"x" * 1000) for number in range(400)])
    ledger.close()
    (relation,) = execute(postgres, database, "owner", "SELECT pg_relation_filepath('venire.entry')").fetchone()
    postgres.stop()
    path = postgres.folder / "data" / relation
    whole = path.read_bytes()
    half = len(whole) // 2 // 8192 * 8192
    path.write_bytes(whole[:half] + b"\xff" * 8192 + whole[half + 8192 :])
    postgres.start()
    ledger = PostgresLedger(postgres.url(database, WRITER), read_only=True)
    report = audit_chain(ledger)
    ledger.close()
    assert report.first_broken.damage is Damage.UNREADABLE
    assert 100 < report.count < 300
