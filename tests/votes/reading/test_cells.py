"""Votes are opened from files, frames and records of any kind."""

import json
from datetime import UTC, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.domain.vote import VOTE_COLUMNS
from venire.errors import InputError, UsageError
from venire.votes.reading.table import VoteOptions, read_votes
from venire.votes.reading.values import Refusal

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


ROWS = [row(vote=0.25), row(voter_id="y", vote=True), row(voter_id="z", vote=None)]


@pytest.fixture
def files(tmp_path):
    frame = pl.DataFrame([row(vote=0.25), row(voter_id="y", vote=1.0), row(voter_id="z", vote=None)])
    frame.write_csv(tmp_path / "votes.csv")
    frame.write_csv(tmp_path / "votes.tsv", separator="\t")
    frame.write_parquet(tmp_path / "votes.parquet")
    (tmp_path / "votes.json").write_text(json.dumps(ROWS))
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return tmp_path


@pytest.mark.parametrize("name", ["votes[1]", "votes*", "vote?"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "json", "jsonl"])
def test_a_name_that_looks_like_a_pattern_is_that_of_one_file(files, ending, name):
    for other in ("votes1", "votes2"):
        (files / f"{other}.{ending}").write_bytes((files / f"votes.{ending}").read_bytes().replace(b"0.25", b"0.75"))
    (files / f"votes.{ending}").rename(files / f"{name}.{ending}")
    assert read(files / f"{name}.{ending}").frame["vote"].to_list() == [0.25, 1.0, None]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "json", "jsonl"])
def test_votes_are_read_from_every_kind_of_file(files, ending):
    table = read(files / f"votes.{ending}")
    assert table.frame["vote"].to_list() == [0.25, 1.0, None]
    assert table.frame["voter_id"].to_list() == ["x", "y", "z"]
    assert (table.rows, table.votes, table.no_vote, table.refused) == (3, 2, 1, {})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, list, tuple])
def test_votes_are_read_from_every_kind_of_frame(make):
    rows = [row(vote=0.25), row(voter_id="y", vote=1.0), row(voter_id="z", vote=None)]
    table = read(make(rows))
    assert tuple(table.frame.columns) == VOTE_COLUMNS
    assert table.frame["vote"].to_list() == [0.25, 1.0, None]
    assert table.votes == 2


def test_one_vote_may_come_by_itself():
    assert read(row()).votes == 1


def test_kinds_mixed_in_one_column_are_all_read():
    table = read([row(vote=True), row(vote="0.25", voter_id=1), row(vote=0.5, voter_id="b")])
    assert table.frame["vote"].to_list() == [1.0, 0.25, 0.5]


def test_kinds_mixed_in_one_column_of_pandas_are_all_read():
    frame = pd.DataFrame({"inference_id": [1, "b", 2.0], "vote": [True, "0.25", None], "voter_id": ["x", 2, "z"]})
    frame["vote_time"] = "2025-01-01T00:00:00Z"
    table = read(frame)
    assert table.frame["vote"].to_list() == [1.0, 0.25, None]
    assert table.frame["voter_id"].to_list() == ["x", "2", "z"]


def test_a_line_with_a_key_twice_is_refused_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "votes.jsonl"
    path.write_text(
        json.dumps(row()) + "\n" + json.dumps(row(voter_id="y")).replace('"vote"', '"vote": 1, "vote"') + "\n"
    )
    table = read(path)
    assert table.votes == 1
    assert table.refused == {Refusal.NOT_A_ROW: 1}


def test_a_field_that_only_later_lines_have_is_not_lost(tmp_path):
    path = tmp_path / "votes.jsonl"
    lines = [row(vote_time=f"2025-01-01T00:00:{second:02}.{tick:02}Z") for second in range(60) for tick in range(20)]
    path.write_text("\n".join(map(json.dumps, [*lines, row(reputation=3)])))
    assert read(path).frame["reputation"][-1] == 3.0


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "votes.xlsx").touch()
    with pytest.raises(UsageError, match=r"\.parquet"):
        read(tmp_path / "votes.xlsx")


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "votes.csv")


def test_what_is_no_table_at_all_is_refused():
    with pytest.raises(InputError, match="found int"):
        read(7)


def test_votes_in_a_damaged_parquet_file_are_an_error_that_names_the_file(files):
    path = files / "votes.parquet"
    whole = path.read_bytes()
    for damaged in (b"", b"PAR1", whole[:-8], whole[: len(whole) // 2], b"no Parquet at all"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="is not a Parquet file that can be read") as caught:
            read(path)
        assert caught.value.where == str(path)
        assert caught.value.hint == "Write or download it again."
    start = whole.index(b"PAR1") + 4
    path.write_bytes(whole[:start] + bytes(40) + whole[start + 40 :])  # the pages, not what the file says of them
    with pytest.raises(InputError, match="cannot be read") as caught:
        read(path)
    assert caught.value.where == str(path)


def test_votes_parted_by_semicolons_are_read(tmp_path):
    (tmp_path / "votes.csv").write_text("inference_id;vote;voter_id;vote_time\na;1;x;2025-01-01T00:00:00Z\n")
    assert read(tmp_path / "votes.csv").frame.height == 1
