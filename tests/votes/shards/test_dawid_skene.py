"""Dawid and Skene's model over many files is that of all votes together."""

import polars as pl
import pytest

from making_votes import vote_row
from venire.distributed.shards import Engine
from venire.errors import PoolingError, UsageError
from venire.stats.latent.dawid_skene import dawid_skene
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.reading.table import read_votes
from venire.votes.shards.dawid_skene import dawid_skene_of, dawid_skene_over_shards
from venire.votes.shards.reading import ShardWork


def in_this_process():
    return ShardWork(engine=Engine.LOCAL, votes_in_a_part=60)


def all_votes(files):
    return read_votes(pl.concat(pl.read_parquet(path) for path in sorted(files.iterdir()))).frame


def people(files):
    return all_votes(files).filter(pl.col("voter_kind").cast(pl.String) == "person")


def test_dawid_skene_is_that_of_all_ballots_of_people_together(files, work):
    done = dawid_skene_over_shards(files, work=work, max_iterations=20)
    found = done.fit
    assert (done.account.rows, done.account.votes, done.account.duplicated) == (248, 242, 10)
    ballots = cast_ballots(people(files))
    columns = (ballots[name].to_list() for name in ("inference_id", "voter_id", "vote"))
    wanted = dawid_skene(*columns, restarts=0, max_iterations=20)
    assert (found.judges, found.categories, found.n) == (wanted.judges, wanted.categories, wanted.n)
    assert found.trace == pytest.approx(wanted.trace)
    assert found.competence == pytest.approx(wanted.competence, abs=1e-9)


def test_dawid_skene_in_memory_is_that_over_shards(files):
    found, wanted = dawid_skene_of(all_votes(files)), dawid_skene_over_shards(files, work=in_this_process()).fit
    assert (found.judges, found.categories, found.n) == (wanted.judges, wanted.categories, wanted.n)
    assert found.competence == pytest.approx(wanted.competence, abs=1e-6)


def test_dawid_skene_needs_votes_on_a_short_scale(tmp_path):
    rows = [vote_row(number / 1000, item=str(number)) for number in range(1000)]
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(UsageError, match="expected votes of up to 100 distinct values, found 1,000"):
        dawid_skene_over_shards(tmp_path, work=in_this_process())


def test_dawid_skene_needs_votes_under_one_prompt(tmp_path):
    pl.DataFrame([vote_row(1, prompt="p"), vote_row(1, prompt="q")]).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(PoolingError, match="expected votes under one prompt"):
        dawid_skene_over_shards(tmp_path, work=in_this_process())


def test_dawid_skene_needs_votes_of_people(tmp_path):
    frame = pl.DataFrame([vote_row(1, kind="judge")])
    frame.write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(UsageError, match="expected votes of people, found none"):
        dawid_skene_over_shards(tmp_path, work=in_this_process())
    with pytest.raises(UsageError, match="expected votes of people, found none"):
        dawid_skene_of(read_votes(frame).frame)
