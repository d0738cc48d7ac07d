"""What the server shows: records that the API sends and pages render."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, TypeVar

import msgspec

from venire.domain.sample import Source

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


class VoteReceipt(msgspec.Struct, frozen=True):
    """What a voter gets for a vote that is in the ledger."""

    key: str
    """What the vote is found by in the ledger."""
    item: str
    """The item, as the voter named it."""
    vote: float | None
    """The vote; None for an item that was left out or a vote that was taken back."""
    round: int
    """The voting round."""
    cast_at: datetime
    """When it was cast."""
    head: int
    """An entry of the ledger at or behind the vote's own, at which it was durable."""
    undo_until: datetime | None = None
    """Until when it can be taken back; None if it cannot."""
    replaces: str = ""
    """The key of the vote that it takes the place of; empty if there is none."""


class ItemScore(msgspec.Struct, frozen=True):
    """The consensus on an item."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt that was asked."""
    voter_kind: str
    """Whether people or judges voted."""
    score: float | None
    """The time-decayed consensus."""
    freshness: float
    """The share of the score that the last batch contributes."""
    batch_variance: float
    """The variance of the votes of the last batch."""
    variance: float
    """The variance of all votes."""
    ambiguous: bool
    """Whether votes disagree more than the terms allow."""
    votes: int
    """How many votes count."""
    batches: int
    """How many batches there are."""
    effective_votes: float
    """How many equal votes would be as many."""
    last_update: datetime | None
    """When the last vote was cast."""


class JudgementRow(msgspec.Struct, frozen=True):
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
