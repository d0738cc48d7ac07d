"""Votes in several files, and who works on them."""

import random

import polars as pl
import pytest

from making_votes import vote_row
from venire.distributed.shards import Engine
from venire.votes.shards.reading import ShardWork


@pytest.fixture(params=list(Engine))
def work(request):
    if request.param == Engine.RAY:
        request.getfixturevalue("joined_cluster")
    return ShardWork(engine=request.param, workers=2, votes_in_a_part=60)


@pytest.fixture
def files(tmp_path):
    """Four files, with votes in a random order: some voters voted twice, some rows stand twice."""
    generator = random.Random(7)
    rows = []
    for item in range(40):
        for voter in range(6):
            lean = 0.2 if item % 3 else 0.8
            vote = min(1.0, max(0.0, round(generator.gauss(lean, 0.2), 1)))
            rows.append(vote_row(vote, day=generator.random() * 20, voter=f"v{voter}", item=f"i{item}"))
    rows += [dict(row, vote=0.0) for row in rows[:5]]
    rows += [vote_row(1.0, day=30, voter="v1", item="i3"), vote_row(1.0, voter="bot", item="i3", kind="judge")]
    rows += [vote_row(None, voter="v9", item="i4")]
    generator.shuffle(rows)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    for number in range(4):
        frame.slice(number * 62, 62).write_parquet(tmp_path / f"{number}.parquet")
    return tmp_path
