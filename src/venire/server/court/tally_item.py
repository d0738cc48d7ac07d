"""One item of the tally: the votes on it, what they come to, and what curators decided."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from venire.domain.curation import LEAST_VOTES, Curation, Outcome
from venire.domain.vote import Vote, VoterKind
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.stream import ItemState, OpenBatch
from venire.votes.decay.terms import Decay
from venire.votes.decay.trail import trail
from venire.votes.entries import still_open

_ONE_ITEM = ("inference_id",)


class ItemNumbers(msgspec.Struct, frozen=True):
    """What the votes on an item come to."""

    score: float | None = None
    """The time-decayed consensus; None without votes."""
    freshness: float = 1.0
    """The share of the score that the last batch contributes."""
    batch_variance: float = 0.0
    """The variance of the votes of the last batch."""
    variance: float = 0.0
    """The variance of all votes."""
    ambiguous: bool = False
    """Whether votes disagree more than the terms allow."""
    votes: int = 0
    """How many votes count."""
    batches: int = 0
    """How many batches there are."""
    effective_votes: float = 0.0
    """How many equal votes would be worth as much."""
    last_update: datetime | None = None
    """When the last vote was cast."""


NUMBERS = ItemNumbers.__struct_fields__
"""The names of the numbers, which are also columns of `Consensus.frame`."""


def numbers_of(state: ItemState) -> ItemNumbers:
    """Return the numbers of a state that is kept up to date vote by vote."""
    return ItemNumbers(*(getattr(state, name) for name in NUMBERS))


def numbers_of_row(row: Mapping[str, Any]) -> ItemNumbers:
    """Return the numbers of a row of a consensus."""
    return ItemNumbers(*(row[name] for name in NUMBERS))


def gather_state(votes: pl.DataFrame, decay: Decay) -> ItemState:
    """Return the state after all of these votes on one item, whatever their order, by a few array passes."""
    walked = trail(votes, decay, by=_ONE_ITEM)
    if not walked.height:
        return ItemState(decay)
    past = walked.filter(pl.col("batch") < walked["batch"][-1])
    latest = walked.filter(pl.col("batch") == walked["batch"][-1])
    settled = score_votes(past, decay, by=_ONE_ITEM).frame if past.height else None
    moment = int(latest["vote_time"].to_physical()[-1])
    before = past.height + int((latest["vote_time"].to_physical() < moment).sum())
    mean, squares = _moments(walked["vote"])
    plain_mean, batch_squares = _moments(latest["vote"])
    weight = float(latest["reputation"].sum())
    batch = OpenBatch(
        label=decay.batching.label(moment, before),
        time=moment,
        votes_before_moment=before,
        votes=latest.height,
        weight=weight,
        squared_weight=float((latest["reputation"] ** 2).sum()),
        mean=float((latest["vote"] * latest["reputation"]).sum()) / weight,
        plain_mean=plain_mean,
        squares=batch_squares,
    )
    return ItemState(
        decay,
        past_score=float(settled["score"][0]) if settled is not None else None,
        past_time=int(settled["last_update"].to_physical()[0]) if settled is not None else 0,
        past_concentration=1.0 / float(settled["effective_votes"][0]) if settled is not None else 0.0,
        open=batch,
        votes=walked.height,
        batches=int(walked["batch"][-1]),
        mean=mean,
        squares=squares,
    )


def _moments(votes: pl.Series) -> tuple[float, float]:
    mean = float(votes.sum()) / len(votes)
    return mean, float(((votes - mean) ** 2).sum())


class ItemName(msgspec.Struct, frozen=True):
    """What makes an item: votes that differ in any of these are never averaged."""

    inference_id: str
    """The output."""
    voter_prompt_id: str = ""
    """The prompt."""
    voter_kind: VoterKind = VoterKind.PERSON
    """Whether people or judges voted."""


def item_of(vote: Vote) -> ItemName:
    """Return the item that a vote is on."""
    return ItemName(vote.inference_id, vote.voter_prompt_id, vote.voter_kind)


class TallyItem:
    """The votes on an item and what they come to."""

    __slots__ = ("decisions", "left_open", "name", "number", "numbers", "round", "rows", "state")

    def __init__(self, number: int, name: ItemName) -> None:
        self.number = number
        self.name = name
        self.numbers = ItemNumbers()
        self.state: ItemState | None = None
        self.rows = array("l")
        self.round = 1
        self.decisions: list[Curation] = []
        self.left_open = False
        """Whether an adaptive jury left it to people."""

    @property
    def waits(self) -> bool:
        """Whether the item waits for a curator."""
        if self.left_open:
            return not self.decisions or self.decisions[-1].outcome is Outcome.ANOTHER_ROUND
        last = self.numbers.last_update
        is_dispute = self.numbers.ambiguous and self.numbers.votes >= LEAST_VOTES
        if not is_dispute or last is None or self.name.voter_kind is not VoterKind.PERSON:
            return False
        return not self.decisions or still_open(self.decisions[-1], last)
