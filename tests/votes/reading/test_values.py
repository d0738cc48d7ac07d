"""Cells as votes, moments and names, or the reason why they are none."""

from datetime import UTC, datetime, timedelta, timezone

import pandas as pd
import polars as pl
import pytest

from venire.votes.reading.table import VoteOptions, read_votes
from venire.votes.reading.values import Refusal, parse_label

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


def times_of(table):
    return [moment.astimezone(UTC) for moment in table.frame["vote_time"]]


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


def test_a_row_with_several_faults_gives_the_first_of_the_list():
    table = read([row(), row(voter_id="", vote=7, vote_time="then")])
    assert table.refused == {Refusal.NO_VOTER: 1}


@pytest.mark.parametrize("text", ["", " ", "null", "None", "NaN", "na", "NA"])
def test_a_cell_without_a_vote_is_an_abstention_and_no_fault(text):
    table = read([row(), row(vote=text, voter_id="y")])
    assert (table.votes, table.refused) == (1, {})


@pytest.mark.parametrize(
    ("text", "label"), [("none", "none"), (" NA ", "NA"), ("null", None), ("NaN", None), ("", None)]
)
def test_none_and_na_are_names_that_classes_have(text, label):
    frame = pl.DataFrame({"vote": [text]})
    parsed = parse_label("vote", frame.schema["vote"])
    assert frame.select(parsed.value.alias("found"))["found"].to_list() == [label]
