"""Entries are read in batches that are large where entries are short and small where they are long."""

from itertools import islice

import pytest

from venire.errors import TamperedError
from venire.ledger.store import BATCH_BYTES, LARGEST_BATCH, next_batch, read_in_batches


def rows(count, length):
    return [(1, "reply", "key", b"x" * (length // 2), b"y" * (length // 2))] * count


@pytest.mark.parametrize(
    ("read", "length", "expected"),
    [
        (32, 1_000, 64),
        (LARGEST_BATCH, 1_000, LARGEST_BATCH),
        (32, BATCH_BYTES // 4, 4),
        (4, BATCH_BYTES // 4, 4),
        (1, 2 * BATCH_BYTES, 1),
        (3, 0, 6),
    ],
)
def test_batches_grow_with_short_entries_and_shrink_with_long_ones(read, length, expected):
    assert next_batch(rows(read, length)) == expected


def test_entries_out_of_order_are_damage_and_are_not_read_for_ever():
    def fetch(first, _batch):
        return [(number, b"", b"", b"", b"") for number in ([1, 2, 11, 4] if first <= 1 else [11, 4])]

    found = read_in_batches(fetch, 0)
    assert [row[0] for row in islice(found, 3)] == [1, 2, 11]
    with pytest.raises(TamperedError, match="entry 4 comes after entry 11"):
        next(found)


@pytest.mark.parametrize("planted", [-(2**63), -5, -1, 0])
def test_an_entry_planted_below_the_first_is_read_and_not_skipped(planted):
    numbers = [planted, 1, 2, 2**63 - 1]

    def fetch(first, batch):
        assert -(2**63) <= first < 2**63, "no store can be asked for this number"
        return [(number, b"", b"", b"", b"") for number in numbers if number >= first][: min(batch, 2)]

    assert [row[0] for row in read_in_batches(fetch, 0)] == numbers
    assert [row[0] for row in read_in_batches(fetch, 1)] == numbers[2:]
