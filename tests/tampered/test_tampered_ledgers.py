"""Every way of damaging a ledger is a file beside this one; the audit must name the first broken entry."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from postgres_server import WRITER
from venire.ledger.audit import audit_chain
from venire.ledger.checkpoint import create_key, load_key, sign_checkpoint
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.hashing import Damage, link
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.sqlite.ledger import SqliteLedger

CASES = sorted(Path(__file__).parent.glob("*.sql"))
MOMENT = datetime(2025, 1, 1, tzinfo=UTC)


DROPPED_TRIGGERS = {
    "sqlite": ("entry_is_never_updated", "entry_is_never_deleted", "entry_goes_to_the_end"),
    "postgres": ("entry_is_never_changed", "entry_goes_to_the_end"),
}


class SqliteStore:
    """A ledger file that somebody can write to."""

    name = "sqlite"

    def __init__(self, folder, server):
        self.path = folder / "ledger.db"

    def open(self, **options):
        return SqliteLedger(self.path, **options)

    def tamper(self, script):
        connection = apsw.Connection(str(self.path))
        connection.execute(script)
        connection.close()

    def drop_trigger(self, name):
        self.tamper(f"DROP TRIGGER {name}")


class PostgresStore:
    """A database whose owner somebody is."""

    name = "postgres"

    def __init__(self, folder, server):
        self._server, self._database = server, server.new_ledger()
        self.tamper("CREATE DOMAIN venire.blob AS bytea")  # What the scripts call bytes.

    def open(self, **options):
        return PostgresLedger(self._server.url(self._database, WRITER), **options)

    def tamper(self, script):
        with self._server.connect(self._database) as connection:
            connection.execute("SET search_path = venire")
            connection.execute(script.replace("CAST(x'ff' AS TEXT)", "decode('ff', 'hex')"))

    def drop_trigger(self, name):
        self.tamper(f"DROP TRIGGER {name} ON entry")


@pytest.fixture(params=[SqliteStore, PostgresStore], ids=lambda store: store.name)
def store(request, tmp_path, postgres):
    return make_store(request.param(tmp_path, postgres))


@pytest.fixture
def path(tmp_path):
    return make_store(SqliteStore(tmp_path, None)).path


def make_store(made):
    """A good ledger of eight entries, whose triggers somebody has dropped."""
    ledger = made.open(now=lambda: MOMENT)
    ledger.append([Draft(Kind.VOTE, {"score": number}, f"task-{number}", b"reply %d" % number) for number in range(8)])
    ledger.close()
    for name in DROPPED_TRIGGERS[made.name]:
        made.drop_trigger(name)
    return made


@pytest.fixture
def checkpoint(store, tmp_path):
    create_key(tmp_path / "key.pem")
    report = audit(store)
    assert report.intact
    return sign_checkpoint(report.head, report.merkle_root, load_key(tmp_path / "key.pem"), MOMENT)


def audit(store, checkpoints=()):
    ledger = store.open(read_only=True)
    report = audit_chain(ledger, checkpoints)
    ledger.close()
    return report


def expectation(case):
    (line,) = [line for line in case.read_text().splitlines() if line.startswith("-- expect: ")]
    return line.removeprefix("-- expect: ")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_audit_names_the_first_broken_entry(store, case):
    store.tamper(case.read_text())
    broken = audit(store).first_broken
    found = f"{broken.sequence} {broken.damage.value}" if broken else "nothing"
    assert found == expectation(case)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.stem != "appended_without_a_link"], ids=lambda case: case.stem
)
def test_no_damage_agrees_with_an_older_checkpoint(store, checkpoint, case):
    store.tamper(case.read_text())
    report = audit(store, [checkpoint])
    assert not report.checkpoints[0].kept
    assert not report.intact


def test_what_was_appended_later_does_not_touch_an_older_checkpoint(store, checkpoint):
    store.tamper((Path(__file__).parent / "appended_without_a_link.sql").read_text())
    report = audit(store, [checkpoint])
    assert report.checkpoints[0].kept
    assert not report.intact


def test_a_cut_off_end_is_reported_with_the_entries_that_are_missing(store, checkpoint):
    store.tamper((Path(__file__).parent / "dropped_tail.sql").read_text())
    (result,) = audit(store, [checkpoint]).checkpoints
    assert result.problem == "expected at least 8 entries, found 4 that can be trusted"


def test_a_tail_written_anew_is_whole_but_contradicts_an_older_checkpoint(store, checkpoint):
    ledger = store.open(read_only=True)
    entries = list(ledger.read())
    ledger.close()
    head = Head(3, entries[2].hash)
    for old in entries[3:]:
        payload = {"score": 9} if old.sequence == 4 else old.content
        new = link(Draft(old.kind, payload, old.key, old.blob), head, old.recorded_at)
        store.tamper(
            f"UPDATE entry SET payload = CAST('{new.payload.decode()}' AS BLOB), previous_hash = '{new.previous_hash}',"
            f" hash = '{new.hash}' WHERE sequence = {new.sequence}"
        )
        head = Head(new.sequence, new.hash)
    report = audit(store, [checkpoint])
    assert report.first_broken is None
    assert report.checkpoints[0].problem.startswith(f"expected the hash {checkpoint.hash} at entry 8, found ")


def test_a_byte_changed_below_sqlite_is_found(path):
    ledger = SqliteLedger(path, read_only=True)
    before = list(ledger.read())
    ledger.close()
    whole = path.read_bytes()
    text_at = whole.index(b'{"score":5}')
    path.write_bytes(whole[: text_at + 9] + b"8" + whole[text_at + 10 :])
    report = audit_chain(SqliteLedger(path, read_only=True))
    assert (report.count, report.first_broken.sequence, report.first_broken.damage) == (5, 6, Damage.HASH)
    assert report.head == Head(5, before[4].hash)


def test_a_file_that_lost_its_pages_is_reported_and_not_raised(path):
    ledger = SqliteLedger(path, now=lambda: MOMENT)
    ledger.append([Draft(Kind.VOTE, number, blob=b"x" * 2000) for number in range(200)])
    ledger.close()
    whole = path.read_bytes()
    kept = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:kept] + bytes(len(whole) - kept))
    report = audit_chain(SqliteLedger(path, read_only=True))
    assert report.first_broken.damage is Damage.UNREADABLE
    assert 8 < report.count < 208
