from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import venire.stats
from venire.errors import InputError, UsageError
from venire.stats.agreement.alpha_sums import AlphaSums, alpha_sums


def split(where, *columns):
    """Return the columns of each of four shards."""
    places = np.asarray(where)
    return [tuple(np.asarray(column)[places == number] for column in columns) for number in range(4)]


@st.composite
def ratings(draw):
    cells = draw(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 4)), unique=True, min_size=1, max_size=50))
    values = draw(st.lists(st.sampled_from([None, 0, 1, 2, 2.5, 7]), min_size=len(cells), max_size=len(cells)))
    return [unit for unit, _ in cells], [f"r{rater}" for _, rater in cells], np.array(values, dtype=float)


@given(
    ratings=ratings(),
    home=st.lists(st.integers(0, 3), min_size=15, max_size=15),
    metric=st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
)
def test_alpha_from_shards_of_whole_units_is_that_of_all_ratings(ratings, home, metric):
    units, raters, values = ratings
    parts = [alpha_sums(*columns, metric) for columns in split([home[unit] for unit in units], units, raters, values)]
    merged = reduce(AlphaSums.plus, parts).estimate()
    wanted = venire.stats.krippendorff_alpha(venire.stats.from_long(units, raters, values), metric)
    assert (merged.method, merged.n, merged.reason) == (wanted.method, wanted.n, wanted.reason)
    assert merged.value == pytest.approx(wanted.value, abs=1e-12)


def test_a_unit_in_two_shards_is_refused_and_not_counted_as_two():
    with pytest.raises(UsageError, match="1 unit is spread over several shards"):
        alpha_sums(["a", "a"], ["x", "y"], [1, 2]).plus(alpha_sums(["a", "b"], ["z", "z"], [1, 2]))


def test_a_rater_who_rated_a_unit_twice_is_refused():
    with pytest.raises(InputError, match="several of unit 'a' by rater 'x'"):
        alpha_sums(["a", "a"], ["x", "x"], [1, 2])


def test_alpha_of_many_distinct_values_needs_the_interval_metric():
    units, values = np.repeat(np.arange(3000), 2), np.arange(6000) / 7
    raters = np.tile(["x", "y"], 3000)
    assert alpha_sums(units, raters, values).estimate().known
    with pytest.raises(UsageError, match="Round them"):
        alpha_sums(units, raters, values, "ordinal")


def test_alpha_knows_only_its_metrics():
    with pytest.raises(UsageError, match="expected a metric"):
        alpha_sums(["a"], ["x"], [1], "euclidean")
