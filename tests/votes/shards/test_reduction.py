"""Statistics of votes in many files: those of all votes together, whoever does the work."""

import random

import polars as pl
import pytest

from making_votes import vote_row
from venire.distributed.cluster import joined
from venire.distributed.shards import Engine
from venire.errors import PoolingError, UsageError
from venire.stats.agreement.alpha_sums import alpha_sums
from venire.stats.latent.dawid_skene import dawid_skene
from venire.stats.uncertainty.mean_sums import mean_sums
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.voter_ratings import voter_agreement
from venire.votes.reading.table import read_votes
from venire.votes.shards.agreement import agreement_over_shards
from venire.votes.shards.dawid_skene import dawid_skene_of, dawid_skene_over_shards
from venire.votes.shards.reading import ShardWork
from venire.votes.shards.reduction import reduce_votes


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Start Ray once for all tests here."""
    with joined(""):
        yield


@pytest.fixture(params=list(Engine))
def work(request):
    return ShardWork(engine=request.param, workers=2, votes_in_a_part=60)


def in_this_process():
    return ShardWork(engine=Engine.LOCAL, votes_in_a_part=60)


@pytest.fixture
def files(tmp_path):
    """Four files, to which votes were dealt at random: some voters voted twice, some rows stand twice."""
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


def test_any_summary_can_be_merged_and_rows_are_accounted_for(files):
    found = reduce_votes([str(files)], len, int.__add__, work=in_this_process())
    assert found.summary == all_votes(files).height == 243
    assert (found.account.rows, found.account.votes, found.account.duplicated) == (248, 242, 10)


def test_summaries_are_merged_in_the_order_of_parts(files, work):
    own = reduce_votes([str(files)], pl.DataFrame.to_dicts, list.__add__, work=work)
    again = reduce_votes([str(files)], pl.DataFrame.to_dicts, list.__add__, work=in_this_process())
    assert own.summary == again.summary
    assert len(own.summary) == 243


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
