from __future__ import annotations

import pytest

from postgres_server import READER, WRITER
from venire.errors import LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Head, Kind, format_time, utc_now
from venire.ledger.hashing import link_all
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.postgres.schema import latest_version, migrations, set_up
from venire.ledger.store import load_script

DESCRIPTION = """
    SELECT 'column', attrelid::regclass::text, attnum, attname, format_type(atttypid, atttypmod), attnotnull::text,
        attcollation::regcollation::text, attstorage::text || attcompression::text, pg_get_expr(adbin, adrelid)
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'venire'::regnamespace) AND NOT attisdropped
    UNION ALL
    SELECT 'relation', relname, 0, relkind::text, pg_get_indexdef(oid), relacl::text, reloptions::text, '', ''
    FROM pg_class WHERE relnamespace = 'venire'::regnamespace
    UNION ALL
    SELECT 'constraint', conname, 0, pg_get_constraintdef(oid), '', '', '', '', ''
    FROM pg_constraint WHERE connamespace = 'venire'::regnamespace
    UNION ALL
    SELECT 'trigger', tgname, 0, pg_get_triggerdef(oid), tgenabled::text, '', '', '', ''
    FROM pg_trigger WHERE tgrelid = 'venire.entry'::regclass
    UNION ALL
    SELECT 'function', proname, 0, pg_get_functiondef(oid), proacl::text, '', '', '', ''
    FROM pg_proc WHERE pronamespace = 'venire'::regnamespace
    UNION ALL
    SELECT 'version', '', version, '', '', '', '', '', '' FROM venire.schema_version
    ORDER BY 1, 2, 3
"""


@pytest.fixture
def database(postgres):
    return postgres.new_database()


def describe(postgres, database):
    with postgres.connect(database) as connection:
        return connection.execute(DESCRIPTION).fetchall()


def make_old(postgres, database, version):
    """Bring a database to where an older Venire left it."""
    with postgres.connect(database) as connection:
        for number in range(1, version + 1):
            connection.execute(load_script(f"postgres/migrations/{migrations()[number]}"))
            connection.execute("INSERT INTO venire.schema_version (version) VALUES (%s)", [number])


def test_migrations_are_numbered_from_one_without_gaps():
    assert list(migrations()) == list(range(1, latest_version() + 1))


@pytest.mark.parametrize("version", range(1, latest_version()))
def test_the_schema_and_the_migrations_end_alike(postgres, database, version):
    set_up(postgres.url(database), writers=[WRITER])
    old = postgres.new_database()
    make_old(postgres, old, version)
    done = set_up(postgres.url(old), writers=[WRITER])
    assert (done.found_version, done.version) == (version, latest_version())
    described = describe(postgres, database)
    assert described == describe(postgres, old)
    assert any(row[3] == "blob" and row[7] == "xl" for row in described), "Debian's server packs with LZ4"
    assert {row[0] for row in described} == {"column", "relation", "constraint", "trigger", "function", "version"}


@pytest.mark.parametrize("version", range(1, latest_version()))
def test_an_older_schema_says_what_to_run_and_its_entries_are_kept(postgres, database, version):
    make_old(postgres, database, version)
    entries = list(link_all([Draft(Kind.VOTE, n) for n in range(3)], Head(), format_time(utc_now())))
    with postgres.connect(database) as connection:
        for each in entries:
            connection.execute(
                "INSERT INTO venire.entry VALUES (%s, %s, '', %s, %s, %s, %s, '')",
                [each.sequence, each.kind.value, each.recorded_at, each.previous_hash, each.hash, each.payload],
            )
    with pytest.raises(LedgerError, match=rf"older version {version}\n.*`venire ledger init URL`"):
        PostgresLedger(postgres.url(database))
    set_up(postgres.url(database))
    ledger = PostgresLedger(postgres.url(database))
    assert list(ledger.read()) == entries
    assert ledger.append([Draft(Kind.VOTE, 3)]).sequence == 4
    assert audit_chain(ledger).intact
    ledger.close()


@pytest.mark.parametrize("use", [PostgresLedger, set_up])
def test_a_newer_schema_says_to_upgrade(postgres, database, use):
    set_up(postgres.url(database))
    with postgres.connect(database) as connection:
        connection.execute("INSERT INTO venire.schema_version (version) VALUES (99)")
    with pytest.raises(LedgerError, match=r"newer version 99\n.*pip install --upgrade"):
        use(postgres.url(database))


def test_a_database_without_a_ledger_says_what_to_run(postgres, database):
    with pytest.raises(LedgerError, match=r"holds no ledger\n.*venire ledger init URL"):
        PostgresLedger(postgres.url(database, WRITER))


def test_setting_up_again_changes_nothing(postgres, database):
    assert set_up(postgres.url(database), writers=[WRITER]).found_version == 0
    before = describe(postgres, database)
    ledger = PostgresLedger(postgres.url(database, WRITER))
    head = ledger.append([Draft(Kind.VOTE, 1)])
    assert set_up(postgres.url(database), writers=[WRITER]).found_version == latest_version()
    assert describe(postgres, database) == before
    assert ledger.head() == head
    ledger.close()


def test_a_writer_can_be_made_a_reader(postgres, database):
    set_up(postgres.url(database), writers=[WRITER])
    set_up(postgres.url(database), readers=[WRITER])
    with pytest.raises(LedgerError, match="not append"):
        PostgresLedger(postgres.url(database, WRITER))


def test_a_missing_role_keeps_the_whole_set_up_out(postgres, database):
    with pytest.raises(LedgerError, match=r"no role 'absent'\n.*createuser"):
        set_up(postgres.url(database), writers=[WRITER, "absent"])
    with pytest.raises(LedgerError, match="holds no ledger"):
        PostgresLedger(postgres.url(database))


def test_a_role_that_could_change_entries_anyway_is_refused(postgres, database):
    with pytest.raises(LedgerError, match=r"owns the ledger or is a superuser(.|\n)*another role"):
        set_up(postgres.url(database), writers=["owner"])


def test_only_who_may_create_schemas_can_set_up(postgres, database):
    with pytest.raises(LedgerError, match="may not do it"):
        set_up(postgres.url(database, READER))


def test_a_database_of_another_encoding_is_refused(postgres):
    with postgres.connect("postgres") as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(LedgerError, match=r"UTF8, found LATIN1\n.*createdb"):
        set_up(postgres.url("latin"))
