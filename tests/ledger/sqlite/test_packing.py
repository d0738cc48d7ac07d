"""Long payloads are packed in the file and nowhere else, and damage to a packed one is noticed."""

import apsw
import pytest

from venire.ledger.entry import Draft, Kind
from venire.ledger.hashing import Damage, verify_chain
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.ledger.sqlite.packing import LONG, packed, unpacked

PAYLOAD = {"text": "one reply of a judge " * 200}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path)
    ledger.append([Draft(Kind.REPLY, PAYLOAD, "long"), Draft(Kind.REPLY, {"text": "short"}, "short")])
    ledger.close()
    return path


def stored(path, statement="SELECT payload FROM entry ORDER BY sequence", *bindings):
    connection = apsw.Connection(str(path))
    try:
        return [row[0] for row in connection.execute(statement, bindings)]
    finally:
        connection.close()


def read(path):
    ledger = SqliteLedger(path, read_only=True)
    try:
        return list(ledger.read())
    finally:
        ledger.close()


def test_a_long_payload_takes_less_room_and_is_read_as_it_was(path):
    long, short = stored(path)
    assert len(long) < LONG / 4
    assert short == b'{"text":"short"}'
    first, second = read(path)
    assert (first.content, second.content) == (PAYLOAD, {"text": "short"})
    assert verify_chain([first, second]).first_broken is None


@pytest.mark.parametrize("change", [lambda data: data + b" ", lambda data: data[:-1], lambda data: b"x" + data[2:]])
def test_a_packed_payload_that_was_damaged_does_not_give_its_hash(path, change):
    (long, _) = stored(path)
    stored(path, "DROP TRIGGER entry_is_never_updated")
    stored(path, "UPDATE entry SET payload = ? WHERE sequence = 1", change(long))
    broken = verify_chain(read(path)).first_broken
    assert (broken.sequence, broken.damage) == (1, Damage.HASH)


def test_what_would_fill_the_memory_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("venire.ledger.sqlite.packing.MOST_UNPACKED", 1000)
    stored = packed(b"1" * 5000, Kind.REPLY)
    assert unpacked(stored) == stored


@pytest.mark.parametrize("kind", [Kind.SAMPLE, Kind.REPLY])
def test_a_sample_is_packed_only_where_it_is_longer_than_other_payloads_need_be(kind):
    payload = b"1" * 3999
    assert (packed(payload, kind) == payload) == (kind is Kind.SAMPLE)
    assert len(packed(payload + b"1", kind)) < 100
