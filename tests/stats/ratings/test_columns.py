import pytest

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
from venire.stats.ratings.columns import in_order_of_names, is_offered, may_be_offered
from venire.stats.ratings.rating import Rating
from venire.stats.ratings.table import RatingsTable


def test_rows_are_read_as_a_stream_across_chunks():
    def rows():
        for number in range(70_000):
            factors = {"late": "x"} if number == 69_999 else {}
            yield overall_row(f"u{number}", "j", number % 11, factors=factors)

    table = RatingsTable.from_rows(rows())
    assert len(table) == 70_000
    assert len(table.only(where={"late": "x"})) == 1


def test_scores_that_are_not_finite_are_missing():
    found = primary([Rating(unit="u", rater="j", dimension="a", score=float("nan"), judgement="k")])
    assert found.excluded == {"without a score": 1}


def test_an_unknown_factor_is_an_error_that_lists_the_known_ones():
    with pytest.raises(UsageError, match="trigger"):
        RatingsTable.from_rows(judgement_rows("u", "j", {"a": 1}, factors={"trigger": "x"})).only(where={"triger": "x"})


@pytest.mark.parametrize(
    ("levels", "may"),
    [
        ([str(n) for n in range(20)], True),
        ([str(n) for n in range(21)], False),
        (["x" * 60], True),
        (["x" * 61], False),
        (["two\nlines"], False),
    ],
)
def test_a_note_with_many_long_or_broken_levels_is_no_factor(levels, may):
    assert may_be_offered(levels) is may


@pytest.mark.parametrize(
    ("name", "levels", "samples", "offered"),
    [
        ("language", ["en", "zh"], 5, True),
        ("language", ["en", "zh"], 4, False),
        ("language", ["en"], 40, False),
        ("difficulty", ["1", "20"], 40, True),
        ("difficulty", ["1", "21"], 40, False),
        ("difficulty", ["1", "1.5"], 40, False),
        ("difficulty", ["1", "hard"], 40, True),
        ("latencyMs", ["1", "2"], 40, False),
        ("wordsmith", ["1", "2"], 40, True),
    ],
)
def test_a_note_is_offered_unless_it_is_rare_constant_or_measured(name, levels, samples, offered):
    assert is_offered(name, levels, samples) is offered


def test_rows_are_ordered_by_the_panel_and_by_names_whose_numbers_count():
    given = [
        overall_row(f"{question}-{model}", judge, 5.0, question_id=question, target_model=model)
        for question in ("q10", "q2", "Q3", "q1")
        for model in ("birch", "alder")
        for judge in ("elm", "yew", "oak")
    ]
    frame = in_order_of_names(RatingsTable.from_rows(given).frame, ["yew", "nobody", "elm"])
    found = [tuple(map(str, row)) for row in frame.select("rater", "question_id", "target_model").rows()]
    assert found == [
        (judge, question, model)
        for judge in ("yew", "elm", "oak")
        for question in ("Q3", "q1", "q2", "q10")
        for model in ("alder", "birch")
    ]
