"""The ratings that a report counts."""

import pytest

from rating_rows import overall_row
from venire.errors import PoolingError, UsageError
from venire.reports.report import Choices
from venire.stats.ratings.table import RatingsTable
from venire.workflows.evidence.primary_ratings import choose_primary


def choose(*rows, **choices):
    return choose_primary(RatingsTable.from_rows(rows), Choices(**choices))


def test_one_scale_is_left_as_it_is():
    _, primary, rescaled = choose(overall_row("u", "oak", 4), overall_row("u", "elm", 6))
    assert (rescaled, sorted(primary.table.frame["overall"])) == (False, [4.0, 6.0])


def test_judges_with_different_scales_are_brought_to_ten():
    of_five = overall_row("u", "elm", 3, overall_minimum=1.0, overall_maximum=5.0)
    _, primary, rescaled = choose(overall_row("u", "oak", 4), of_five)
    frame = primary.table.frame.sort("rater")
    assert rescaled
    assert {str(rater): value for rater, value in zip(frame["rater"], frame["overall"], strict=True)} == {
        "oak": 4.0,
        "elm": 5.0,
    }
    assert (frame["overall_minimum"].to_list(), frame["overall_maximum"].to_list()) == ([0.0, 0.0], [10.0, 10.0])


def test_a_factor_that_no_rating_has_is_told_with_those_there_are():
    row = overall_row("u", "oak", 4, factors={"trigger": "x"})
    with pytest.raises(UsageError, match="trigger"):
        choose(row, factors=("colour",))
    assert choose(factors=("colour",))[2] is False  # Nothing was rated, so that nothing can lack it.


def test_versions_of_a_judge_are_never_mixed():
    rows = [overall_row("u", "oak", 4, rater_version="a"), overall_row("v", "oak", 5, rater_version="b")]
    with pytest.raises(PoolingError) as told:
        choose(*rows)
    assert told.value.hint
    chosen, primary, _ = choose(*rows, judge_versions={"oak": "b"})
    assert (len(chosen), primary.table.frame["overall"].to_list()) == (1, [5.0])
