"""Decay over shards of Parquet: DuckDB alone, processes of this machine, and Ray.

Run: `python -m bench.vote_shards [VOTES] [ITEMS] [SHARDS] [WAY …]`, by default 100 million votes on 100,000 items in 50
files, each of a stretch of time, as exports have them, in all ways; `--mixed` deals rows to files at random instead, so
that sums cannot be merged and rows are dealt. DuckDB alone groups by item and day with the same sums and does nothing
else: it refuses no row, looks for no duplicate and weighs no batch; it is the practical limit. Each measurement is a
process of its own, one after the other. CPU counts it and all processes that it started, those of Ray included; the
peak is that of the proportional memory (PSS) of all of them together, looked at twice a second. The files are written
into VENIRE_BENCH_FOLDER, or the folder for temporary files, and removed at the end.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(os.environ.get("VENIRE_BENCH_FOLDER", tempfile.gettempdir()))
SPAN = 90 * 86_400_000_000
START = 1_735_689_600_000_000
WAYS = ["duckdb", "local", "processes", "ray"]


def make_files(folder: Path, votes: int, items: int, shards: int, *, mixed: bool) -> None:
    """Write votes over ninety days, names as text; each file has its own stretch of them unless they are mixed."""
    import numpy as np
    import polars as pl

    generator = np.random.default_rng(1)
    for shard in range(shards):
        count = votes * (shard + 1) // shards - votes * shard // shards
        low, high = (0, SPAN) if mixed else (SPAN * shard // shards, SPAN * (shard + 1) // shards)
        frame = pl.DataFrame(
            {"item": generator.integers(items, size=count), "voter": generator.integers(20_000, size=count)}
        )
        frame.select(
            pl.format("inference-{}", "item").alias("inference_id"),
            pl.Series("vote", generator.integers(11, size=count) / 10),
            pl.format("voter-{}", "voter").alias("voter_id"),
            pl.Series("vote_time", np.sort(generator.integers(START + low, START + high, count))).cast(
                pl.Datetime("us", "UTC")
            ),
            pl.lit("is it funny").alias("voter_prompt_id"),
        ).write_parquet(folder / f"votes-{shard:04}.parquet")


def duckdb(folder: Path) -> int:
    """Group by item and day: the sums that the closed form needs."""
    import duckdb

    query = f"""
        SELECT inference_id, voter_prompt_id, epoch_us(vote_time) // 86400000000 AS day,
               count(*), sum(vote), sum(vote * vote), min(vote), max(vote), max(vote_time)
        FROM '{folder}/*.parquet' GROUP BY ALL"""
    connection = duckdb.connect(config={"temp_directory": str(folder / "spill")})
    connection.execute(f"COPY ({query}) TO '{folder}/sums.out' (FORMAT parquet)")
    return int(
        connection.execute(f"SELECT count(DISTINCT inference_id) FROM read_parquet('{folder}/sums.out')").fetchall()[0][
            0
        ]
    )


def venire(folder: Path, engine: str) -> int:
    """Read, check every row, look for duplicates, merge, and score every item with all that belongs to it."""
    from venire.distributed.shards import Engine
    from venire.votes.shards.reading import ShardWork
    from venire.votes.shards.scores import score_shards

    work = ShardWork(engine=Engine(engine), folder=folder)
    done = score_shards([str(folder / "*.parquet")], work=work, output=folder / "scores.out")
    print("dealt" if done.dealt else "merged", file=sys.stderr)
    return done.items


class Tree(threading.Thread):
    """Watches the memory and the CPU time of a process and all that it starts."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.seconds: dict[int, float] = {}

    def run(self) -> None:
        """Look twice a second."""
        while True:
            self.look()
            time.sleep(0.5)

    def look(self) -> None:
        """Take the CPU time of each process so far, and the memory of all together."""
        parents, seconds = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(path.parent.name)] = int(fields[1])
            seconds[int(path.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        tree = {os.getpid()}
        while grown := {process for process, parent in parents.items() if parent in tree} - tree:
            tree |= grown
        self.seconds.update((process, seconds[process]) for process in tree)
        self.peak = max(self.peak, sum(map(proportional_bytes, tree)))


def proportional_bytes(process: int) -> int:
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)


def measure_here(way: str, folder: str) -> None:
    tree = Tree()
    tree.start()
    wall = time.perf_counter()
    result = duckdb(Path(folder)) if way == "duckdb" else venire(Path(folder), way)
    wall = time.perf_counter() - wall
    tree.look()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    watched = sum(tree.seconds.values())
    own = time.process_time()
    # Children that were waited for are counted exactly; those of Ray end on their own and are counted as last seen.
    cpu = max(watched, own + ended.ru_utime + ended.ru_stime)
    print(json.dumps({"cpu": cpu, "wall": wall, "megabytes": tree.peak / 2**20, "result": result}))


def compare(votes: int, items: int, shards: int, ways: list[str], *, mixed: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="venire-bench-", dir=ROOT))
    try:
        make_files(folder, votes, items, shards, mixed=mixed)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
        kind = "of mixed times" if mixed else "of a stretch of time each"
        print(f"{votes:,} votes on {items:,} items, {shards} files {kind}, {size:,.0f} MB of Parquet\n")
        print(f"| what | CPU s | wall s | CPU ÷ {ways[0]} | wall ÷ {ways[0]} | peak MB | items |\n{'|---' * 7}|")
        first: dict[str, float] = {}
        for way in ways:
            command = [sys.executable, "-m", "bench.vote_shards", "measure", way, str(folder)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            run = json.loads(done.stdout)
            first = first or run
            ratios = f"{run['cpu'] / first['cpu']:.2f} | {run['wall'] / first['wall']:.2f}"
            figures = f"{run['cpu']:.0f} | {run['wall']:.0f} | {ratios} | {run['megabytes']:,.0f} | {run['result']:,}"
            print(f"| {way} | {figures} |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure_here(*sys.argv[2:])
    else:
        numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
        ways = [word for word in sys.argv[1:] if word in WAYS] or WAYS
        votes, items, shards = [*numbers, *[100_000_000, 100_000, 50][len(numbers) :]]
        compare(votes, items, shards, ways, mixed="--mixed" in sys.argv)
