"""What a worker does when votes in shards are scored: sum up a shard, score a part of sums or of rows."""

from __future__ import annotations

from datetime import datetime

import msgspec

from venire.votes.decay.consensus import score_votes
from venire.votes.decay.interval import weighted_intervals
from venire.votes.decay.sums import batch_sums, may_repeat, score_sums
from venire.votes.decay.terms import Decay
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.shards import Shard, read_shard
from venire.votes.shards.partitions import (
    PartitionedShard,
    ReadingPlan,
    part_votes,
    partitioned_shard,
    read_part,
    to_bytes,
)


class ScoreTerms(msgspec.Struct, frozen=True):
    """What is to be made of votes."""

    decay: Decay
    """How they age."""
    by: tuple[str, ...]
    """What makes an item."""
    as_of: datetime | None
    """The moment up to which they count; None if all do."""
    interval: bool
    """Whether scores have intervals."""
    apart: bool = False
    """Whether shards surely have no time in common, so that no vote of one can stand in another."""


class ScoredPart(msgspec.Struct, frozen=True):
    """What a worker returns of a part."""

    scores: bytes
    """The scores of its items, as `to_bytes` gives them; empty if there are none to be trusted."""
    account: VoteAccount
    """What became of its rows, as far as shards could not tell."""
    repeats: bool = False
    """Whether a vote of one shard may stand again in another."""


def partition_sums(plan: ReadingPlan, terms: ScoreTerms, task: tuple[int, Shard]) -> PartitionedShard:
    """Read a shard and partition the sums of its batches."""
    number, shard = task
    table = read_shard(shard, plan.options, lambda: plan.now)
    votes = plan.under_prompt(table.frame)
    sums = batch_sums(votes, terms.decay.batching, by=terms.by, as_of=terms.as_of)
    return partitioned_shard(plan, number, table, sums, VoteAccount.of(table))


def score_merged(plan: ReadingPlan, terms: ScoreTerms, data: bytes) -> ScoredPart:
    """Merge the sums of a part and score its items, unless votes may stand twice and it matters which of them count."""
    sums = read_part(data)
    repeats = not terms.apart and may_repeat(sums, terms.by)
    if repeats and plan.options.duplicates is not Duplicates.ALL:
        return ScoredPart(b"", VoteAccount(), repeats)
    return ScoredPart(to_bytes(score_sums(sums, terms.decay, by=terms.by)), VoteAccount(), repeats)


def score_rows(plan: ReadingPlan, terms: ScoreTerms, data: bytes) -> ScoredPart:
    """Score the rows of a part as those of any table."""
    votes, account = part_votes(plan, data)
    if terms.interval:
        scores = weighted_intervals(votes, terms.decay, as_of=terms.as_of, by=terms.by)
    else:
        scores = score_votes(votes, terms.decay, as_of=terms.as_of, by=terms.by).frame
    return ScoredPart(to_bytes(scores), account)
