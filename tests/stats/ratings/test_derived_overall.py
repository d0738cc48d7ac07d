"""Overall scores of tables that have dimensions only, by rules that leave nothing to guess."""

from __future__ import annotations

import polars as pl
import pytest

from venire.errors import UsageError
from venire.stats.ratings.table import RatingsTable


def table(rows, overall="", scale=(1, 5), head=("unit", "dimension", "score")):
    frame = pl.DataFrame([dict(zip(head, row, strict=True)) for row in rows]).with_columns(rater=pl.lit("oak"))
    return RatingsTable.from_frame(frame, minimum=scale[0], maximum=scale[1], overall=overall)


def overall_of(made):
    """Return each unit's overall score with its scale."""
    columns = ("overall", "overall_minimum", "overall_maximum")
    return {row[0]: row[1:] for row in made.frame.select(pl.col("unit").cast(str), *columns).iter_rows()}


COMPLETE = [("a", "clarity", 2), ("a", "depth", 5), ("b", "clarity", 4), ("b", "depth", 4)]


def test_it_is_the_mean_on_the_common_scale():
    assert overall_of(table(COMPLETE)) == {"a": (3.5, 1, 5), "b": (4, 1, 5)}


def test_every_row_of_a_judgement_carries_it():
    assert table(COMPLETE).frame["overall"].to_list() == [3.5, 3.5, 4, 4]


def test_without_a_scale_it_has_none_either():
    assert overall_of(table(COMPLETE, scale=(None, None)))["a"] == (3.5, None, None)


def test_dimensions_on_different_scales_are_averaged_on_ten():
    rows = [("a", "clarity", 3, 1, 5), ("a", "depth", 10, 0, 10)]
    made = table(rows, head=("unit", "dimension", "score", "minimum", "maximum"))
    assert overall_of(made) == {"a": (7.5, 0, 10)}


def test_the_sum_has_the_sum_of_the_scales():
    assert overall_of(table(COMPLETE, "sum"))["a"] == (7, 2, 10)
    assert overall_of(table(COMPLETE, "sum", scale=(None, None)))["a"] == (7, None, None)


def test_a_dimension_can_stand_for_it():
    assert overall_of(table(COMPLETE, "depth"))["a"] == (5, 1, 5)


@pytest.mark.parametrize("rule", ["", "mean", "sum"])
def test_a_judgement_that_lacks_a_dimension_has_none(rule):
    made = overall_of(table([*COMPLETE, ("c", "clarity", 2)], rule))
    assert made["c"][0] is None
    assert made["a"][0] is not None


def test_the_mean_of_those_present_has_to_be_asked_for():
    rows = [*COMPLETE, ("c", "clarity", 2), ("c", "depth", None)]
    assert overall_of(table(rows, "present"))["c"] == (2, 1, 5)
    assert overall_of(table(rows))["c"][0] is None


@pytest.mark.parametrize("name", ["", "overall", "Overall"])
def test_rows_that_hold_an_overall_score_are_taken_as_they_are(name):
    made = table([*COMPLETE, ("a", name, 1), ("b", name, 5)])
    assert overall_of(made) == {"a": (1, 1, 5), "b": (5, 1, 5)}
    assert made.primary().dimensions == ("clarity", "depth")


def test_an_unknown_rule_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match="'median'") as stop:
        table(COMPLETE, "median")
    assert "mean, present, sum, or a dimension: clarity, depth" in stop.value.hint


def test_a_rule_for_scores_that_are_given_is_refused():
    with pytest.raises(UsageError, match="without overall scores"):
        table([*COMPLETE, ("a", "overall", 1)], "sum")
    with pytest.raises(UsageError, match="no overall score"):
        table([("a", 2), ("b", 3)], "sum", head=("unit", "score"))


def test_a_score_outside_of_its_scale_makes_the_judgement_invalid():
    made = table([*COMPLETE, ("c", "clarity", 9), ("c", "depth", 3)])
    assert made.primary().excluded == {"invalid": 1}
    assert "c" not in set(made.primary().table.frame["unit"])


def test_a_score_whose_scale_is_not_known_is_not_outside_of_it():
    assert table([("a", "clarity", 99), ("a", "depth", 3)], scale=(None, None)).primary().excluded == {}


def test_a_score_at_the_end_of_its_scale_counts():
    assert table([("a", 1), ("b", 5)], head=("unit", "score")).primary().excluded == {}
