"""What a worker does when votes in shards are scored: deal a shard into parts, as sums or as rows; score a part."""

from __future__ import annotations

from datetime import datetime

import msgspec
import polars as pl

from venire.errors import InputError
from venire.inputs.vote_account import VoteAccount
from venire.inputs.vote_duplicates import Duplicates
from venire.inputs.vote_shards import Shard, read_shard
from venire.inputs.vote_values import Refusal
from venire.inputs.votes import RefusedRow, VoteOptions, VoteTable, read_votes
from venire.stats.decay import score_votes
from venire.stats.decay_interval import weighted_intervals
from venire.stats.decay_sums import batch_sums, may_repeat, score_sums
from venire.stats.decay_terms import Decay
from venire.workflows.dealt_parts import SHARD, deal, hashing_sign, read_part, to_bytes

_ROW = "row"


class ShardPlan(msgspec.Struct, frozen=True):
    """All that workers need to know beside the shard."""

    decay: Decay
    """How votes age."""
    options: VoteOptions
    """How votes are read."""
    by: tuple[str, ...]
    """What makes an item."""
    as_of: datetime | None
    """The moment up to which votes count; None if all do."""
    prompt: str | None
    """The only prompt whose votes count; None if all do."""
    interval: bool
    """Whether scores have intervals."""
    parts: int
    """Into how many parts inferences are dealt."""
    now: datetime
    """The moment after which votes lie in the future; the same for all."""
    sources: tuple[str, ...]
    """The file of each shard."""
    apart: bool = False
    """Whether shards surely have no time in common, so that no vote of one can stand in another."""

    def under_prompt(self, votes: pl.DataFrame) -> pl.DataFrame:
        """Return the votes that count as to their prompt."""
        if self.prompt is None:
            return votes
        return votes.filter(pl.col("voter_prompt_id").cast(pl.String) == self.prompt)


class DealtShard(msgspec.Struct, frozen=True):
    """What a worker returns of a shard."""

    number: int
    """Which shard it is."""
    parts: list[bytes]
    """What it has of each part, as `deal` gives it."""
    account: VoteAccount
    """What became of its rows."""
    span: tuple[int, int] | None
    """Its first and last moment in microseconds since 1970; None without votes."""
    prompts: frozenset[str]
    """The prompts in it, if only one is wanted."""
    sign: int
    """How the worker hashes; see `hashing_sign`."""


class ScoredPart(msgspec.Struct, frozen=True):
    """What a worker returns of a part."""

    scores: bytes
    """The scores of its items, as `to_bytes` gives them."""
    account: VoteAccount
    """What became of its rows, as far as shards could not tell."""
    repeats: bool = False
    """Whether a vote of one shard may stand again in another."""


def deal_sums(plan: ShardPlan, task: tuple[int, Shard]) -> DealtShard:
    """Read a shard and deal the sums of its batches."""
    number, shard = task
    table = read_shard(shard, plan.options, lambda: plan.now)
    votes = plan.under_prompt(table.frame)
    sums = batch_sums(votes, plan.decay.batching, by=plan.by, as_of=plan.as_of)
    return _dealt(plan, number, table, sums, VoteAccount.of(table))


def deal_rows(plan: ShardPlan, task: tuple[int, Shard]) -> DealtShard:
    """Read a shard and deal its rows; which of those that stand twice count is left to their part."""
    number, shard = task
    everything = msgspec.structs.replace(plan.options, duplicates=Duplicates.ALL)
    table = read_shard(shard, everything, lambda: plan.now)
    places = table.places if table.places is not None else pl.int_range(table.frame.height, eager=True)
    names = [name for name, kind in table.frame.schema.items() if isinstance(kind, pl.Categorical)]
    rows = table.frame.with_columns(
        pl.col(names).cast(pl.String), (places + shard.begin + 1).cast(pl.Int64).alias(_ROW)
    )
    account = msgspec.structs.replace(VoteAccount.of(table), votes=0, no_vote=0, duplicated=0)
    return _dealt(plan, number, table, rows, account)


def score_merged(plan: ShardPlan, data: bytes) -> ScoredPart:
    """Merge the sums of a part and score its items, unless votes may stand twice and it matters which of them count."""
    sums = read_part(data)
    repeats = not plan.apart and may_repeat(sums, plan.by)
    if repeats and plan.options.duplicates is not Duplicates.ALL:
        return ScoredPart(b"", VoteAccount(), repeats)
    return ScoredPart(to_bytes(score_sums(sums, plan.decay, by=plan.by)), VoteAccount(), repeats)


def score_rows(plan: ShardPlan, data: bytes) -> ScoredPart:
    """Score the rows of a part as those of any table, and tell which of them stand twice."""
    dealt = read_part(data)  # Shards are in their order, and so are the rows of each.
    rows = dealt.drop(SHARD, _ROW)
    policy = plan.options.duplicates
    # Refused after reading, not while, so that the row can be told with its file.
    kept = Duplicates.FIRST if policy is Duplicates.ERROR else policy
    table = read_votes(rows, VoteOptions(duplicates=kept), now=lambda: plan.now)
    examples = tuple(_placed(plan, dealt, each) for each in table.examples)
    if policy is Duplicates.ERROR and table.duplicated:
        raise InputError(
            f"{table.duplicated:,} rows are votes that stand twice, one of them again as row {examples[0].row}",
            where=plan.sources[int(dealt[SHARD][table.examples[0].row - 1])],
            hint="Repair the files, or choose which ones count: --duplicates latest|first|all",
        )
    account = msgspec.structs.replace(VoteAccount.of(table), rows=0, examples=examples)
    votes = plan.under_prompt(table.frame)
    if plan.interval:
        scores = weighted_intervals(votes, plan.decay, as_of=plan.as_of, by=plan.by)
    else:
        scores = score_votes(votes, plan.decay, as_of=plan.as_of, by=plan.by).frame
    return ScoredPart(to_bytes(scores), account)


def _dealt(plan: ShardPlan, number: int, table: VoteTable, rows: pl.DataFrame, account: VoteAccount) -> DealtShard:
    times = table.frame["vote_time"].to_physical()
    span = (int(times.min()), int(times.max())) if len(times) else None  # type: ignore[arg-type]
    prompts = table.frame["voter_prompt_id"].cast(pl.String).unique().to_list() if plan.prompt is not None else []
    if len(set(plan.sources)) > 1:
        named = (msgspec.structs.replace(each, found=f"{each.found} in {table.where}") for each in account.examples)
        account = msgspec.structs.replace(account, examples=tuple(named))
    return DealtShard(number, deal(rows, plan.parts), account, span, frozenset(prompts), hashing_sign())


def _placed(plan: ShardPlan, dealt: pl.DataFrame, example: RefusedRow) -> RefusedRow:
    """Say where a row of a part stood in the files."""
    shard, row = dealt.select(SHARD, _ROW).row(example.row - 1)
    found = f"{example.found} in {plan.sources[shard]}" if len(set(plan.sources)) > 1 else example.found
    return RefusedRow(row, Refusal(example.reason), found)
