"""Score votes in many Parquet files, or in ones larger than memory, on all processors of a machine or on a cluster.

Each shard gives the sums of its batches, which are merged by item: far less than the votes where items have many. That
needs batches by the clock, and votes that surely do not stand twice in different shards. Where either is missing, or
intervals by voter are wanted, the rows themselves are partitioned by inference, and each partition is scored as votes
in memory are. Both ways give what `score_votes` gives for all rows together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path

import msgspec
import polars as pl

from venire.votes.decay.items import ITEM
from venire.votes.decay.sums import may_repeat
from venire.votes.decay.terms import Decay
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.table import VoteOptions
from venire.votes.shards.partitions import PartFiles, PartitionedShard, partition_rows, read_part
from venire.votes.shards.reading import OnProgress, ShardReading, ShardWork, open_shards
from venire.votes.shards.scoring_steps import ScoredPart, ScoreTerms, partition_sums, score_merged, score_rows
from venire.words.said import say

_SCORES = "scores"


class ShardScores(msgspec.Struct, frozen=True, eq=False):
    """The scores of all items, and how they were made."""

    frame: pl.DataFrame | None
    """What `score_votes` gives, in no order; None if the scores were written to a file."""
    items: int
    """How many items have a score."""
    account: VoteAccount
    """What became of all rows."""
    dealt: str
    """Why rows had to be partitioned instead of sums merged; empty if sums were merged."""


def score_shards(
    patterns: str | Path | Sequence[str | Path],
    decay: Decay | None = None,
    *,
    work: ShardWork | None = None,
    options: VoteOptions | None = None,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
    prompt: str | None = None,
    interval: bool = False,
    ambiguous: bool = False,
    output: Path | None = None,
    on_progress: OnProgress = lambda *_: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> ShardScores:
    """Score the votes of Parquet files: paths, folders, addresses or patterns such as `votes/*.parquet`.

    Memory is that of a shard or a part for each worker, and of all scores unless `output` names a Parquet file for
    them. `interval` adds what `weighted_intervals` does, `ambiguous` leaves only ambiguous items, `prompt` only votes
    under that prompt. Raises `UsageError` or `InputError` naming the file that cannot be read as asked.
    """
    terms = ScoreTerms(decay or Decay(), tuple(by), as_of, interval)
    chosen = work or ShardWork(folder=output.parent if output else None)
    with open_shards(patterns, chosen, options, prompt, on_progress, now) as reading:
        dealt = _not_mergeable(terms)
        account = None if dealt else _merge_sums(reading, terms)
        if account is None:
            dealt = dealt or say("problem.shards.same_time")
            account = _score_partitions(reading, terms)
        scores = pl.scan_ipc(sorted((reading.folder / _SCORES).iterdir()), glob=False)
        scores = scores.filter(pl.col("ambiguous")) if ambiguous else scores
        if output is None:
            frame = scores.collect()
            return ShardScores(frame, frame.height, account, dealt)
        scores.sink_parquet(output)
    items = int(pl.scan_parquet(output, glob=False).select(pl.len()).collect().item())
    return ShardScores(None, items, account, dealt)


def _not_mergeable(terms: ScoreTerms) -> str:
    if terms.interval:
        return say("problem.shards.interval")
    if terms.decay.batching.by == "count":
        return say("problem.shards.batches")
    return ""


def _merge_sums(reading: ShardReading, terms: ScoreTerms) -> VoteAccount | None:
    """Score the merged sums of all shards; None if votes may stand twice in different ones and it matters."""
    files = PartFiles(reading.folder / "sums", reading.plan.parts)
    matters = reading.plan.options.duplicates is not Duplicates.ALL
    found: list[PartitionedShard] = []
    for shard in reading.partition(partial(partition_sums, reading.plan, terms), files):
        found.append(shard)
        # Shards that mix times and items show it soon; then no more of them are summed up in vain.
        if matters and len(found).bit_count() == 1 and _meet(found) and may_repeat(read_part(files.load(0)), terms.by):
            return None
    account = reading.account(found)
    repeats = False
    settled = msgspec.structs.replace(terms, apart=not _meet(found))
    for part in _score(reading, partial(score_merged, reading.plan, settled), files):
        repeats |= part.repeats
        if repeats and matters:
            return None
    return msgspec.structs.replace(account, duplicated=None) if repeats else account


def _score_partitions(reading: ShardReading, terms: ScoreTerms) -> VoteAccount:
    """Score the rows of all shards, partitioned by inference."""
    files = PartFiles(reading.folder / "rows", reading.plan.parts)
    account = reading.account(list(reading.partition(partial(partition_rows, reading.plan), files)))
    scored = _score(reading, partial(score_rows, reading.plan, terms), files)
    return reduce(VoteAccount.plus, (part.account for part in scored), account)


def _score(reading: ShardReading, function: Callable[[bytes], ScoredPart], files: PartFiles) -> Iterator[ScoredPart]:
    folder = reading.folder / _SCORES
    folder.mkdir(exist_ok=True)
    for done, (number, part) in enumerate(reading.workers.map(function, files.load_all()), start=1):
        if part.scores:
            (folder / f"{number:06}.arrow").write_bytes(part.scores)
        reading.on_progress(say("progress.shards.scoring"), done, reading.plan.parts)
        yield msgspec.structs.replace(part, scores=b"")


def _meet(found: list[PartitionedShard]) -> bool:
    """Tell whether any two shards have votes of the same stretch of time."""
    spans = sorted(shard.span for shard in found if shard.span)
    return any(later[0] <= earlier[1] for earlier, later in pairwise(spans))
