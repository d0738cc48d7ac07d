from __future__ import annotations

import hashlib
from itertools import pairwise

import msgspec
import pytest

from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.hashing import Damage, entry_hash, link, link_all, verify_chain

TIME = "2025-01-01T00:00:00.000000Z"


def make_chain(count):
    return list(link_all([Draft(Kind.VOTE, number, f"k{number}", b"raw") for number in range(count)], Head(), TIME))


def test_the_hash_is_what_the_documentation_says():
    entry = link(Draft(Kind.REPLY, {"a": 1}, "schlüssel", b"\xff"), Head(6, "ab" * 32), TIME)
    fields = [
        b"venire:ledger-entry:1",
        b"7",
        b"ab" * 32,
        b"reply",
        "schlüssel".encode(),
        TIME.encode(),
        hashlib.sha256(b'{"a":1}').hexdigest().encode(),
        hashlib.sha256(b"\xff").hexdigest().encode(),
    ]
    hasher = hashlib.sha256()
    for field in fields:
        hasher.update(len(field).to_bytes(8, "big"))
        hasher.update(field)
    assert entry.hash == hasher.hexdigest()


def test_the_hash_of_a_known_entry_never_changes():
    entry = link(Draft(Kind.RUN_OPENED, {"seed": 1}), Head(), TIME)
    assert entry.hash == "82fdf99c7437ce9edf2eb91033fce35954e942f931fd07e995f2e405fe5489a7"


@pytest.mark.parametrize(
    "change",
    [
        {"sequence": 3},
        {"kind": Kind.DECISION},
        {"key": "k"},
        {"payload": b"2"},
        {"blob": b"raw "},
        {"recorded_at": "2025-01-01T00:00:00.000001Z"},
        {"previous_hash": "0" * 63 + "1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_is_covered_by_the_hash(change):
    entry = make_chain(2)[1]
    assert entry_hash(msgspec.structs.replace(entry, **change)) != entry.hash


def test_moving_a_character_from_one_field_to_the_next_changes_the_hash():
    longer = link(Draft(Kind.VOTE, 1, "ab"), Head(), TIME)
    shorter = link(Draft(Kind.VOTE, 1, "a"), Head(), "b" + TIME)
    assert longer.hash != shorter.hash


def test_a_whole_chain_is_reported_with_its_count_and_head():
    chain = make_chain(5)
    report = verify_chain(chain)
    assert (report.count, report.head, report.first_broken) == (5, Head(5, chain[-1].hash), None)


def test_an_empty_chain_is_whole():
    assert verify_chain([]).head == Head()


def test_a_chain_can_be_checked_from_a_known_head_on():
    chain = make_chain(5)
    assert verify_chain(chain[2:], Head(2, chain[1].hash)).count == 3
    assert verify_chain(chain[2:], Head(2, chain[0].hash)).first_broken.damage is Damage.PREVIOUS_HASH


def test_checking_stops_at_the_first_broken_entry():
    chain = make_chain(5)
    chain[2] = msgspec.structs.replace(chain[2], payload=b"9")
    chain[4] = msgspec.structs.replace(chain[4], payload=b"9")
    unread = iter(chain)
    report = verify_chain(unread)
    assert (report.count, report.first_broken.sequence, report.first_broken.damage) == (2, 3, Damage.HASH)
    assert [entry.sequence for entry in unread] == [4, 5]


def test_a_broken_link_says_what_was_expected_and_found():
    chain = make_chain(3)
    del chain[1]
    assert str(verify_chain(chain).first_broken) == "entry 2: sequence: expected 2, found 3"


def test_linked_entries_name_one_another():
    assert all(later.previous_hash == earlier.hash for earlier, later in pairwise(make_chain(4)))


def test_a_broken_link_shows_control_characters_and_does_not_send_them():
    (entry,) = make_chain(1)
    broken = verify_chain([msgspec.structs.replace(entry, hash="\x1b[2J")]).first_broken
    assert broken.found == r"'\x1b[2J'"


@pytest.mark.parametrize("field", ["key", "previous_hash", "recorded_at"])
def test_text_that_utf8_cannot_say_gives_another_hash_and_not_an_error(field):
    chain = make_chain(3)
    chain[1] = msgspec.structs.replace(chain[1], **{field: "\ud800"})
    assert entry_hash(chain[1]) != chain[1].hash
    assert verify_chain(chain).first_broken.sequence == 2
