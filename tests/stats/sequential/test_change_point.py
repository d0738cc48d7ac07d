"""Where a rate rose: between the groups that the likelihood parts best."""

import pytest

from venire.stats.sequential.change_point import locate_rise


@pytest.mark.parametrize(
    ("failures", "trials", "place"),
    [
        ([0, 5], [10, 10], 1),
        ([1, 1, 1, 9], [10, 10, 10, 10], 3),
        ([1, 8, 9, 9], [10, 10, 10, 10], 1),
        ([0, 0, 4, 0, 6], [10, 10, 10, 10, 10], 2),
        ([5, 0], [10, 10], None),  # It fell.
        ([3, 3], [10, 10], None),  # It stayed.
        ([0, 4], [0, 10], None),  # Nothing before it.
        ([0, 2, 0], [10, 10, 0], 1),
        ([1], [10], None),
        ([], [], None),
    ],
)
def test_a_rise_is_placed_where_two_rates_are_likeliest(failures, trials, place):
    assert locate_rise(failures, trials) == place
