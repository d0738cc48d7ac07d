"""Any statistic of votes in many Parquet files that can be added up: each part gives a summary, and summaries merge.

All votes on an inference are in one part, without those that stand twice; so what needs whole inferences, as ballots
and agreement do, is exact. What needs whole voters is not, and belongs to statistics that weigh voters by their names,
as `mean_sums` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import polars as pl

from venire.domain.vote import VOTE_COLUMNS, VoterKind
from venire.errors import PoolingError, UsageError
from venire.inputs.vote_account import VoteAccount
from venire.inputs.votes import VoteOptions
from venire.stats.alpha_sums import AlphaSums, alpha_sums
from venire.stats.cast_ballots import cast_ballots
from venire.stats.intervals import NO_OBSERVATIONS
from venire.stats.mean_sums import MeanSums, mean_sums
from venire.stats.rating_matrix import Metric
from venire.stats.result import Estimate
from venire.workflows.dealt_parts import PartFiles
from venire.workflows.dealt_votes import ReadingPlan, deal_rows, part_votes
from venire.workflows.shard_reading import OnProgress, ShardWork, open_shards

Summary = TypeVar("Summary")


class Reduced(msgspec.Struct, Generic[Summary], frozen=True, eq=False):
    """A summary of all votes, and what became of all rows."""

    summary: Summary
    """The merged summary."""
    account: VoteAccount
    """What became of all rows."""


def reduce_votes(
    patterns: str | Path | Sequence[str | Path],
    summarise: Callable[[pl.DataFrame], Summary],
    merge: Callable[[Summary, Summary], Summary],
    *,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    prompt: str | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> Reduced[Summary]:
    """Summarise the votes of Parquet files part by part, and merge the summaries in the order of the parts.

    `summarise` is given the votes of some whole inferences and runs where the workers are: with processes and Ray it
    must be a function of a module that they can import. Summaries must be picklable; two are held at a time and those
    that arrive before their turn.
    """
    with open_shards(patterns, work or ShardWork(), options, prompt, on_progress) as reading:
        files = PartFiles(reading.folder / "rows", reading.plan.parts)
        account = reading.account(list(reading.deal(partial(deal_rows, reading.plan), files)))
        early: dict[int, tuple[Summary, VoteAccount]] = {}
        merged: list[Summary] = []
        turn = 0
        results = reading.workers.map(partial(_summarise, reading.plan, summarise), files.load_all())
        for done, (number, found) in enumerate(results, start=1):
            early[number] = found
            while turn in early:
                summary, own = early.pop(turn)
                account = account.plus(own)
                merged = [merge(merged[0], summary) if merged else summary]
                turn += 1
            reading.on_progress("summarising", done, reading.plan.parts)
    return Reduced(merged[0], account)


def mean_over_shards(
    patterns: str | Path | Sequence[str | Path],
    *,
    clusters: str = "voter_id",
    seed: int = 0,
    replicates: int = 1000,
    level: float = 0.95,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    prompt: str | None = None,
) -> Estimate:
    """Return the mean vote with an interval by the Poisson bootstrap; whole voters, or inferences, are drawn.

    `clusters` is any column of votes that names who or what is drawn.
    """
    if clusters not in VOTE_COLUMNS:
        raise UsageError(f"expected clusters by one of {', '.join(VOTE_COLUMNS)}, found {clusters!r}")
    own = partial(_mean_sums, clusters, seed, replicates)
    found = reduce_votes(patterns, own, MeanSums.plus, work=work, options=options, prompt=prompt)
    return found.summary.estimate(level=level)


def agreement_over_shards(
    patterns: str | Path | Sequence[str | Path],
    metric: Metric = "interval",
    *,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    prompt: str | None = None,
) -> Estimate:
    """Return Krippendorff's alpha of people's votes under one prompt, as `voter_agreement` does, without an interval.

    The last vote of each voter on an inference counts. Raises `PoolingError` for votes under several prompts.
    """
    found = reduce_votes(
        patterns, partial(_alpha_sums, metric), _merge_prompts, work=work, options=options, prompt=prompt
    )
    sums, prompts = found.summary
    require_one_prompt(prompts)
    if not len(sums.units):
        return Estimate.unknown(f"krippendorff alpha, {metric}", NO_OBSERVATIONS, n={"ratings": 0})
    return sums.estimate()


def require_one_prompt(prompts: frozenset[str]) -> None:
    """Raise `PoolingError` for votes under several prompts."""
    if len(prompts) > 1:
        raise PoolingError(
            f"expected votes under one prompt, found {len(prompts)}: {', '.join(map(repr, sorted(prompts)[:5]))}",
            hint="Votes on different questions do not agree or disagree; choose one prompt.",
        )


def _summarise(
    plan: ReadingPlan, summarise: Callable[[pl.DataFrame], Summary], data: bytes
) -> tuple[Summary, VoteAccount]:
    votes, account = part_votes(plan, data)
    return summarise(votes), account


def _mean_sums(clusters: str, seed: int, replicates: int, votes: pl.DataFrame) -> MeanSums:
    cast = votes.filter(pl.col("vote").is_not_null())
    names = cast[clusters].cast(pl.String).to_numpy()
    return mean_sums(cast["vote"].to_numpy(), names, seed=seed, replicates=replicates)


def _alpha_sums(metric: Metric, votes: pl.DataFrame) -> tuple[AlphaSums, frozenset[str]]:
    people = votes.filter(pl.col("voter_kind").cast(pl.String) == VoterKind.PERSON.value)
    ballots = cast_ballots(people)
    sums = alpha_sums(ballots["inference_id"].to_list(), ballots["voter_id"].to_list(), ballots["vote"], metric)
    return sums, frozenset(people["voter_prompt_id"].cast(pl.String).unique())


def _merge_prompts(
    one: tuple[AlphaSums, frozenset[str]], two: tuple[AlphaSums, frozenset[str]]
) -> tuple[AlphaSums, frozenset[str]]:
    return one[0].plus(two[0]), one[1] | two[1]
