"""Who voted what and when: histograms, completeness, confidence, majorities and distributions."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom

from making_votes import START, vote_frame, vote_row
from venire.errors import PoolingError, UsageError
from venire.stats.uncertainty.intervals import t_interval
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.duplicate_ballots import duplicate_ballots
from venire.votes.analysis.majority_good_votes import majority_good_votes
from venire.votes.analysis.population_confidence import population_confidence
from venire.votes.analysis.vote_bursts import vote_bursts
from venire.votes.analysis.vote_completeness import vote_completeness
from venire.votes.analysis.vote_histogram import minutes, vote_histogram
from venire.votes.analysis.voter_distances import distance_sums, merge_distances, reliability_of, voter_reliability
from venire.votes.analysis.voter_ratings import vote_matrix, voter_agreement, votes_as_ratings
from venire.votes.analysis.votes_distribution import votes_distribution

HOUR = 1 / 24


def named(frame, key, value):
    return dict(zip(frame[key], frame[value], strict=True))


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


def test_completeness_is_told_by_voter_by_inference_and_over_all():
    frame = vote_frame([vote_row(1, voter="1"), vote_row(0, voter="2"), vote_row(1, voter="1", item="b")])
    done = vote_completeness(frame, [1, 2, 3], ["a", "b"])
    assert named(done.by_inference, "inference_id", "completeness") == {
        "a": pytest.approx(2 / 3),
        "b": pytest.approx(1 / 3),
    }
    assert named(done.by_voter, "voter_id", "completeness") == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert (done.overall, done.voted, done.expected) == (0.5, 3, 6)


def test_voting_twice_or_not_at_all_or_unasked_does_not_make_voting_more_complete():
    frame = vote_frame([vote_row(1), vote_row(0, day=1), vote_row(None, voter="y"), vote_row(1, voter="stranger")])
    done = vote_completeness(frame, ["x", "y"])
    assert (done.overall, done.unexpected_voters) == (0.5, 1)


def test_completeness_without_anything_expected_is_not_known():
    assert vote_completeness(vote_frame([vote_row(1)]), []).overall is None


def test_confidence_grows_with_voters_and_is_certain_when_all_have_voted():
    def confidence(voted, population):
        frame = vote_frame([vote_row(1, voter=str(number)) for number in range(voted)])
        return population_confidence(frame, range(population)).frame["confidence"][0]

    assert confidence(1, 10) < confidence(3, 10) < confidence(5, 10) < confidence(6, 10) == pytest.approx(1.0)
    assert confidence(10, 10) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.data())
def test_confidence_is_the_chance_that_the_leader_leads_in_the_population(population, data):
    voted = data.draw(st.integers(0, population))
    in_favour = data.draw(st.integers(0, voted))
    rows = [vote_row(float(number < in_favour), voter=str(number)) for number in range(voted)]
    frame = vote_frame([*rows, vote_row(None, voter="0", day=1)])
    found = population_confidence(frame, range(population)).frame.row(0, named=True)
    others = population - voted
    chance = 0.0
    for more in range(others + 1):
        likely = betabinom.pmf(more, others, in_favour + 1, voted - in_favour + 1) if others else 1.0
        total = 2 * (in_favour + more)
        chance += likely * (1.0 if total > population else 0.5 if total == population else 0.0)
    expected = chance if 2 * in_favour > voted else 1 - chance if 2 * in_favour < voted else max(chance, 1 - chance)
    assert found["confidence"] == pytest.approx(expected, abs=1e-9)


def test_a_population_of_nobody_is_refused():
    with pytest.raises(UsageError, match="empty"):
        population_confidence(vote_frame([vote_row(1)]), [])


def test_good_votes_are_a_majority_only_above_the_threshold():
    rows = [vote_row(1, voter="1"), vote_row(1, voter="2"), vote_row(0, voter="3"), vote_row(1, item="b", voter="1"),
            vote_row(0, item="b", voter="2")]  # fmt: skip
    found = majority_good_votes(vote_frame(rows))
    assert named(found.frame, "inference_id", "majority") == {"a": True, "b": False}
    assert (found.count, found.inferences) == (1, 2)


def test_good_votes_can_be_those_that_reject_or_an_exact_number():
    frame = vote_frame([vote_row(0.2, voter="1"), vote_row(0.2, voter="2"), vote_row(0.9, voter="3")])
    assert majority_good_votes(frame, good_vote=False).frame["good"].to_list() == [2]
    assert majority_good_votes(frame, good_vote=0.9).frame["good"].to_list() == [1]


def test_nobody_makes_a_majority_alone_by_voting_often():
    rows = [vote_row(1, day=day) for day in range(5)] + [vote_row(0, voter="y"), vote_row(0, voter="z")]
    assert majority_good_votes(vote_frame(rows)).count == 0


def test_the_distribution_counts_votes_in_tenths():
    rows = [vote_row(value / 10, voter=str(value)) for value in range(11)]
    found = votes_distribution(vote_frame(rows))
    assert found.bins == (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
    assert found.frame["votes"].to_list() == [11]


def test_named_inferences_without_votes_are_in_the_distribution():
    found = votes_distribution(vote_frame([vote_row(1)]), ["a", "b"])
    assert named(found.frame, "inference_id", "votes") == {"a": 1, "b": 0}


def test_the_last_vote_of_a_voter_is_the_ballot():
    frame = vote_frame([vote_row(0, day=2), vote_row(1, day=1)])
    assert cast_ballots(frame)["vote"].to_list() == [0.0]


def test_a_burst_of_votes_is_found_and_steady_voting_is_not():
    steady = [vote_row(1, voter="steady", item=str(day), day=day) for day in range(30)]
    sudden = [vote_row(1, voter="sudden", item=str(day), day=day) for day in range(30)]
    sudden += [vote_row(1, voter="sudden", item=f"s{number}", day=5.00001 + number / 1e7) for number in range(10)]
    found = vote_bursts(vote_frame(steady + sudden), window_seconds=3600)
    assert found.frame["voter_id"].to_list() == ["sudden"]
    assert found.frame["votes"].to_list() == [11]


def test_a_voter_whose_votes_all_came_at_once_is_compared_with_everyone():
    steady = [vote_row(1, voter="steady", item=str(day), day=day) for day in range(30)]
    once = [vote_row(1, voter="once", item=str(number), day=10) for number in range(20)]
    assert vote_bursts(vote_frame(steady + once)).frame["voter_id"].to_list() == ["once"]


def test_no_votes_have_no_bursts():
    assert vote_bursts(vote_frame([vote_row(None)])).frame.height == 0


def test_repeated_votes_and_identical_ballots_are_found():
    pattern = [1, 0, 1, 1, 0, 1]
    copies = [vote_row(vote, voter=name, item=str(item)) for name in "pq" for item, vote in enumerate(pattern)]
    honest = [vote_row(1 - vote, voter="r", item=str(item)) for item, vote in enumerate(pattern)]
    again = [vote_row(0, voter="r", item="0", day=1)]
    found = duplicate_ballots(vote_frame(copies + honest + again))
    assert found.identical["voters"].to_list() == [["p", "q"]]
    assert found.repeated.select("voter_id", "inference_id", "votes", "changed").rows() == [("r", "0", 2, False)]


def test_voters_who_like_everything_are_no_copies_of_each_other():
    rows = [vote_row(1, voter=name, item=str(item)) for name in "pq" for item in range(9)]
    assert duplicate_ballots(vote_frame(rows)).identical.height == 0


def test_votes_become_ratings_of_which_prompts_are_never_pooled():
    frame = vote_frame([vote_row(1, prompt="p"), vote_row(0, prompt="q")])
    ratings = votes_as_ratings(frame)
    assert len(ratings) == 2
    with pytest.raises(PoolingError):
        ratings.primary()
    with pytest.raises(PoolingError, match="'p', 'q'"):
        vote_matrix(frame)


def test_voters_who_agree_have_a_high_alpha():
    rows = [vote_row(float(item % 2), voter=name, item=str(item)) for name in "xyz" for item in range(10)]
    assert voter_agreement(vote_frame(rows), replicates=0).value == pytest.approx(1.0)


def test_agreement_of_people_leaves_judges_out():
    assert not voter_agreement(vote_frame([vote_row(1, kind="judge")])).known


def test_the_voter_who_stands_apart_is_named_first_with_its_bias():
    rows = [vote_row(0.4 + 0.1 * (item % 3), voter=name, item=str(item)) for name in "xyz" for item in range(9)]
    rows += [vote_row(1.0, voter="apart", item=str(item)) for item in range(9)]
    found = voter_reliability(vote_frame(rows)).frame.row(0, named=True)
    assert found["voter_id"] == "apart"
    assert found["bias_low"] > 0.3


def test_people_are_compared_with_people_and_judges_with_judges():
    rows = [vote_row(0.2, voter="x"), vote_row(0.4, voter="y"), vote_row(1.0, voter="bot", kind="judge")]
    found = voter_reliability(vote_frame(rows)).frame
    assert found.select("voter_id", "voter_kind", "shared").rows() == [("x", "person", 1), ("y", "person", 1)]
    assert found["bias"].to_list() == pytest.approx([-0.2, 0.2])


@given(
    cells=st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd")), unique=True, min_size=1, max_size=24),
    votes=st.lists(st.sampled_from([0, 0.25, 0.7, 1]), min_size=24, max_size=24),
    home=st.lists(st.integers(0, 1), min_size=6, max_size=6),
)
def test_reliability_does_not_depend_on_the_shards_of_whole_inferences(cells, votes, home):
    rows = [vote_row(vote, voter=voter, item=str(item)) for (item, voter), vote in zip(cells, votes, strict=False)]
    whole = voter_reliability(vote_frame(rows)).frame.sort("voter_id")
    halves = [[row for row in rows if home[int(row["inference_id"])] == number] for number in (0, 1)]
    sums = [distance_sums(vote_frame(half) if half else vote_frame(rows).clear()) for half in halves]
    merged = reliability_of(merge_distances(*sums)).frame.sort("voter_id")
    assert merged.select("voter_id", "shared").equals(whole.select("voter_id", "shared"))
    for name in ("distance", "bias", "bias_low", "bias_high"):
        assert merged[name].to_list() == pytest.approx(whole[name].to_list(), abs=1e-9)


def test_the_interval_of_a_bias_is_students_t():
    rows = [vote_row(vote, voter="x", item=str(item)) for item, vote in enumerate([0.1, 0.5, 0.9, 0.2])]
    rows += [vote_row(0.4, voter="y", item=str(item)) for item in range(4)]
    found = voter_reliability(vote_frame(rows)).frame.filter(pl.col("voter_id") == "x").row(0, named=True)
    wanted = t_interval([-0.3, 0.1, 0.5, -0.2])
    assert (found["bias"], found["bias_low"], found["bias_high"]) == pytest.approx(
        (wanted.value, wanted.low, wanted.high)
    )
