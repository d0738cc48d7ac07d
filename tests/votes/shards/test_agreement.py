"""Agreement of votes in many files is that of all of them together."""

import polars as pl
import pytest

from making_votes import vote_row
from venire.distributed.shards import Engine
from venire.errors import PoolingError, UsageError
from venire.stats.agreement.alpha_sums import alpha_sums
from venire.stats.uncertainty.mean_sums import mean_sums
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.voter_ratings import voter_agreement
from venire.votes.reading.table import read_votes
from venire.votes.shards.agreement import agreement_over_shards
from venire.votes.shards.reading import ShardWork


def in_this_process():
    return ShardWork(engine=Engine.LOCAL, votes_in_a_part=60)


def all_votes(files):
    return read_votes(pl.concat(pl.read_parquet(path) for path in sorted(files.iterdir()))).frame


def people(files):
    return all_votes(files).filter(pl.col("voter_kind").cast(pl.String) == "person")


@pytest.mark.parametrize("metric", ["interval", "ordinal"])
def test_agreement_is_that_of_all_votes_together(files, work, metric):
    found = agreement_over_shards([str(files)], metric, replicates=0, work=work).alpha
    wanted = voter_agreement(all_votes(files), metric, replicates=0)
    assert found.value == pytest.approx(wanted.value, abs=1e-12)
    assert (found.n, found.method) == (wanted.n, wanted.method)


@pytest.mark.parametrize("metric", ["interval", "nominal"])
def test_the_interval_of_agreement_does_not_depend_on_who_does_the_work(files, work, metric):
    found = agreement_over_shards([str(files)], metric, seed=4, replicates=50, work=work).alpha
    ballots = cast_ballots(people(files))
    columns = (ballots[name].to_list() for name in ("inference_id", "voter_id", "vote"))
    wanted = alpha_sums(*columns, metric, seed=4, replicates=50).estimate()
    assert (found.n, found.method, found.seed) == (wanted.n, wanted.method, 4)
    assert [found.low, found.high] == pytest.approx([wanted.low, wanted.high], abs=1e-9)


def test_a_mean_is_that_of_all_votes_of_people_together(files, work):
    found = agreement_over_shards([str(files)], seed=4, replicates=200, work=work).mean
    votes = people(files).filter(pl.col("vote").is_not_null())
    wanted = mean_sums(votes["vote"], votes["voter_id"].to_list(), seed=4, replicates=200).estimate()
    assert found.value == pytest.approx(wanted.value)
    assert [found.low, found.high] == pytest.approx([wanted.low, wanted.high])
    assert found.n == wanted.n


def test_a_mean_by_inference_has_another_interval(files):
    by_voter, by_inference = (
        agreement_over_shards([str(files)], clusters=name, work=in_this_process()).mean
        for name in ("voter_id", "inference_id")
    )
    assert by_voter.value == by_inference.value
    assert by_inference.standard_error > by_voter.standard_error


def test_clusters_are_columns_of_votes(files):
    with pytest.raises(UsageError, match="expected clusters by one of inference_id"):
        agreement_over_shards([str(files)], clusters="country")


def test_replicates_are_none_or_more(files):
    with pytest.raises(UsageError, match="expected 0 replicates or more, found -1"):
        agreement_over_shards([str(files)], replicates=-1)


def test_votes_under_several_prompts_do_not_agree_or_disagree(tmp_path):
    rows = [vote_row(1, prompt="p", item="a"), vote_row(1, prompt="q", item="b")]
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(PoolingError, match="expected votes under one prompt, found 2: 'p', 'q'"):
        agreement_over_shards([str(tmp_path)], work=in_this_process())
    alone = agreement_over_shards([str(tmp_path)], prompt="p", work=in_this_process())
    assert alone.alpha.reason == "no unit has two ratings"


def test_votes_of_judges_only_leave_the_agreement_of_people_unknown(tmp_path):
    frame = pl.DataFrame([vote_row(1, kind="judge")])
    frame.write_parquet(tmp_path / "votes.parquet")
    found = agreement_over_shards([str(tmp_path)], work=in_this_process())
    assert found.alpha == voter_agreement(read_votes(frame).frame)
    assert found.mean.reason == "no observations"
