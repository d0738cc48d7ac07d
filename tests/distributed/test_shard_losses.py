"""A machine of the cluster killed with -9 while shards are worked on: its shards are read again, and nothing else."""

from __future__ import annotations

import threading
import time

import polars as pl
import pytest

from alike_scores import assert_alike
from making_votes import vote_row
from ray_cluster import RayCluster
from venire.distributed.shards import Engine, open_workers
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay
from venire.votes.reading.table import read_votes
from venire.votes.shards.reading import ShardWork
from venire.votes.shards.scores import score_shards

WAITING = """
import pathlib, time, ray
folder = pathlib.Path({folder!r})
(folder / f"begun {number} {{ray.util.get_node_ip_address()}}").touch()
while not (folder / "go on").exists():
    time.sleep(0.01)
"""
"""What a task does that is under way for as long as the test wants."""


@pytest.fixture(scope="module")
def cluster():
    """A head with one processor; each test adds the node that it kills."""
    cluster = RayCluster(nodes=1, cpus=1)
    yield cluster
    cluster.remove()


@pytest.mark.long
def test_tasks_under_way_on_a_node_that_is_killed_are_done_again(cluster, tmp_path):
    cluster.add_node(cpus=2)

    def kill_when_all_are_under_way():
        while len(list(tmp_path.glob("begun *"))) < 3:
            time.sleep(0.01)
        cluster.kill_node(-1)
        (tmp_path / "go on").touch()

    killing = threading.Thread(target=kill_when_all_are_under_way)
    tasks = [(f"task {number}", WAITING.format(folder=str(tmp_path), number=number)) for number in range(6)]
    with open_workers(Engine.RAY, address=cluster.address, count=3) as workers:
        killing.start()
        assert sorted(workers.map(exec, tasks)) == [(number, None) for number in range(6)]
    killing.join()
    places = [path.name.split()[1:] for path in tmp_path.glob("begun *")]
    lost = {number for number, place in places if place != "127.0.0.2"}
    assert len(lost) == 2
    assert lost < {number for number, place in places if place == "127.0.0.2"}


@pytest.mark.long
@pytest.mark.parametrize("stage", ["reading", "scoring"])
def test_scores_are_those_of_all_votes_if_a_node_is_killed_while(stage, cluster, tmp_path):
    # Rows are dealt, so that what shards and parts give is large and lies on the node where it was made.
    decay = Decay(batching=Batching("count", 4))
    rows = [
        vote_row(number % 3 / 2, day=number / 1000, voter=f"v{number % 31}", item=f"inference {number % 997}")
        for number in range(20_000)
    ]
    path = tmp_path / "votes.parquet"
    pl.DataFrame(rows).write_parquet(path)
    cluster.add_node(cpus=2)
    killed = []

    def kill_once(told, done, total):
        if told == stage and done * 3 >= total and not killed:
            cluster.kill_node(-1)
            killed.append(done)

    work = ShardWork(
        engine=Engine.RAY, address=cluster.address, workers=3, rows_in_a_shard=2_000, votes_in_a_part=2_000
    )
    found = score_shards(path, decay, work=work, on_progress=kill_once)
    assert killed
    assert found.dealt
    assert found.account.rows == 20_000
    assert_alike(found.frame, score_votes(read_votes(path).frame, decay).frame)
