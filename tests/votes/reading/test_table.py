"""Votes from any table: read, refused by name, and every row accounted for."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.domain.vote import VOTE_COLUMNS
from venire.errors import InputError, UsageError
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.table import VoteOptions, read_votes
from venire.votes.reading.values import Refusal

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


def times_of(table):
    return [moment.astimezone(UTC) for moment in table.frame["vote_time"]]


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


def test_columns_are_recognised_by_synonyms_and_in_any_case():
    table = read([{"Output-ID": 7, "Rating": 1, "Annotator": 3, "Created At": "2025-01-01T00:00:00Z"}])
    assert table.frame["inference_id"].cast(str).to_list() == ["7"]
    assert table.frame["voter_id"].to_list() == ["3"]


def test_a_mapping_names_columns_that_nothing_else_would_find():
    table = read([{"i": 1, "v": 1, "who": 1, "when": "2025-01-01T00:00:00Z"}],
                 columns={"inference_id": "i", "vote": "v", "voter_id": "who", "vote_time": "when"})  # fmt: skip
    assert table.votes == 1


def test_two_columns_for_one_field_are_an_error_that_names_both():
    with pytest.raises(InputError, match="'voter', 'user'"):
        read([{"inference_id": 1, "vote": 1, "voter": 1, "user": 2, "vote_time": "2025-01-01T00:00:00Z"}])


def test_a_missing_column_is_named_with_those_there_are():
    with pytest.raises(InputError, match=r"no column for vote_time.*'inference_id'"):
        read([{"inference_id": 1, "vote": 1, "voter_id": 1}])


def test_a_mapping_to_a_field_that_votes_do_not_have_is_refused():
    with pytest.raises(UsageError, match="no field 'colour'"):
        read([row()], columns={"colour": "vote"})


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


def test_a_time_within_the_tolerance_is_not_in_the_future():
    assert read([row(vote_time="2025-06-01T00:04:59Z")]).votes == 1


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-01T01:00:00+01:00",
        "2025-01-01 01:00:00+0100",
        "2025-01-01T01:00+01",
        "2025-01-01T00:00:00.000Z",
        "2025-01-01t00:00z",
        "2024-12-31T20:30:00,000-03:30",
        " 2025-01-01T00:00:00Z ",
    ],
)
def test_every_way_to_write_a_moment_in_iso_8601_is_understood(text):
    assert times_of(read([row(vote_time=text)])) == [datetime(2025, 1, 1, tzinfo=UTC)]


def test_microseconds_are_kept():
    moment = read([row(vote_time="2025-01-01T00:00:00.123456Z")]).frame["vote_time"][0]
    assert moment.microsecond == 123456


def test_a_time_without_a_zone_is_read_in_the_assumed_zone():
    table = read([row(vote_time="2025-01-15T12:00:00"), row(vote_time="2025-05-15T12:00:00")],
                 assume_zone="Europe/Berlin")  # fmt: skip
    assert [moment.hour for moment in times_of(table)] == [11, 10]


def test_an_assumed_zone_does_not_override_one_that_is_given():
    table = read([row(vote_time="2025-01-15T12:00:00Z")], assume_zone="Asia/Shanghai")
    assert times_of(table) == [datetime(2025, 1, 15, 12, tzinfo=UTC)]


@pytest.mark.parametrize("clock", ["2025-03-30T02:30:00", "2024-10-27T02:30:00"])
def test_a_clock_time_that_daylight_saving_makes_doubtful_is_refused(clock):
    table = read([row(vote_time=clock)], assume_zone="Europe/Berlin")
    assert table.refused == {Refusal.NOT_IN_ZONE: 1}


def test_an_unknown_zone_is_an_error():
    with pytest.raises(UsageError, match="time zone"):
        read([row()], assume_zone="Berlin")


def test_zoned_columns_of_a_frame_are_moved_to_utc():
    frame = pd.DataFrame([row()])
    frame["vote_time"] = pd.to_datetime(frame["vote_time"]).dt.tz_convert("Asia/Shanghai")
    assert times_of(read(frame)) == [datetime(2025, 1, 1, tzinfo=UTC)]


def test_naive_columns_of_a_frame_are_refused_row_by_row():
    frame = pl.DataFrame([row(vote_time=datetime(2025, 1, 1))])  # noqa: DTZ001
    assert read(frame).refused == {Refusal.NO_ZONE: 1}


def test_python_datetimes_keep_their_zones():
    zone = timezone(timedelta(hours=5, minutes=30))
    table = read([row(vote_time=datetime(2025, 1, 1, 5, 30, tzinfo=zone))])
    assert times_of(table) == [datetime(2025, 1, 1, tzinfo=UTC)]


def test_whole_numbers_keep_their_names_where_pandas_makes_them_floats():
    frame = pd.DataFrame([row(voter_id=7), row(voter_id=None)])
    assert read(frame).frame["voter_id"].to_list() == ["7"]


def test_kinds_mixed_in_one_column_are_all_read():
    table = read([row(vote=True), row(vote="0.25", voter_id=1), row(vote=0.5, voter_id="b")])
    assert table.frame["vote"].to_list() == [1.0, 0.25, 0.5]


def test_kinds_mixed_in_one_column_of_pandas_are_all_read():
    frame = pd.DataFrame({"inference_id": [1, "b", 2.0], "vote": [True, "0.25", None], "voter_id": ["x", 2, "z"]})
    frame["vote_time"] = "2025-01-01T00:00:00Z"
    table = read(frame)
    assert table.frame["vote"].to_list() == [1.0, 0.25, None]
    assert table.frame["voter_id"].to_list() == ["x", "2", "z"]


DOUBLED = [row(vote=0.1), row(vote=0.2, voter_id="y"), row(vote=0.3)]


@pytest.mark.parametrize(
    ("policy", "votes"),
    [(Duplicates.LATEST, [0.2, 0.3]), (Duplicates.FIRST, [0.1, 0.2]), (Duplicates.ALL, [0.1, 0.2, 0.3])],
)
def test_duplicates_are_counted_and_the_policy_decides_which_count(policy, votes):
    table = read(DOUBLED, duplicates=policy)
    assert table.frame["vote"].to_list() == votes
    assert table.duplicated == 2
    assert table.refused_count == 3 - len(votes)


def test_duplicates_can_be_an_error_that_names_the_first_row():
    with pytest.raises(InputError, match="row 1"):
        read(DOUBLED, duplicates=Duplicates.ERROR)


def test_votes_at_other_moments_or_under_other_prompts_are_no_duplicates():
    later = row(vote_time="2025-01-01T00:00:01Z")
    assert read([row(voter_prompt_id="p"), row(voter_prompt_id="q"), later]).duplicated == 0


def test_duplicates_are_found_where_rows_are_not_in_order_of_time():
    early = row(vote_time="2024-01-01T00:00:00Z")
    assert read([row(), early, row()]).duplicated == 2


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


def test_blank_lines_are_counted_apart(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("inference_id,vote,voter_id,vote_time\n\na,1,x,2025-01-01T00:00:00Z\n")
    table = read(path)
    assert (table.votes, table.blank, table.refused_count) == (1, 1, 0)


def test_an_empty_table_has_no_votes():
    assert read([]).votes == 0


def test_a_row_with_several_faults_gives_the_first_of_the_list():
    table = read([row(), row(voter_id="", vote=7, vote_time="then")])
    assert table.refused == {Refusal.NO_VOTER: 1}


@pytest.mark.parametrize("vote", [[1.0], {"value": 1.0}])
def test_columns_of_lists_or_objects_are_refused(tmp_path, vote):
    pl.DataFrame([row(vote=vote)]).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(InputError, match="lists or objects"):
        read(tmp_path / "votes.parquet")


def test_a_column_of_bytes_that_are_no_text_is_an_error_and_no_crash():
    with pytest.raises(InputError, match="cannot be read"):
        read(pl.DataFrame([row(voter_id=b"\xff")]))


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


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(), st.text(max_size=4), st.just("2025-01-01T00:00:00Z")
)


@settings(max_examples=60, deadline=None)
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
