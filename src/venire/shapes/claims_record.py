"""A reply by claims as a record: what most replies are read into, before anything is said about them."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Struct, UnsetType

from venire.domain.claim import ClaimFinding
from venire.validation.compiled import read_record


class QuotedClaim(Struct, forbid_unknown_fields=True, gc=False):
    """A claim by its words, with the words of a passage where one is needed."""

    words: str
    finding: ClaimFinding
    source: str | UnsetType = UNSET
    passage: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ClaimsRecord(Struct, forbid_unknown_fields=True, gc=False):
    """A reply with all that the contract asks for. Of duplicate keys it holds the last: count the strings."""

    claims: list[QuotedClaim]
    nothing_to_check: list[str]
    notes: str | UnsetType = UNSET


_DECODER = msgspec.json.Decoder(ClaimsRecord)


def read_claims(raw: bytes) -> ClaimsRecord | None:
    """Return a reply as a record; None for any that the contract has something to say about."""
    return read_record(raw, _DECODER)
