"""What the server shows of the ledger's entries, so that anyone can check them."""

from __future__ import annotations

import msgspec

from venire.ledger.entry import Head
from venire.ledger.hashing import BrokenLink
from venire.ledger.merkle import InclusionProof
from venire.workflows.audit import UnderivedJudgement


class EntryLink(msgspec.Struct, frozen=True):
    """An entry of the ledger."""

    sequence: int
    """Its number."""
    hash: str
    """Its hash."""
    kind: str = ""
    """What it records."""
    recorded_at: str = ""
    """When it was written."""


class TrailLink(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger that a judgement rests on."""

    kind: str
    """What the entry records."""
    sequence: int
    """Its number."""
    hash: str
    """Its hash."""
    previous_hash: str
    """The hash of the entry before it."""
    recorded_at: str
    """The writer's clock."""


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


class AuditResult(msgspec.Struct, frozen=True):
    """What auditing the ledger gave."""

    intact: bool
    """Whether everything holds."""
    count: int
    """How many entries follow from one another."""
    head: Head
    """The last entry that does."""
    merkle_root: str
    """The root over the hashes of these entries."""
    first_broken: BrokenLink | None
    """The entry at which the chain breaks; null if it is whole."""
    counts: dict[str, int]
    """How many entries of each kind there are."""
    judged_again: int
    """How many judgements were derived again and found the same."""
    underived: tuple[UnderivedJudgement, ...]
    """The judgements that do not follow from their replies."""
