"""What the ledger is made of: drafts go in, linked entries come out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from venire.domain.canonical import canonical_json
from venire.errors import UsageError

GENESIS_HASH = "0" * 64
"""What stands in the first entry's place for the hash of an entry before it."""


class Kind(StrEnum):
    """What an entry records."""

    RUN_OPENED = "run_opened"
    """A run began: its id, plan, configuration, software versions, seed and digests; keyed by its id."""
    PLAN = "plan"
    """A part of what runs planned: ids of tasks as bytes, keyed by their digest, so that runs can share it."""
    PROTOCOL = "protocol"
    """A protocol, keyed by its digest; stored once."""
    SAMPLE = "sample"
    """A sample or bundle, keyed by its digest; stored once."""
    MATERIAL = "material"
    """The text of a material as bytes, keyed by their SHA-256; stored once, however many samples share it."""
    ATTEMPT = "attempt"
    """A request to a judge whose reply is not the task's: none came, it came late, or none was asked for; keyed by the
    task's id."""
    REPLY = "reply"
    """The reply that answers a task, keyed by the task's id; stored once, so that no result counts twice."""
    JUDGEMENT = "judgement"
    """A reply after validation, keyed by what it was derived from; stored once."""
    CASE = "case"
    """What targets are asked about, keyed by its digest; stored once."""
    PROMPT = "prompt"
    """The messages that a target was sent, as bytes, keyed by their SHA-256; stored once."""
    OUTPUT_ATTEMPT = "output_attempt"
    """A request to a target whose answer is not the task's: none came, it came late, or none was asked for."""
    OUTPUT = "output"
    """An output that was collected from a target, keyed by its task's id; stored once."""
    COLLECTION_OPENED = "collection_opened"
    """A run that collects outputs began: its id, plan, targets, prompts and software versions; keyed by its id."""
    COLLECTION_CLOSED = "collection_closed"
    """A run that collects outputs ended: its counts and the reason for its end; keyed by its id."""
    VOTE = "vote"
    """A vote of one voter on one sample."""
    LABEL = "label"
    """What a person or a model said of an output, keyed by output, dimension, rater and protocol; the last holds."""
    LABEL_DRAW = "label_draw"
    """Which outputs were drawn to be labelled, and how likely each was to be; keyed by the protocol's digest."""
    QUALIFICATION = "qualification"
    """The outcome of a judge's voir dire, keyed by the digests of judge and protocol; the last one holds."""
    CANARIES = "canaries"
    """What the anchors of a run say about the judges, keyed by the run's id: the evidence that one has changed."""
    CHOICE = "choice"
    """What an adaptive jury chose to ask, by which rule and how likely, before it was asked; keyed by the jury's id."""
    DECISION = "decision"
    """What a panel or a person decided."""
    NOTE = "note"
    """What a reader remarked on an output, keyed by the output's digest; it changes nothing."""
    CHECKPOINT = "checkpoint"
    """A signed head that was handed out."""
    RUN_CLOSED = "run_closed"
    """A run ended: its counts and the reason for its end; keyed by its id."""


STORED_ONCE = frozenset(
    {
        Kind.PROTOCOL,
        Kind.SAMPLE,
        Kind.MATERIAL,
        Kind.REPLY,
        Kind.JUDGEMENT,
        Kind.CASE,
        Kind.PROMPT,
        Kind.OUTPUT,
    }
)
"""The kinds of which a ledger holds at most one entry for each key."""


class Head(msgspec.Struct, frozen=True):
    """The end of a ledger; it stands for everything before it."""

    sequence: int = 0
    """The number of the last entry; 0 for an empty ledger."""
    hash: str = GENESIS_HASH
    """The hash of the last entry, in hexadecimal."""


class Draft(msgspec.Struct, frozen=True, dict=True):
    """Something to append. Raises `UsageError` if it cannot be stored as asked."""

    kind: Kind
    """What is recorded."""
    payload: object
    """The content: anything that canonical JSON can say."""
    key: str = ""
    """What the entry is looked up by; may be empty unless the kind is stored once."""
    blob: bytes = b""
    """Bytes that are kept as they are beside the payload, such as the body of a reply."""
    instead: Callable[[], Draft] | None = None
    """Gives what is recorded in place of this if it is stored once and there already; without it nothing is.

    A store may call it in any thread and more than once; if it does, there is an earlier entry of this kind and key.
    """

    def __post_init__(self) -> None:
        if not self.key and self.kind in STORED_ONCE:
            raise UsageError("error.ledger.no_key", kind=self.kind.value)
        if self.key.isascii():
            return
        try:
            self.key.encode()
        except UnicodeEncodeError as error:
            raise UsageError("error.ledger.key_text", kind=self.kind.value, reason=str(error)) from error

    @cached_property
    def payload_bytes(self) -> bytes:
        """The payload as canonical JSON, encoded when first asked for."""
        try:
            return canonical_json(self.payload)
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError("error.ledger.payload", where=self.key, kind=self.kind.value, reason=str(error)) from error


def encoded_draft(draft: Draft, payload_bytes: bytes) -> Draft:
    """Return a draft whose payload was encoded already, as canonical JSON."""
    draft.__dict__["payload_bytes"] = payload_bytes
    return draft


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One record of the ledger, linked to the one before it."""

    sequence: int
    """The place in the ledger, counted from 1 without gaps; this, and not the time, is the order."""
    kind: Kind
    """What is recorded."""
    key: str
    """What the entry is looked up by; may be empty."""
    payload: bytes
    """The content as canonical JSON."""
    blob: bytes
    """Bytes kept as they came; empty for most kinds."""
    recorded_at: str
    """The writer's clock in UTC, as ISO 8601 with microseconds; clocks are set, so it may go backwards."""
    previous_hash: str
    """The hash of the entry before this one."""
    hash: str
    """The hash over all of the above."""

    @property
    def content(self) -> Any:
        """The payload decoded."""
        return msgspec.json.decode(self.payload)


def utc_now() -> datetime:
    """Return the present moment; the clock that stores use unless they are given another."""
    return datetime.now(UTC)


def format_time(moment: datetime) -> str:
    """Write a moment as entries do. Raises `UsageError` for a moment without a time zone.

    >>> format_time(datetime(2025, 1, 31, 12, 0, tzinfo=UTC))
    '2025-01-31T12:00:00.000000Z'
    """
    if moment.tzinfo is None:
        raise UsageError("error.ledger.time_zone", found=moment.isoformat())
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
