import pytest

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
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
