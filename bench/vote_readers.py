"""Who reads the shards of votes: Polars, as Venire does, or DuckDB in its place, with the same checks of every row.

Run: `python -m bench.vote_readers [VOTES] [ROUNDS]`, by default 10 million votes on 100,000 items in shards of two
million, three rounds. DuckDB hands its rows over as an Arrow table; checks written in SQL are not compared. Each
measurement is a process of its own; rounds alternate and medians are printed. CPU counts all threads. The file is that
of `bench.votes`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime

from bench.votes import COLUMNS, make_file, peak_megabytes

ROWS = 2_000_000


def read_with_polars(path: str, begin: int) -> int:
    from venire.votes.reading.shards import Shard, read_shard

    return read_shard(Shard(path, begin, ROWS), None, lambda: datetime.now(UTC)).votes


def read_with_duckdb(path: str, begin: int) -> int:
    import duckdb
    import polars as pl

    from venire.votes.reading.cells import RawVotes
    from venire.votes.reading.table import read_votes

    query = f"""SELECT {", ".join(COLUMNS)} FROM read_parquet('{path}', file_row_number = true)
                WHERE file_row_number BETWEEN {begin} AND {begin + ROWS - 1}"""
    frame = pl.from_arrow(duckdb.connect().sql(query).to_arrow_table())
    return read_votes(RawVotes(frame.lazy(), path)).votes


WAYS = {"polars": read_with_polars, "duckdb": read_with_duckdb}


def measure_here(way: str, path: str, votes: str) -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    found = sum(WAYS[way](path, begin) for begin in range(0, int(votes), ROWS))
    spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "votes": found}
    print(json.dumps({**spent, "megabytes": peak_megabytes()}))


def compare(votes: int = 10_000_000, rounds: int = 3) -> None:
    path = make_file(votes, 100_000)
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, runs in found.items():
            command = [sys.executable, "-m", "bench.vote_readers", "measure", way, str(path), str(votes)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            runs.append(json.loads(done.stdout))
    print("| reader | CPU s | wall s | peak MB | votes |\n|---|---|---|---|---|")
    for way, runs in found.items():
        cpu, wall, peak = (statistics.median(run[key] for run in runs) for key in ("cpu", "wall", "megabytes"))
        print(f"| {way} | {cpu:.1f} | {wall:.0f} | {peak:,.0f} | {runs[0]['votes']:,} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure_here(*sys.argv[2:])
    else:
        compare(*map(int, sys.argv[1:]))
