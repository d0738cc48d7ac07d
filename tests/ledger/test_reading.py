"""Entries are read in batches that are large where entries are short and small where they are long."""

import pytest

from venire.ledger.store import BATCH_BYTES, LARGEST_BATCH, next_batch


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
