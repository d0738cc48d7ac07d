import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_values import golden
from venire.stats.comparison.elo import elo, expected_score

PUBLISHED = golden("uncertainty_published")


TABLE = golden("uncertainty_table")["comparisons"]


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def test_expected_elo_scores_are_the_published_ones():
    case = PUBLISHED["elo"]
    found = [round(expected_score(case["rating"], opponent), 2) for opponent in case["opponents"]]
    assert found == case["expected"]


def test_elo_gives_the_golden_table():
    expected = TABLE["expected"]
    found = elo(*columns(TABLE["rows"]), initial=expected["elo initial"])
    assert list(found.ratings.values()) == pytest.approx(expected["elo"])


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1, None])), max_size=20)
)
def test_elo_points_are_only_moved_and_never_made(rows):
    found = elo(*(columns(rows) if rows else ([], [], [])))
    assert sum(found.ratings.values()) == pytest.approx(1000 * len(found.ratings))
    assert found.n["comparisons"] + found.n["missing"] == len(rows)
