"""Scores of millions of votes beside what Polars and DuckDB need just to read and group the same file.

Run: `python -m bench.votes [VOTES] [ITEMS] [ROUNDS]`, by default 10 million votes on 100,000 items, three rounds.
Each measurement is a process of its own, so that its peak of memory is its own; rounds alternate and medians are
printed, because the machine is noisy. CPU counts all threads. The file is written into VENIRE_BENCH_FOLDER, or the
folder for temporary files, and kept for the next run. Votes that do not fit into memory: `bench.vote_shards`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

FOLDER = Path(os.environ.get("VENIRE_BENCH_FOLDER", tempfile.gettempdir()))
SPAN = 90 * 86_400_000_000
START = 1_735_689_600_000_000
COLUMNS = ["inference_id", "vote", "voter_id", "vote_time", "voter_prompt_id"]


def make_file(votes: int, items: int) -> Path:
    """Write votes over ninety days in the order of time, names as text, as an export has them."""
    import numpy as np
    import polars as pl
    import pyarrow.parquet as pq

    path = FOLDER / f"venire-votes-{votes}-{items}.parquet"
    if path.exists():
        return path
    generator = np.random.default_rng(1)
    writer = None
    for begin in range(0, votes, 5_000_000):
        count = min(5_000_000, votes - begin)
        times = np.sort(
            generator.integers(START + SPAN * begin // votes, START + SPAN * (begin + count) // votes, count)
        )
        frame = pl.DataFrame(
            {"item": generator.integers(items, size=count), "voter": generator.integers(20_000, size=count)}
        )
        table = frame.select(
            pl.format("inference-{}", "item").alias("inference_id"),
            pl.Series("vote", generator.integers(11, size=count) / 10),
            pl.format("voter-{}", "voter").alias("voter_id"),
            pl.Series("vote_time", times).cast(pl.Datetime("us", "UTC")),
            pl.lit("is it funny").alias("voter_prompt_id"),
        ).to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or pq.ParquetWriter(path.with_suffix(".part"), table.schema, compression="zstd")
        writer.write_table(table, row_group_size=1_000_000)
    if writer:
        writer.close()
    return path.with_suffix(".part").rename(path)


def polars_group(path: Path) -> int:
    """Read and group: count, mean and last time of each item."""
    import polars as pl

    grouped = pl.scan_parquet(path).group_by("inference_id", "voter_prompt_id")
    return grouped.agg(pl.mean("vote"), pl.max("vote_time"), pl.len()).collect(engine="streaming").height


def duckdb_group(path: Path) -> int:
    """Read and group the same."""
    import duckdb

    query = f"SELECT inference_id, voter_prompt_id, avg(vote), max(vote_time), count(*) FROM '{path}' GROUP BY 1, 2"
    return len(duckdb.connect().execute(query).fetchnumpy()["inference_id"])


def polars_read(path: Path) -> int:
    """Hold the columns in memory, and do nothing with them; returns their bytes."""
    import polars as pl

    return int(pl.read_parquet(path, columns=COLUMNS).estimated_size())


def venire_scores(source: Path | pl.DataFrame) -> int:
    """Read, check every row, look for duplicates, and score every item with all that belongs to it."""
    from venire.votes.decay.consensus import score_votes
    from venire.votes.reading.table import read_votes

    return score_votes(read_votes(source).frame).frame.height


def frame_scores(frame: pl.DataFrame) -> int:
    """Read a frame that is in memory already, as `venire_scores` reads the file, and score it."""
    return venire_scores(frame)


def scores_only(frame: pl.DataFrame) -> int:
    """Score votes that were read before."""
    from venire.votes.decay.consensus import score_votes

    return score_votes(frame).frame.height


def read_frame(path: Path) -> pl.DataFrame:
    """Return the file as a frame of Polars; this is not measured."""
    import polars as pl

    return pl.read_parquet(path, columns=COLUMNS)


def read_before(path: Path) -> pl.DataFrame:
    """Return votes that were read and checked; this is not measured."""
    from venire.votes.reading.table import read_votes

    return read_votes(path).frame


PREPARED = {"frame_scores": read_frame, "scores_only": read_before}
MEASURED = {
    each.__name__: each for each in (polars_group, duckdb_group, polars_read, venire_scores, frame_scores, scores_only)
}


def peak_megabytes() -> float:
    """Return the peak of this program alone; `ru_maxrss` would begin with that of the process that started it."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def measure_here(name: str, path: str) -> None:
    source = PREPARED.get(name, Path)(Path(path))
    wall, cpu = time.perf_counter(), time.process_time()
    result = MEASURED[name](source)
    spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "result": result}
    print(json.dumps({**spent, "megabytes": peak_megabytes()}))


def measure(name: str, path: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.votes", "measure", name, str(path)], check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def compare(votes: int = 10_000_000, items: int = 100_000, rounds: int = 3) -> None:
    path = make_file(votes, items)
    names = ["polars_group", "duckdb_group", "venire_scores", "frame_scores", "scores_only"]
    found = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            found[name].append(measure(name, path))
    held = measure("polars_read", path)["result"] / 2**20
    print(f"{votes:,} votes on {items:,} items; the columns used take {held:,.0f} MB in memory\n")
    print(
        "| what | CPU s | wall s | peak MB | CPU ÷ Polars | CPU ÷ DuckDB | peak ÷ columns |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name in names:
        cpu, wall, peak = (statistics.median(run[key] for run in found[name]) for key in ("cpu", "wall", "megabytes"))
        ratios = [
            statistics.median(own["cpu"] / peer["cpu"] for own, peer in zip(found[name], found[other], strict=True))
            for other in ("polars_group", "duckdb_group")
        ]
        print(
            f"| {name} | {cpu:.2f} | {wall:.2f} | {peak:,.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} | {peak / held:.2f} |"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure_here(*sys.argv[2:])
    else:
        compare(*map(int, sys.argv[1:]))
