import math

import pytest

from venire.errors import UsageError
from venire.votes.decay.terms import Decay, half_life_rate, parse_duration, parse_rate


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
