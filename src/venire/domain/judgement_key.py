"""The name of a judgement wherever one is listed: the key of its entry, and for a bundle the place in it."""

from __future__ import annotations

import msgspec

ENTRIES = "/entries/"
"""What stands between the key of a bundle's judgement and the place of one of its entries."""


class JudgementKey(msgspec.Struct, frozen=True):
    """The key of a judgement, or of one entry of a bundle's judgement.

    >>> JudgementKey.parse("5ad1/entries/3")
    JudgementKey(key='5ad1', place=3)
    >>> str(JudgementKey("5ad1"))
    '5ad1'
    """

    key: str
    """What the judgement is found by in the ledger."""
    place: int | None = None
    """The place of the entry in its bundle, from 0; None for a judgement as a whole."""

    @classmethod
    def parse(cls, text: str) -> JudgementKey:
        """Read what `str` has written; what has no place at its end is a key as a whole."""
        key, _, place = text.rpartition(ENTRIES)
        return cls(key, int(place)) if key and place.isascii() and place.isdigit() else cls(text)

    def __str__(self) -> str:
        return self.key if self.place is None else f"{self.key}{ENTRIES}{self.place}"
