"""The pencils: axes, ticks, and labels that fit."""

import pytest

from venire.reports.charts.drawing import Axis, svg, text


def test_numbers_have_places_and_those_beyond_the_ends_stay_there():
    axis = Axis(0, 10, 100, 300)
    assert [axis(number) for number in (-1, 0, 5, 10, 11)] == [100, 100, 200, 300, 300]


def test_an_axis_of_one_number_has_it_in_the_middle():
    assert Axis(3, 3, 0, 10)(3) == 5
    assert (Axis(3, 3, 0, 10).low, Axis(3, 3, 0, 10).high) == (2.5, 3.5)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0, 10), [0, 2, 4, 6, 8, 10]),
        ((0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ((-1.08, 0.54), [-1, -0.5, 0, 0.5]),
        ((0.1, 0.29), [0.1, 0.15, 0.2, 0.25]),
        ((3, 47), [10, 20, 30, 40]),
    ],
)
def test_ticks_are_round_numbers_between_the_ends(ends, ticks):
    assert Axis(*ends, 0, 1).ticks() == ticks


def test_elements_are_written_shortly():
    assert text(0, 1, "t", fill="#fff") == (
        '<text x="0" y="1" text-anchor="start" dominant-baseline="central" style="fill:#fff">t</text>'
    )
    assert svg(20.5, "T", "D", width=10.0) == (
        '<svg viewBox="0 0 10 20.5" role="group" aria-label="T" class="chart" width="10" height="20.5">'
        "<title>T</title><desc>D</desc></svg>"
    )
