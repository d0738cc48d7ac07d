"""Score votes that do not fit into memory, from Parquet to Parquet."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import polars as pl

from venire.inputs.vote_partitions import add_up, read_in_parts
from venire.inputs.votes import RefusedRow, VoteOptions
from venire.stats.decay import score_votes
from venire.stats.decay_terms import Decay
from venire.stats.vote_batches import ITEM

_EXAMPLES = 1000


class OutOfCoreScores(msgspec.Struct, frozen=True):
    """What was read and written."""

    items: int
    """How many items have a score."""
    counts: dict[str, int]
    """What became of all rows; see `add_up`."""
    examples: tuple[RefusedRow, ...]
    """Some of the rows that were left out."""


def score_out_of_core(
    paths: Sequence[Path],
    output: Path,
    decay: Decay | None = None,
    *,
    options: VoteOptions | None = None,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
    on_progress: Callable[[int], None] = lambda _: None,
) -> OutOfCoreScores:
    """Score all items of Parquet files into one Parquet file; the scores are those that `score_votes` gives.

    Needs DuckDB, and about as much room beside the output as the files take. `on_progress` is told how many rows are
    done.
    """
    counts: dict[str, int] = {}
    examples: list[RefusedRow] = []
    items = 0
    with tempfile.TemporaryDirectory(prefix="venire-scores-", dir=output.parent) as scratch:
        for number, part in enumerate(read_in_parts(paths, options, folder=output.parent)):
            scores = score_votes(part.frame, decay, as_of=as_of, by=by).frame
            scores.write_parquet(Path(scratch) / f"{number:06}.parquet")
            items += scores.height
            for name, count in add_up([part]).items():
                counts[name] = counts.get(name, 0) + count
            examples.extend(part.examples[: _EXAMPLES - len(examples)])
            on_progress(counts["rows"])
        pl.scan_parquet(Path(scratch) / "*.parquet").sink_parquet(output)
    return OutOfCoreScores(items, counts, tuple(examples))
