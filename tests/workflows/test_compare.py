"""Levels of a factor that can be compared, and what is said of those that cannot."""

import pytest

from venire.errors import UsageError
from venire.reports.report import Choices
from venire.workflows.compare import compare_levels

ROWS = [
    *(f"alder-{number},elm,{5 + number % 3},alder,q{number}" for number in range(6)),
    *(f"birch-{number},elm,{4 + number % 3},birch,q{number}" for number in range(6)),
    "cedar-0,elm,,cedar,q0",
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["output_id,judge,score,target_model,question_id", *ROWS]), encoding="utf-8")
    return path


def compare(table, first, second):
    return compare_levels(table, "target_model", first, second, Choices(scale=(0.0, 10.0)))


def test_models_are_compared_question_by_question(table):
    (overall,) = compare(table, "alder", "birch").scores
    assert overall.difference.test.difference.value == pytest.approx(-1.0)
    assert (overall.difference.pairs, overall.difference.paired_by) == (6, ("question_id",))


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("alder", "oak", "error.compare.no_level"),
        ("oak", "alder", "error.compare.no_level"),
        ("alder", "cedar", "error.compare.level_without_scores"),
        ("alder", "alder", "error.compare.same_level"),
    ],
)
def test_a_level_that_cannot_be_compared_is_told_with_the_reason(table, first, second, code):
    with pytest.raises(UsageError) as told:
        compare(table, first, second)
    assert told.value.args == (code,)


def test_a_scale_of_dimensions_is_not_asked_for_again_where_that_of_the_overall_scores_is_not_known(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [f"{model}{n},elm,{n % 5 + 1},{2 * n},{model},q{n}" for model in ("alder", "birch") for n in range(6)]
    path.write_text("\n".join(["output_id,judge,helpful,overall,target_model,question_id", *rows]), encoding="utf-8")
    columns = {"dimensions": "helpful"}
    with pytest.raises(UsageError, match="--scale is that of the dimensions") as caught:
        compare_levels(path, "target_model", "alder", "birch", Choices(scale=(1.0, 5.0), columns=columns))
    assert "overall_minimum" in caught.value.hint
    with pytest.raises(UsageError, match="scale of the scores is not known"):
        compare_levels(path, "target_model", "alder", "birch", Choices(columns=columns))
