"""Every way of damaging a ledger is a file beside this one; the audit must name the first broken entry."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from venire.ledger.audit import audit_chain
from venire.ledger.checkpoint import create_key, load_key, sign_checkpoint
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.hashing import Damage, link
from venire.ledger.sqlite import SqliteLedger

CASES = sorted(Path(__file__).parent.glob("*.sql"))
MOMENT = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    """A good ledger of eight entries, whose triggers somebody has dropped."""
    path = tmp_path / "ledger.db"
    ledger = SqliteLedger(path, now=lambda: MOMENT)
    ledger.append([Draft(Kind.VOTE, {"score": number}, f"task-{number}", b"reply %d" % number) for number in range(8)])
    ledger.close()
    tamper(path, "; ".join(f"DROP TRIGGER entry_{name}" for name in ("is_never_updated", "is_never_deleted")))
    tamper(path, "DROP TRIGGER entry_goes_to_the_end")
    return path


@pytest.fixture
def checkpoint(path, tmp_path):
    create_key(tmp_path / "key.pem")
    report = audit(path)
    assert report.intact
    return sign_checkpoint(report.head, report.merkle_root, load_key(tmp_path / "key.pem"), MOMENT)


def tamper(path, sql):
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def audit(path, checkpoints=()):
    ledger = SqliteLedger(path, read_only=True)
    report = audit_chain(ledger, checkpoints)
    ledger.close()
    return report


def expectation(case):
    (line,) = [line for line in case.read_text().splitlines() if line.startswith("-- expect: ")]
    return line.removeprefix("-- expect: ")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_audit_names_the_first_broken_entry(path, case):
    tamper(path, case.read_text())
    broken = audit(path).first_broken
    found = f"{broken.sequence} {broken.damage.value}" if broken else "nothing"
    assert found == expectation(case)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.stem != "appended_without_a_link"], ids=lambda case: case.stem
)
def test_no_damage_agrees_with_an_older_checkpoint(path, checkpoint, case):
    tamper(path, case.read_text())
    report = audit(path, [checkpoint])
    assert not report.checkpoints[0].kept
    assert not report.intact


def test_what_was_appended_later_does_not_touch_an_older_checkpoint(path, checkpoint):
    tamper(path, (Path(__file__).parent / "appended_without_a_link.sql").read_text())
    report = audit(path, [checkpoint])
    assert report.checkpoints[0].kept
    assert not report.intact


def test_a_cut_off_end_is_reported_with_the_entries_that_are_missing(path, checkpoint):
    tamper(path, (Path(__file__).parent / "dropped_tail.sql").read_text())
    (result,) = audit(path, [checkpoint]).checkpoints
    assert result.problem == "expected at least 8 entries, found 4 that can be trusted"


def test_a_tail_written_anew_is_whole_but_contradicts_an_older_checkpoint(path, checkpoint):
    ledger = SqliteLedger(path, read_only=True)
    entries = list(ledger.read())
    ledger.close()
    head = Head(3, entries[2].hash)
    connection = apsw.Connection(str(path))
    for old in entries[3:]:
        payload = {"score": 9} if old.sequence == 4 else old.content
        new = link(Draft(old.kind, payload, old.key, old.blob), head, old.recorded_at)
        connection.execute(
            "UPDATE entry SET payload = ?, previous_hash = ?, hash = ? WHERE sequence = ?",
            (new.payload, new.previous_hash, new.hash, new.sequence),
        )
        head = Head(new.sequence, new.hash)
    connection.close()
    report = audit(path, [checkpoint])
    assert report.first_broken is None
    assert report.checkpoints[0].problem.startswith(f"expected the hash {checkpoint.hash} at entry 8, found ")


def test_a_byte_changed_below_sqlite_is_found(path):
    ledger = SqliteLedger(path, read_only=True)
    before = list(ledger.read())
    ledger.close()
    whole = path.read_bytes()
    text_at = whole.index(b'{"score":5}')
    path.write_bytes(whole[: text_at + 9] + b"8" + whole[text_at + 10 :])
    report = audit(path)
    assert (report.count, report.first_broken.sequence, report.first_broken.damage) == (5, 6, Damage.HASH)
    assert report.head == Head(5, before[4].hash)


def test_a_file_that_lost_its_pages_is_reported_and_not_raised(path):
    ledger = SqliteLedger(path, now=lambda: MOMENT)
    ledger.append([Draft(Kind.VOTE, number, blob=b"x" * 2000) for number in range(200)])
    ledger.close()
    whole = path.read_bytes()
    kept = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:kept] + bytes(len(whole) - kept))
    report = audit(path)
    assert report.first_broken.damage is Damage.UNREADABLE
    assert 8 < report.count < 208
