"""Votes from any table: read, refused by name, and every row accounted for."""

import json
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from venire.domain.vote import VOTE_COLUMNS
from venire.errors import InputError, UsageError
from venire.votes.reading.table import VoteOptions, read_votes
from venire.votes.reading.values import Refusal

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"vote": 1.01}, Refusal.OUTSIDE),
        ({"vote": -0.01}, Refusal.OUTSIDE),
        ({"vote": float("inf")}, Refusal.OUTSIDE),
        ({"vote": "good"}, Refusal.NOT_A_VOTE),
        ({"voter_id": ""}, Refusal.NO_VOTER),
        ({"voter_id": "  "}, Refusal.NO_VOTER),
        ({"voter_id": None}, Refusal.NO_VOTER),
        ({"inference_id": None}, Refusal.NO_INFERENCE),
        ({"vote_time": None}, Refusal.NO_TIME),
        ({"vote_time": "yesterday"}, Refusal.NOT_A_TIME),
        ({"vote_time": "2025-02-30T00:00:00Z"}, Refusal.NOT_A_TIME),
        ({"vote_time": "2025-01-01"}, Refusal.NOT_A_TIME),
        ({"vote_time": "2025-01-01T00:00:00"}, Refusal.NO_ZONE),
        ({"vote_time": "2025-06-01T00:05:01Z"}, Refusal.FUTURE),
        ({"reputation": 0}, Refusal.NOT_A_REPUTATION),
        ({"reputation": -1.0}, Refusal.NOT_A_REPUTATION),
        ({"reputation": "much"}, Refusal.NOT_A_REPUTATION),
        ({"reputation": float("inf")}, Refusal.NOT_A_REPUTATION),
        ({"voter_kind": "robot"}, Refusal.NOT_A_KIND),
    ],
)
def test_a_bad_row_is_named_and_the_rest_goes_on(change, reason):
    table = read([row(voter_id="first"), row(**change), row(voter_id="last")])
    assert table.frame["voter_id"].to_list() == ["first", "last"]
    assert table.refused == {reason: 1}
    assert [(each.row, each.reason) for each in table.examples] == [(2, reason)]


def test_an_unknown_zone_is_an_error():
    with pytest.raises(UsageError, match="time zone"):
        read([row()], assume_zone="Berlin")


def test_a_damaged_line_of_csv_is_counted_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "votes.csv"
    good = "a,{},x{},2025-01-01T00:00:00Z\n"
    path.write_text(
        "inference_id,vote,voter_id,vote_time\n" + good.format(1, 1) + "a,1,b,c,d,e,f\n" + good.format(0, 2)
    )
    table = read(path)
    assert table.frame["vote"].to_list() == [1.0, 0.0]
    assert table.refused == {Refusal.NOT_A_ROW: 1}
    assert table.examples[0].row == 2


def test_a_line_that_is_not_utf_8_is_counted_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(
        b"inference_id,vote,voter_id,vote_time\na,1,\xff,2025-01-01T00:00:00Z\na,1,x,2025-01-01T00:00:00Z\n"
    )
    table = read(path)
    assert (table.votes, table.rows, table.refused) == (1, 2, {Refusal.NOT_A_ROW: 1})


def test_a_damaged_line_of_json_lines_is_counted_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps(row()) + "\n{not json\n" + json.dumps(row(voter_id="y")))
    table = read(path)
    assert table.frame["voter_id"].to_list() == ["x", "y"]
    assert table.examples[0].row == 2


def test_blank_lines_are_counted_apart(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("inference_id,vote,voter_id,vote_time\n\na,1,x,2025-01-01T00:00:00Z\n")
    table = read(path)
    assert (table.votes, table.blank, table.refused_count) == (1, 1, 0)


def test_an_empty_table_has_no_votes():
    assert read([]).votes == 0


@pytest.mark.parametrize("vote", [[1.0], {"value": 1.0}])
def test_columns_of_lists_or_objects_are_refused(tmp_path, vote):
    pl.DataFrame([row(vote=vote)]).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(InputError, match="lists or objects"):
        read(tmp_path / "votes.parquet")


def test_a_column_of_bytes_that_are_no_text_is_an_error_and_no_crash():
    with pytest.raises(InputError, match="cannot be read"):
        read(pl.DataFrame([row(voter_id=b"\xff")]))


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(), st.text(max_size=4), st.just("2025-01-01T00:00:00Z")
)


@settings(max_examples=draws(60), deadline=None)
@given(st.lists(st.fixed_dictionaries({name: CELLS for name in VOTE_COLUMNS if name != "voter_kind"}), max_size=6))
def test_no_row_ever_disappears_without_being_counted(rows):
    table = read([row(), *rows])
    assert table.rows == len(rows) + 1
    assert table.votes + table.no_vote + table.blank + table.refused_count == table.rows
    assert len(table.examples) == table.refused_count


def test_a_parquet_file_that_is_damaged_is_an_error_and_no_crash(tmp_path):
    path = tmp_path / "votes.parquet"
    pl.DataFrame([row(inference_id=f"item-{number}") for number in range(5000)]).write_parquet(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is not a Parquet file that can be read") as cut:
        read(path)
    assert cut.value.where == str(path)
    path.write_bytes(b"PAR1" + b"\xff" * 2000 + whole[2004:])
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


@pytest.mark.parametrize("labels", [True, None])
def test_words_are_classes_with_the_same_number_in_every_table(labels):
    both = read([row(vote="cat"), row(vote="dog", voter_id="y")], labels=labels)
    numbers = {name: number for number, name in both.classes.items()}
    assert both.frame["vote"].to_list() == [numbers["cat"], numbers["dog"]]
    assert read([row(vote="dog")], labels=labels).classes == {numbers["dog"]: "dog"}
    assert read([row()], labels=None).classes is None


def test_a_table_without_votes_has_the_columns_of_one_with_votes():
    kinds = [{name: kind.base_type() for name, kind in read(rows).frame.schema.items()} for rows in ([], [row()])]
    assert kinds[0] == kinds[1]
