"""What the server shows: records that the API sends and pages render."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from venire.domain.sample import Source
from venire.ledger.entry import Head
from venire.ledger.hashing import BrokenLink
from venire.workflows.audit import UnderivedJudgement

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Some of many things."""

    items: tuple[T, ...]
    """The things on this page."""
    total: int
    """How many there are in all."""
    next_after: int | None = None
    """What to ask for as `after` to get the next page; None on the last."""


class Link(msgspec.Struct, frozen=True):
    """An entry of the ledger."""

    sequence: int
    """Its number."""
    hash: str
    """Its hash."""
    kind: str = ""
    """What it records."""
    recorded_at: str = ""
    """When it was written."""


class SampleRow(msgspec.Struct, frozen=True):
    """A sample in a list."""

    output_id: str
    """The unique name of the output."""
    digest: str
    """The digest of the sample."""
    question_id: str
    """The question that was answered."""
    prompt_variant: str
    """The version of the prompt that produced the output."""
    target_model: str
    """The model that produced the output."""
    factors: dict[str, str]
    """Further factors."""
    characters: int
    """How long the text is."""
    judgements: int = 0
    """How many judgements there are on it."""
    votes: int = 0
    """How many votes of people there are on it."""
    score: float | None = None
    """The consensus of these votes; None without any."""
    ambiguous: bool = False
    """Whether they disagree more than the terms allow."""


class SampleView(msgspec.Struct, frozen=True):
    """A sample with its text."""

    row: SampleRow
    """What it is, and how it was judged."""
    text: str
    """The judged text."""
    task: str
    """The prompt that the output answers."""
    source: Source | None
    """The file the text came from."""
    entry: Link
    """Where the ledger holds it."""


class JudgementRow(msgspec.Struct, frozen=True, gc=False):
    """A judgement in a list."""

    key: str
    """What the judgement is found by."""
    sequence: int
    """Its entry."""
    sample: str
    """The judged output or bundle."""
    judge: str
    """Who judged."""
    repeat: str
    """Which asking it was."""
    status: str
    """Whether it counts."""
    overall: float | None
    """The overall score."""
    verdict: str | None
    """The verdict."""
    flags: tuple[str, ...]
    """Why it is invalid."""


class Overview(msgspec.Struct, frozen=True):
    """What a first page shows; all of it is kept up to date and none of it computed when asked for."""

    entries: int
    """How many entries the ledger has."""
    head: str
    """The hash of the last one."""
    samples: int
    """How many samples."""
    runs: int
    """How many runs."""
    judgements: int
    """How many judgements."""
    valid: int
    """How many of them are valid."""
    votes: int
    """How many votes of people count."""
    voters: int
    """How many people voted."""
    items: int
    """How many items have votes of people."""
    ambiguous: int
    """How many items wait in the queue."""
    votes_by_day: dict[str, int]
    """How many votes were cast on each day (UTC), withdrawn ones too."""
    mean_score: float | None
    """The mean consensus over items; None without any."""


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
