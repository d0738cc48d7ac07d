"""Scores over shards: what all rows together give, however they are split and whoever does the work."""

import random
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alike_scores import assert_alike
from drawing import draws
from making_votes import START, vote_row
from venire.distributed.shards import Engine
from venire.errors import ConfigError, InputError, UsageError
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.interval import weighted_intervals
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Batching, Decay
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.table import VoteOptions, read_votes
from venire.votes.reading.values import Refusal
from venire.votes.shards.reading import ShardWork
from venire.votes.shards.scores import score_shards

NOW = START + timedelta(days=60)
ROWS = st.lists(
    st.builds(
        vote_row,
        st.sampled_from([None, 0.0, 0.25, 0.5, 1.0, 1.5]),
        day=st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, 2.5, 40.0, 70.0]),
        voter=st.sampled_from(["x", "y", "z", ""]),
        item=st.sampled_from("abcdef"),
        prompt=st.sampled_from(["", "p"]),
        reputation=st.sampled_from([1.0, 1.0, 2.0, -1.0]),
        kind=st.sampled_from(["person", "person", "judge"]),
    ),
    min_size=1,
    max_size=40,
)


def write(folder, rows, where):
    """Write rows into the file whose number stands at their place; return the files, and all rows in their order."""
    folder.mkdir()
    whole = pl.DataFrame(rows)
    parts = [whole.filter(pl.Series(where[: len(rows)]) == number) for number in range(4)]
    for number, part in enumerate(parts):
        part.write_parquet(folder / f"{number}.parquet")
    return str(folder / "*.parquet"), pl.concat(parts)


def score(pattern, decay=None, *, rows=9, engine=Engine.LOCAL, now=lambda: NOW, **given):
    folder = given["output"].parent if "output" in given else None
    work = ShardWork(engine=engine, workers=2, rows_in_a_shard=rows, votes_in_a_part=7, folder=folder)
    return score_shards([pattern], decay, work=work, now=now, **given)


def told(account):
    names = ("rows", "votes", "no_vote", "blank", "duplicated", "refused")
    return {name: getattr(account, name) for name in names}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=draws(50))
@given(
    rows=ROWS,
    where=st.lists(st.integers(0, 3), min_size=40, max_size=40),
    batch=st.sampled_from(["1d", "vote", "2"]),
    policy=st.sampled_from([Duplicates.LATEST, Duplicates.FIRST, Duplicates.ALL]),
    by=st.sampled_from([ITEM, ("inference_id",)]),
    as_of=st.sampled_from([None, START + timedelta(days=1)]),
)
def test_scores_and_refusals_are_those_of_all_rows_together(tmp_path_factory, rows, where, batch, policy, by, as_of):
    pattern, whole = write(tmp_path_factory.mktemp("votes") / "in", rows, where)
    options, decay = VoteOptions(duplicates=policy), Decay(1e-5, Batching.parse(batch))
    wanted = read_votes(whole, options, now=lambda: NOW)
    found = score(pattern, decay, options=options, by=by, as_of=as_of)
    assert_alike(found.frame, score_votes(wanted.frame, decay, as_of=as_of, by=by).frame)
    account = told(found.account)
    if account["duplicated"] is None:
        assert policy is Duplicates.ALL
        account["duplicated"] = wanted.duplicated
    assert account == told(wanted)


def votes_of_days(days, items=5):
    shuffled = [
        vote_row(number % 5 / 4, day=number / 20, voter=str(number % 7), item=f"i{number % items}")
        for number in range(20 * days)
    ]
    random.Random(1).shuffle(shuffled)
    return shuffled


@pytest.fixture
def daily(tmp_path):
    """Files of a day each, as exports have them, of which one also has rows that are no votes."""
    rows = votes_of_days(4)
    rows[3]["vote"], rows[50]["voter_id"] = 7.0, None
    return write(tmp_path / "daily", rows, [int((row["vote_time"] - START) / timedelta(days=1)) for row in rows])


def test_files_of_different_times_are_merged_as_sums(daily):
    pattern, whole = daily
    found = score(pattern, rows=100)
    assert found.dealt == ""
    assert_alike(found.frame, score_votes(read_votes(whole).frame).frame)
    assert told(found.account) == told(read_votes(whole))


def test_refused_rows_are_told_with_their_file_and_number(daily, tmp_path):
    account = score(daily[0]).account
    examples = {(each.row, each.found.rpartition(" in ")[2], each.reason) for each in account.examples}
    wanted = set()
    for number in range(4):
        file = str(tmp_path / "daily" / f"{number}.parquet")
        wanted |= {(each.row, file, each.reason) for each in read_votes(file).examples}
    assert examples == wanted
    assert {reason for _, _, reason in wanted} == {Refusal.OUTSIDE, Refusal.NO_VOTER}


def test_intervals_are_those_of_all_rows_together(daily):
    pattern, whole = daily
    found = score(pattern, interval=True)
    assert "interval" in found.dealt
    wanted = weighted_intervals(read_votes(whole).frame)
    for name in ("low", "high", "standard_error", "voters"):
        assert found.frame.sort("inference_id")[name].to_list() == wanted.sort("inference_id")[name].to_list()


def test_a_vote_that_stands_in_two_files_counts_once(tmp_path):
    rows = [vote_row(0.0), vote_row(0.5, voter="y"), vote_row(1.0)]
    pattern, _ = write(tmp_path / "in", rows, [0, 0, 1])
    found = score(pattern)
    assert "may be the same vote" in found.dealt
    assert found.frame["score"].to_list() == [0.75]
    assert found.account.refused == {Refusal.DUPLICATE: 1}
    (example,) = found.account.examples
    assert example.row == 1
    assert example.found.endswith("0.parquet")


def test_votes_that_stand_in_two_files_are_an_error_if_none_may(tmp_path):
    pattern, _ = write(tmp_path / "in", [vote_row(0.0, item="b"), vote_row(0.0), vote_row(1.0)], [0, 0, 1])
    with pytest.raises(InputError, match="2 rows are duplicate votes, one of them again as row 1") as caught:
        score(pattern, options=VoteOptions(duplicates=Duplicates.ERROR))
    assert caught.value.where.endswith("1.parquet")


def test_votes_that_all_count_are_merged_and_their_repeats_are_not_known(tmp_path):
    pattern, _ = write(tmp_path / "in", [vote_row(0.0), vote_row(1.0)], [0, 1])
    found = score(pattern, options=VoteOptions(duplicates=Duplicates.ALL))
    assert found.dealt == ""
    assert found.frame["score"].to_list() == [0.5]
    assert found.account.duplicated is None


def test_only_votes_under_the_wanted_prompt_count(tmp_path):
    pattern, _ = write(tmp_path / "in", [vote_row(0.0, prompt="p"), vote_row(1.0, prompt="q", day=1)], [0, 1])
    assert score(pattern, prompt="q").frame["score"].to_list() == [1.0]
    with pytest.raises(UsageError, match="no votes under the voter prompt 'r'") as caught:
        score(pattern, prompt="r")
    assert caught.value.hint == "There are: 'p', 'q'."


def test_scores_go_into_a_file_and_nothing_else_is_left(daily, tmp_path):
    pattern, whole = daily
    found = score(pattern, output=tmp_path / "scores.parquet")
    assert (found.frame, found.items) == (None, 5)
    assert_alike(pl.read_parquet(tmp_path / "scores.parquet"), score_votes(read_votes(whole).frame).frame)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["daily", "scores.parquet"]


def test_only_ambiguous_items_are_left_on_demand(tmp_path):
    rows = [vote_row(0.0), vote_row(1.0, voter="y"), vote_row(1.0, item="b")]
    pattern, _ = write(tmp_path / "in", rows, [0, 0, 0])
    assert score(pattern, ambiguous=True).frame["inference_id"].to_list() == ["a"]


def test_files_without_rows_give_no_scores(tmp_path):
    pl.DataFrame([vote_row(1.0)]).clear().write_parquet(tmp_path / "none.parquet")
    found = score(str(tmp_path / "*.parquet"))
    assert (found.frame.height, found.account.rows) == (0, 0)


def test_progress_counts_rows_and_then_parts(daily):
    seen = []
    score(daily[0], on_progress=lambda *now: seen.append(now))
    assert [each for each in seen if each[0] == "reading"][-1] == ("reading", 80, 80)
    assert seen[-1][0] == "scoring"
    assert seen[-1][1] <= seen[-1][2] == 12


def test_the_moment_of_reading_is_the_same_for_all_shards(tmp_path):
    pattern, _ = write(tmp_path / "in", [vote_row(1.0, day=1), vote_row(1.0, day=2, item="b")], [0, 1])
    moments = iter([START + timedelta(days=1)])
    assert score(pattern, now=lambda: next(moments)).account.refused == {Refusal.FUTURE: 1}


def test_a_single_path_is_enough(daily, tmp_path):
    work = ShardWork(engine="local")
    assert score_shards(tmp_path / "daily" / "0.parquet", work=work).items == 5
    assert score_shards(daily[0], work=work).account.rows == 80


def test_a_worker_that_would_deal_differently_is_refused(daily, monkeypatch):
    monkeypatch.setattr("venire.votes.shards.partitions.hashing_sign", lambda: 1)
    with pytest.raises(ConfigError, match="a worker partitions votes differently") as caught:
        score(daily[0])
    assert "same versions of Polars" in caught.value.hint


def test_processes_of_this_machine_score_alike(daily):
    pattern, whole = daily
    found = score(pattern, engine=Engine.PROCESSES)
    assert_alike(found.frame, score_votes(read_votes(whole).frame).frame)
    assert told(found.account) == told(read_votes(whole, now=lambda: datetime.now(UTC)))


def test_scores_are_written_into_a_folder_whose_name_looks_like_a_pattern(tmp_path):
    output = tmp_path / "out[1]" / "scores*.parquet"
    output.parent.mkdir()
    pattern, _ = write(tmp_path / "votes", [vote_row(1, item="a"), vote_row(0, item="b")], [0, 1])
    assert score(pattern, output=output).items == 2
    assert output.exists()
