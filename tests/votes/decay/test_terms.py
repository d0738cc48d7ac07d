import math

import pytest

from venire.errors import UsageError
from venire.votes.decay.terms import Batching, Decay, decay_rate, half_life_rate, parse_duration, parse_rate


def test_an_ambiguous_limit_that_no_votes_can_reach_is_refused():
    with pytest.raises(UsageError, match=r"0\.25"):
        Decay(critical_variance=0.5)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15min", 900), ("2 hours", 7200), ("7d", 604800), ("1w", 604800)]
)
def test_durations_are_read_with_their_units(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "7", "d", "-1d", "1 fortnight"])
def test_durations_without_number_or_unit_are_refused(text):
    with pytest.raises(UsageError, match="duration"):
        parse_duration(text)


def test_rates_are_read_with_their_units_or_as_half_lives():
    assert parse_rate("0.1/day") == pytest.approx(0.1 / 86400)
    assert parse_rate("0.001/s") == 0.001
    assert math.exp(-parse_rate("7d") * 7 * 86400) == pytest.approx(0.5)
    with pytest.raises(UsageError):
        half_life_rate(0)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Batching("count", count=0), "batch_count"),
        (lambda: Batching("window", window_seconds=0.9e-6), "window"),
        (lambda: Batching("window", window_seconds=1e11), "window"),
        (lambda: Decay(rate_per_second=-1e-9), "rate"),
        (lambda: Decay(rate_per_second=math.inf), "rate"),
        (lambda: Decay(critical_variance=-1e-9), "critical_variance"),
        (lambda: Decay(critical_variance=0.26), "critical_variance"),
        (lambda: decay_rate(1.0, "month"), "unit"),
        (lambda: decay_rate(-1.0), "rate"),
        (lambda: decay_rate(math.inf), "rate"),
        (lambda: half_life_rate(0.0), "half_life"),
        (lambda: half_life_rate(math.inf), "half_life"),
        (lambda: parse_rate("often/day"), "rate_text"),
        (lambda: parse_duration("1..5d"), "duration"),
        (lambda: parse_duration("5 moons"), "duration"),
    ],
)
def test_what_is_out_of_range_is_refused_by_its_own_reason(make, code):
    with pytest.raises(UsageError) as refused:
        make()
    assert refused.value.args[0] == f"error.votes.decay.{code}"


def test_what_is_at_the_ends_of_a_range_is_taken():
    assert Batching("count", count=1).count == 1
    assert Batching("window", window_seconds=1e-6).window_microseconds == 1
    assert Decay(rate_per_second=0.0, critical_variance=0.0).rate_per_second == 0.0
    assert Decay(critical_variance=0.25).critical_variance == 0.25
    assert (decay_rate(0.0), decay_rate(7.0, "week")) == (0.0, 1 / 86_400)
    assert half_life_rate(math.log(2)) == 1.0


@pytest.mark.parametrize(
    ("text", "shown", "labels"),
    [("vote", "vote", [0, 86_400_000_000]), ("10", "10", [0, 2]), ("1d", "86400s", [0, 1]), ("12h", "43200s", [0, 2])],
)
def test_a_batching_is_read_shown_and_labels_votes_by_their_moment_place_or_window(text, shown, labels):
    batching = Batching.parse(text)
    assert str(batching) == shown
    assert [batching.label(86_400_000_000 * day, 9 + 12 * day) for day in (0, 1)] == labels
