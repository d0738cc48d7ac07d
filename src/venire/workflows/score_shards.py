"""Score votes in many Parquet files, or in ones larger than memory, on all processors of a machine or on a cluster.

Each shard gives the sums of its batches, which are merged by item: far less than the votes where items have many. That
needs batches by the clock, and votes that surely do not stand twice in different shards. Where either is missing, or
intervals by voter are wanted, the rows themselves are dealt by inference into parts, each of which is scored as votes
in memory are. Both ways give what `score_votes` gives for all rows together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import pairwise
from pathlib import Path

import msgspec
import polars as pl

from venire.distributed.shards import Engine, Workers, open_workers
from venire.errors import ConfigError, UsageError
from venire.inputs.vote_account import VoteAccount
from venire.inputs.vote_duplicates import Duplicates
from venire.inputs.vote_shards import ROWS_IN_A_SHARD, Shard, find_shards, find_sources
from venire.inputs.votes import VoteOptions
from venire.stats.decay_sums import may_repeat
from venire.stats.decay_terms import Decay
from venire.stats.vote_batches import ITEM
from venire.workflows.dealt_parts import PartFiles, hashing_sign, read_part
from venire.workflows.score_shard import (
    DealtShard,
    ScoredPart,
    ShardPlan,
    deal_rows,
    deal_sums,
    score_merged,
    score_rows,
)

VOTES_IN_A_PART = 2_000_000
"""How many rows a part has on average."""

OnProgress = Callable[[str, int, int], None]
"""Is told the stage, how much of it is done, and how much there is: rows read, then parts scored."""


class ShardScores(msgspec.Struct, frozen=True, eq=False):
    """The scores of all items, and how they were made."""

    frame: pl.DataFrame | None
    """What `score_votes` gives, in no order; None if the scores were written to a file."""
    items: int
    """How many items have a score."""
    account: VoteAccount
    """What became of all rows."""
    dealt: str
    """Why rows had to be dealt instead of sums merged; empty if sums were merged."""


def score_shards(
    patterns: Sequence[str],
    decay: Decay | None = None,
    *,
    engine: Engine = Engine.PROCESSES,
    address: str = "",
    workers: int | None = None,
    options: VoteOptions | None = None,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
    prompt: str | None = None,
    interval: bool = False,
    ambiguous: bool = False,
    output: Path | None = None,
    rows_in_a_shard: int = ROWS_IN_A_SHARD,
    votes_in_a_part: int = VOTES_IN_A_PART,
    on_progress: OnProgress = lambda *_: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> ShardScores:
    """Score the votes of Parquet files: paths, folders, addresses or patterns such as `votes/*.parquet`.

    Memory is that of a shard and a part for each worker, and of all scores unless `output` names a Parquet file for
    them. The folder of the output, or that for temporary files, holds the parts meanwhile; no worker needs to see it.
    `interval` adds what `weighted_intervals` does, `ambiguous` leaves only ambiguous items, `prompt` only votes under
    that prompt. Raises `UsageError` or `InputError` naming the file that cannot be read as asked.
    """
    chosen, terms = options or VoteOptions(), decay or Decay()
    shards = find_shards(find_sources(patterns), chosen, rows_in_a_shard=rows_in_a_shard)
    parts = max(1, -(-sum(shard.rows for shard in shards) // votes_in_a_part))
    sources = tuple(shard.source for shard in shards)
    plan = ShardPlan(terms, chosen, tuple(by), as_of, prompt, interval, parts, now(), sources)
    with (
        tempfile.TemporaryDirectory(prefix="venire-scores-", dir=output and output.parent) as folder,
        open_workers(engine, address=address, count=workers) as at_work,
    ):
        work = _Work(plan, shards, at_work, Path(folder), on_progress)
        dealt = _not_mergeable(plan)
        account = None if dealt else _merge_sums(work)
        if account is None:
            dealt = dealt or "votes of the same time stand in several files, so that some may be the same vote"
            account = _deal_rows(work)
        scores = pl.scan_ipc(sorted((Path(folder) / "scores").iterdir()))
        scores = scores.filter(pl.col("ambiguous")) if ambiguous else scores
        if output is None:
            frame = scores.collect()
            return ShardScores(frame, frame.height, account, dealt)
        scores.sink_parquet(output)
    items = int(pl.scan_parquet(output).select(pl.len()).collect().item())
    return ShardScores(None, items, account, dealt)


def _not_mergeable(plan: ShardPlan) -> str:
    if plan.interval:
        return "an interval needs all votes of each voter on an item"
    if plan.decay.batching.by == "count":
        return "which votes share a batch of so many depends on all votes on the item"
    return ""


class _Work(msgspec.Struct, frozen=True, eq=False):
    plan: ShardPlan
    shards: list[Shard]
    workers: Workers
    folder: Path
    on_progress: OnProgress


def _merge_sums(work: _Work) -> VoteAccount | None:
    """Score the merged sums of all shards; None if votes may stand twice in different ones and it matters."""
    files = PartFiles(work.folder / "sums", work.plan.parts)
    matters = work.plan.options.duplicates is not Duplicates.ALL
    found: list[DealtShard] = []
    for shard in _read(work, deal_sums, files):
        found.append(shard)
        # Shards that mix times and items show it soon; then no more of them are summed up in vain.
        if (
            matters
            and len(found).bit_count() == 1
            and _meet(found)
            and may_repeat(read_part(files.load(0)), work.plan.by)
        ):
            return None
    account = _total(work, found)
    repeats = False
    apart = msgspec.structs.replace(work.plan, apart=not _meet(found))
    for part in _score(msgspec.structs.replace(work, plan=apart), score_merged, files):
        repeats |= part.repeats
        if repeats and matters:
            return None
    return msgspec.structs.replace(account, duplicated=None) if repeats else account


def _deal_rows(work: _Work) -> VoteAccount:
    """Score the rows of all shards, dealt by inference."""
    files = PartFiles(work.folder / "rows", work.plan.parts)
    account = _total(work, list(_read(work, deal_rows, files)))
    return reduce(VoteAccount.plus, (part.account for part in _score(work, score_rows, files)), account)


def _read(
    work: _Work, function: Callable[[ShardPlan, tuple[int, Shard]], DealtShard], files: PartFiles
) -> Iterator[DealtShard]:
    tasks = ((str(shard), (number, shard)) for number, shard in enumerate(work.shards))
    done, total, sign = 0, sum(shard.rows for shard in work.shards), hashing_sign()
    for number, shard in work.workers.map(partial(function, work.plan), tasks):
        if shard.sign != sign:
            raise ConfigError(
                "a worker deals votes differently than this process does",
                where=work.shards[number].source,
                hint="All machines of a cluster need the same versions of Polars and Venire.",
            )
        files.add(number, shard.parts)
        done += work.shards[number].rows
        work.on_progress("reading", done, total)
        yield msgspec.structs.replace(shard, parts=[])


def _score(work: _Work, function: Callable[[ShardPlan, bytes], ScoredPart], files: PartFiles) -> Iterator[ScoredPart]:
    folder = work.folder / "scores"
    folder.mkdir(exist_ok=True)
    for done, (number, part) in enumerate(work.workers.map(partial(function, work.plan), files.load_all()), start=1):
        if part.scores:
            (folder / f"{number:06}.arrow").write_bytes(part.scores)
        work.on_progress("scoring", done, work.plan.parts)
        yield msgspec.structs.replace(part, scores=b"")


def _total(work: _Work, found: list[DealtShard]) -> VoteAccount:
    """Return the account of all shards. Raises `UsageError` if a prompt is wanted that none of them has."""
    prompt, known = work.plan.prompt, sorted(set[str]().union(*(shard.prompts for shard in found)))
    if prompt is not None and prompt not in known:
        raise UsageError(
            f"no votes under the voter prompt {prompt!r}",
            hint=f"There are: {', '.join(map(repr, known[:20])) or 'none'}.",
        )
    sources = list(dict.fromkeys(work.plan.sources))
    name = sources[0] if len(sources) == 1 else f"{len(sources):,} files"
    accounts = (shard.account for shard in sorted(found, key=lambda each: each.number))
    return reduce(VoteAccount.plus, accounts, VoteAccount(where=name))


def _meet(found: list[DealtShard]) -> bool:
    """Tell whether any two shards have votes of the same stretch of time."""
    spans = sorted(shard.span for shard in found if shard.span)
    return any(later[0] <= earlier[1] for earlier, later in pairwise(spans))
