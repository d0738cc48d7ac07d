from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making_votes import START, vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.analysis.vote_histogram import minutes, vote_histogram

HOUR = 1 / 24


def test_a_histogram_counts_votes_by_the_hour_with_empty_hours_between():
    frame = vote_frame(
        [vote_row(1, day=0.1 * HOUR), vote_row(0, day=0.9 * HOUR, voter="y"), vote_row(1, day=2.5 * HOUR)]
    )
    histogram = vote_histogram(frame)
    assert histogram.frame["votes"].to_list() == [2, 0, 1]
    assert histogram.frame["voters"].to_list() == [2, 0, 1]
    assert histogram.frame["mean"].to_list() == [0.5, None, 1.0]
    assert histogram.frame["start"][0] == START


def test_a_histogram_can_be_divided_by_inference():
    frame = vote_frame([vote_row(1), vote_row(0, item="b", day=HOUR)])
    counted = vote_histogram(frame, by=("inference_id",)).frame
    assert counted.select("inference_id", "votes").rows() == [("a", 1), ("a", 0), ("b", 0), ("b", 1)]


def test_days_of_a_zone_have_23_and_25_hours_when_clocks_change():
    berlin = ZoneInfo("Europe/Berlin")
    rows = []
    for month, day in ((3, 30), (10, 26)):
        midnight = datetime(2025, month, day, tzinfo=berlin).astimezone(UTC)
        rows += [vote_row(1, day=(midnight + timedelta(hours=hour) - START) / timedelta(days=1)) for hour in range(26)]
    counted = vote_histogram(vote_frame(rows), bucket="day", zone="Europe/Berlin").frame
    full = {str(start.date()): votes for start, votes in counted.select("start", "votes").rows() if votes}
    assert full == {"2025-03-30": 23, "2025-03-31": 3, "2025-10-26": 25, "2025-10-27": 1}


def test_hours_that_clocks_repeat_are_two_buckets():
    moment = datetime(2025, 10, 26, 0, 30, tzinfo=UTC)  # 02:30 in Berlin, for the first time
    rows = [vote_row(1, day=(moment + timedelta(hours=hour) - START) / timedelta(days=1)) for hour in range(2)]
    assert vote_histogram(vote_frame(rows), zone="Europe/Berlin").frame["votes"].to_list() == [1, 1]


def test_months_are_counted_as_months():
    frame = vote_frame([vote_row(1), vote_row(1, day=30.9), vote_row(1, day=70)])
    assert vote_histogram(frame, bucket="month").frame["votes"].to_list() == [2, 0, 1]


@pytest.mark.parametrize("bucket", ["fortnight", "0 minutes", "-5 minutes"])
def test_other_buckets_are_refused(bucket):
    with pytest.raises(UsageError, match="bucket"):
        vote_histogram(vote_frame([vote_row(1)]), bucket=bucket)


def test_a_histogram_in_an_unknown_zone_is_refused():
    with pytest.raises(UsageError, match="zone"):
        vote_histogram(vote_frame([vote_row(1)]), zone="Mars/Olympus")


def test_buckets_that_would_fill_the_memory_are_refused():
    with pytest.raises(UsageError, match="too short"):
        vote_histogram(vote_frame([vote_row(1), vote_row(1, day=100)]), bucket=minutes(0.01))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=30), st.integers(1, 500))
def test_a_histogram_never_loses_a_vote(ticks, length):
    frame = vote_frame([vote_row(1, day=tick / 1000, voter=str(number)) for number, tick in enumerate(ticks)])
    histogram = vote_histogram(frame, bucket=minutes(length))
    assert histogram.frame["votes"].sum() == histogram.votes == len(ticks)
    steps = histogram.frame["start"].diff().drop_nulls().unique().to_list()
    assert set(steps) <= {timedelta(minutes=length)}
