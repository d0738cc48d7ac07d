"""The order in which a juror sees items: random, another for each juror, and the same whenever it is asked for."""

from __future__ import annotations

from hashlib import blake2b

_ROUNDS = 4  # Enough for a permutation that looks random (Luby & Rackoff 1988).


def place_in_order(key: bytes, position: int, count: int) -> int:
    """Return which of `count` items stands at a position of the order that a key gives; each item comes once.

    A Feistel network over the next power of four, walked until it lands on an item: nothing has to be stored for
    however many jurors and items.

    >>> sorted(place_in_order(b"key", position, 5) for position in range(5))
    [0, 1, 2, 3, 4]
    """
    half_bits = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half_bits) - 1
    place = position
    while True:
        left, right = place >> half_bits, place & mask
        for number in range(_ROUNDS):
            code = blake2b(b"%d:%d:%d" % (number, half_bits, right), key=key, digest_size=8).digest()
            left, right = right, left ^ (int.from_bytes(code, "big") & mask)
        place = left << half_bits | right
        if place < count:
            return place
