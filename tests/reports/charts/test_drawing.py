"""The pencils: axes, ticks, and labels that fit."""

import pytest

from venire.reports.charts.drawing import LONGEST_LABEL, Axis, fit, label_space, rect, svg, text, text_width


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


def test_wide_characters_take_twice_the_room():
    assert text_width("ab") == pytest.approx(14.4)
    assert text_width("中ｱ文", 10) == pytest.approx(26)


def test_a_label_is_cut_only_where_it_is_too_wide_and_shows_it():
    assert fit("abcd", text_width("abcd")) == "abcd"
    assert fit("abcde", text_width("abcd")) == "abc…"
    assert fit("abc", 0) == "…"


def test_room_is_left_for_the_widest_label_up_to_a_limit():
    assert label_space(["a", "abc"]) == pytest.approx(text_width("abc") + 16)
    assert label_space(["a" * 200]) == LONGEST_LABEL + 16
    assert label_space([]) == 16


def test_elements_are_written_shortly_and_nothing_is_narrower_than_nothing():
    assert rect(1.25, 2.0, -3, 4, hint="a<b") == (
        '<rect x="1.2" y="2" width="0" height="4"><title>a&lt;b</title></rect>'
    )
    assert text(0, 1, "t", fill="#fff") == (
        '<text x="0" y="1" text-anchor="start" dominant-baseline="central" style="fill:#fff">t</text>'
    )
    assert svg(20.5, "T", "D", width=10.0) == (
        '<svg viewBox="0 0 10 20.5" role="img" class="chart" width="10" height="20.5">'
        "<title>T</title><desc>D</desc></svg>"
    )
