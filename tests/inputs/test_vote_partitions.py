"""Votes that do not fit into memory: the same rows, the same refusals, part by part."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from making_votes import vote_row
from venire.errors import InputError, UsageError
from venire.inputs.vote_partitions import add_up, read_in_parts
from venire.inputs.vote_values import Refusal
from venire.inputs.votes import VoteOptions, read_votes
from venire.stats.decay import score_votes


@pytest.fixture
def path(tmp_path):
    rows = [
        vote_row(number % 11 / 10, day=number / 10, voter=str(number % 7), item=f"i{number % 40}")
        for number in range(500)
    ]
    rows[123]["vote"] = 1.5
    rows[321]["voter_id"] = ""
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    return tmp_path / "votes.parquet"


def test_scores_from_parts_are_the_scores_of_the_whole(path):
    parts = list(read_in_parts([path], votes_in_a_part=100))
    assert len(parts) > 2
    together = pl.concat(score_votes(part.frame).frame for part in parts).sort("inference_id")
    assert together.equals(score_votes(read_votes(path).frame).frame.sort("inference_id"))


def test_an_inference_is_never_in_two_parts(path):
    items = [set(part.frame["inference_id"].cast(str)) for part in read_in_parts([path], votes_in_a_part=100)]
    assert sum(map(len, items)) == len(set().union(*items)) == 40


def test_refused_rows_keep_their_numbers_and_are_all_counted(path):
    parts = list(read_in_parts([path], votes_in_a_part=100))
    assert sorted((each.row, each.reason) for part in parts for each in part.examples) == [
        (124, Refusal.OUTSIDE),
        (322, Refusal.NO_VOTER),
    ]
    sums = add_up(parts)
    assert (sums["rows"], sums["votes"], sums[Refusal.OUTSIDE.value]) == (500, 498, 1)


def test_refused_rows_of_several_files_name_their_file(path):
    other = path.with_name("other.parquet")
    pl.DataFrame([vote_row(9.0)]).write_parquet(other)
    found = [each for part in read_in_parts([path, other]) for each in part.examples]
    assert any(each.row == 1 and str(other) in each.found for each in found)


def test_the_latest_of_duplicates_is_that_of_the_later_row(tmp_path):
    rows = [vote_row(0.0), vote_row(0.5, voter="y"), vote_row(1.0)]
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    (part,) = read_in_parts([tmp_path / "votes.parquet"])
    assert sorted(part.frame["vote"]) == [0.5, 1.0]
    assert part.duplicated == 2


def test_columns_of_other_names_are_mapped(tmp_path):
    frame = pl.DataFrame([vote_row(1.0)]).rename({"vote": 'the "vote"', "voter_id": "who"})
    frame.write_parquet(tmp_path / "it's.parquet")
    (part,) = read_in_parts([tmp_path / "it's.parquet"], VoteOptions(columns={"vote": 'the "vote"', "voter_id": "who"}))
    assert part.votes == 1


def test_nothing_is_left_on_the_disk(path, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    list(read_in_parts([path], folder=scratch, now=lambda: datetime.now(UTC)))
    assert list(scratch.iterdir()) == []


def test_only_parquet_is_dealt(tmp_path):
    with pytest.raises(UsageError, match="Parquet"):
        list(read_in_parts([Path("votes.csv")]))


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    (tmp_path / "votes.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"votes\.parquet"):
        list(read_in_parts([tmp_path / "votes.parquet"]))


def test_without_duckdb_the_error_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"venire\[duckdb\]"):
        list(read_in_parts([path]))
