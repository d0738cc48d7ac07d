"""Walk a score back to its votes: each with its batch, its α and its weight, and the score recomputed from them."""

from __future__ import annotations

import math
from datetime import datetime

import msgspec
import polars as pl

from venire.domain.curation import Curation
from venire.errors import UsageError
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Decay
from venire.votes.decay.trail import trail
from venire.votes.reading.source import VoteSource


class TracedItem(msgspec.Struct, frozen=True, eq=False):
    """One score and everything that it is made of."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt."""
    voter_kind: str
    """Whose votes they are."""
    prompt_digest: str
    """The digest of the prompt's words; empty if they are not known."""
    prompt: str | None
    """The prompt's words; None if they are not known."""
    score: float
    """The score as it is published."""
    recomputed: float
    """The sum of weight times vote over the votes below, summed exactly."""
    total_weight: float
    """The sum of the weights below: 1 but for rounding."""
    freshness: float
    """The share of the last batch."""
    votes: pl.DataFrame
    """The votes in order of time, with `batch`, `batch_time`, `alpha`, `batch_weight` and `weight`."""
    decisions: tuple[tuple[int, Curation], ...]
    """What curators decided, with the numbers of the entries."""

    @property
    def holds(self) -> bool:
        """Whether the votes give the score."""
        return abs(self.score - self.recomputed) < 1e-9 and abs(self.total_weight - 1) < 1e-9


def trace_votes(
    source: VoteSource, inference_id: str, decay: Decay | None = None, *, as_of: datetime | None = None
) -> list[TracedItem]:
    """Return every score of an inference, one for each prompt and kind of voter, with its trail.

    Raises `UsageError` if nobody has voted on it by then.
    """
    name = pl.col("inference_id").cast(pl.String)
    frame = source.frame.filter(name == inference_id).with_columns(
        pl.col("inference_id", "voter_prompt_id", "voter_kind").cast(pl.String)
    )
    scores = score_votes(frame, decay, as_of=as_of).frame
    if not scores.height:
        raise UsageError("error.votes.nobody_by_then" if as_of else "error.votes.nobody", name=inference_id)
    walked = trail(frame, decay, as_of=as_of)
    return [_traced(item, walked, source, as_of) for item in scores.iter_rows(named=True)]


def _traced(item: dict[str, object], walked: pl.DataFrame, source: VoteSource, as_of: datetime | None) -> TracedItem:
    own = walked.filter(
        pl.col("voter_prompt_id") == item["voter_prompt_id"], pl.col("voter_kind") == item["voter_kind"]
    )
    ledger = source.ledger
    prompt_id = str(item["voter_prompt_id"])
    prompt = ledger.prompts.get(prompt_id) if ledger else None
    decisions = ledger.decisions_on(str(item["inference_id"]), prompt_id) if ledger else ()
    return TracedItem(
        inference_id=str(item["inference_id"]),
        voter_prompt_id=prompt_id,
        voter_kind=str(item["voter_kind"]),
        prompt_digest=prompt.digest if prompt else "",
        prompt=prompt.text if prompt else None,
        score=float(item["score"]),  # type: ignore[arg-type]
        recomputed=math.fsum(weight * vote for weight, vote in own.select("weight", "vote").iter_rows()),
        total_weight=math.fsum(own["weight"]),
        freshness=float(item["freshness"]),  # type: ignore[arg-type]
        votes=own,
        decisions=tuple(each for each in decisions if as_of is None or each[1].decided_at <= as_of),
    )
