"""What the server shows of votes."""

from __future__ import annotations

from datetime import datetime

import msgspec

from venire.server.problem import Problem


class VoteReceipt(msgspec.Struct, frozen=True):
    """What a voter gets for a vote that is in the ledger."""

    key: str
    """What the vote is found by in the ledger; for jurors a code of the court, which tells nothing of the output."""
    item: str
    """The item, as the voter named it."""
    vote: float | None
    """The vote; None for an item that was left out or a vote that was taken back."""
    round: int
    """The voting round."""
    cast_at: datetime
    """When it was cast."""
    head: int | None
    """An entry of the ledger at or behind the vote's own, at which it was durable; None for jurors."""
    undo_until: datetime | None = None
    """Until when it can be taken back; None if it cannot."""
    replaces: str = ""
    """The key of the vote that it takes the place of; empty if there is none."""


class BatchOutcome(msgspec.Struct, frozen=True):
    """What became of one vote of a batch."""

    receipt: VoteReceipt | None = None
    """The receipt of a vote that was cast."""
    problem: Problem | None = None
    """Why it was not."""


class BatchResult(msgspec.Struct, frozen=True):
    """What became of a batch."""

    accepted: int
    """How many votes were cast."""
    refused: int
    """How many were not."""
    outcomes: tuple[BatchOutcome, ...]
    """One for each vote, in order."""


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


class WeighedVote(msgspec.Struct, frozen=True):
    """A vote with all that decides its weight."""

    voter_id: str
    """The pseudonym of the voter."""
    vote: float
    """The vote."""
    vote_time: datetime
    """When it was cast."""
    reputation: float
    """The weight of the voter within the batch."""
    batch: int
    """The batch, from 1."""
    alpha: float
    """The factor by which the batch shrank its past."""
    weight: float
    """The weight in the score; those of all votes sum to 1."""
