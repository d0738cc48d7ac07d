"""All shards of some files, and who reads them: what everything over shards begins with."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

import msgspec

from venire.distributed.shards import Engine, Workers, open_workers
from venire.errors import ConfigError, UsageError
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.shards import ROWS_IN_A_SHARD, Shard, find_shards, find_sources
from venire.votes.reading.table import VoteOptions
from venire.votes.shards.partitions import PartFiles, PartitionedShard, ReadingPlan, hashing_sign
from venire.words.said import say

__all__ = [
    "VOTES_IN_A_PART",
    "Engine",
    "OnProgress",
    "ShardReading",
    "ShardWork",
    "open_shards",
]

VOTES_IN_A_PART = 2_000_000
"""How many rows a part has on average."""

OnProgress = Callable[[str, int, int], None]
"""Is told the stage, how much of it is done, and how much there is: rows read, then parts worked on."""


class ShardWork(msgspec.Struct, frozen=True, kw_only=True):
    """How shards are worked on."""

    engine: Engine | str = Engine.PROCESSES
    """Who does the work: `local`, `processes` or `ray`."""
    address: str = ""
    """The Ray cluster; empty starts one on this machine, unless RAY_ADDRESS names one."""
    workers: int | None = None
    """How many shards are worked on at a time; None is one for each processor."""
    rows_in_a_shard: int = ROWS_IN_A_SHARD
    """How many rows a shard has at most; each worker holds one in memory."""
    votes_in_a_part: int = VOTES_IN_A_PART
    """How many rows a part has on average; each worker holds one in memory."""
    folder: Path | None = None
    """Where parts lie meanwhile; None is the folder for temporary files. Workers need not see it."""


class ShardReading(msgspec.Struct, frozen=True, eq=False):
    """Shards that were found, and workers that stand ready."""

    plan: ReadingPlan
    """What workers need to know."""
    shards: list[Shard]
    """The shards, in the order of their rows."""
    workers: Workers
    """Those who do the work."""
    folder: Path
    """Where parts lie until the end."""
    on_progress: OnProgress
    """Is told how far it is."""

    def partition(
        self, function: Callable[[tuple[int, Shard]], PartitionedShard], files: PartFiles
    ) -> Iterator[PartitionedShard]:
        """Let workers partition all shards, write down what they return, and yield the rest of it as it comes."""
        tasks = ((str(shard), (number, shard)) for number, shard in enumerate(self.shards))
        done, total, sign = 0, sum(shard.rows for shard in self.shards), hashing_sign()
        for number, shard in self.workers.map(function, tasks):
            if shard.sign != sign:
                raise ConfigError("error.shards.worker_differs", where=self.shards[number].source)
            files.add(number, shard.parts)
            done += self.shards[number].rows
            self.on_progress(say("progress.shards.reading"), done, total)
            yield msgspec.structs.replace(shard, parts=[])

    def account(self, found: Sequence[PartitionedShard]) -> VoteAccount:
        """Add up what became of all rows. Raises `UsageError` if a prompt is wanted that no shard has."""
        prompt, known = self.plan.prompt, sorted(set[str]().union(*(shard.prompts for shard in found)))
        if prompt is not None and prompt not in known:
            raise UsageError(
                "error.votes.none_under", prompt=prompt, known=tuple(map(repr, known[:20])) or say("problem.none")
            )
        sources = list(dict.fromkeys(self.plan.sources))
        name = sources[0] if len(sources) == 1 else say("problem.files", count=len(sources))
        accounts = (shard.account for shard in sorted(found, key=lambda each: each.number))
        return reduce(VoteAccount.plus, accounts, VoteAccount(where=name))


@contextmanager
def open_shards(
    patterns: str | Path | Sequence[str | Path],
    work: ShardWork,
    options: VoteOptions | None,
    prompt: str | None,
    on_progress: OnProgress,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[ShardReading]:
    """Find the shards of files, start workers, and end them at the end; nothing stays on the disk."""
    chosen = options or VoteOptions()
    named = [patterns] if isinstance(patterns, (str, Path)) else patterns
    shards = find_shards(find_sources(list(map(str, named))), chosen, rows_in_a_shard=work.rows_in_a_shard)
    parts = max(1, -(-sum(shard.rows for shard in shards) // work.votes_in_a_part))
    plan = ReadingPlan(chosen, prompt, parts, now(), tuple(shard.source for shard in shards))
    with (
        tempfile.TemporaryDirectory(prefix="venire-shards-", dir=work.folder) as folder,
        open_workers(work.engine, address=work.address, count=work.workers) as workers,
    ):
        yield ShardReading(plan, shards, workers, Path(folder), on_progress)
