"""What the server shows of the ledger's entries, so that anyone can check them."""

from __future__ import annotations

import msgspec

from venire.ledger.entry import Head
from venire.ledger.merkle import InclusionProof


class PlainEntry(msgspec.Struct, frozen=True):
    """An entry with everything that its hash is made of, so that anyone can compute it."""

    sequence: int
    """The place in the ledger."""
    kind: str
    """What is recorded."""
    key: str
    """What it is looked up by."""
    payload: str
    """The content: the bytes of canonical JSON, in Base64."""
    blob: str
    """Bytes kept as they came, in Base64; empty for most kinds."""
    recorded_at: str
    """The writer's clock."""
    previous_hash: str
    """The hash of the entry before."""
    hash: str
    """The hash over all of the above."""


class EntryProof(msgspec.Struct, frozen=True):
    """That an entry is in the ledger."""

    proof: InclusionProof
    """What leads from the entry's hash to the root."""
    entry_hash: str
    """The hash of the entry."""
    merkle_root: str
    """The root that it leads to."""
    head: Head
    """The last entry under this root."""
