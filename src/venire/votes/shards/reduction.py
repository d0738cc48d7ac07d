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

from venire.votes.reading.account import VoteAccount
from venire.votes.reading.table import VoteOptions
from venire.votes.shards.partitions import PartFiles, ReadingPlan, part_votes, partition_rows
from venire.votes.shards.reading import OnProgress, ShardWork, open_shards
from venire.words.said import say

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
        account = reading.account(list(reading.partition(partial(partition_rows, reading.plan), files)))
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
            reading.on_progress(say("progress.shards.summarising"), done, reading.plan.parts)
    return Reduced(merged[0], account)


def _summarise(
    plan: ReadingPlan, summarise: Callable[[pl.DataFrame], Summary], data: bytes
) -> tuple[Summary, VoteAccount]:
    votes, account = part_votes(plan, data)
    return summarise(votes), account
