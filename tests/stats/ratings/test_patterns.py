import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.ratings.matrix import rating_matrix
from venire.stats.ratings.patterns import collapse


@given(
    st.integers(1, 5).flatmap(
        lambda raters: st.lists(
            st.lists(st.one_of(st.none(), st.sampled_from([-7.0, 0.5, 2.0, 300.0])), min_size=raters, max_size=raters),
            min_size=1,
            max_size=10,
        )
    )
)
def test_patterns_count_what_each_unit_was_given(rows):
    matrix = rating_matrix(np.array([[np.nan if v is None else v for v in row] for row in rows]))
    patterns = collapse(matrix, units=True)
    values = patterns.categories.tolist()
    for row, pattern in zip(rows, patterns.pattern_of_unit, strict=True):
        assert patterns.counts[pattern].tolist() == [row.count(value) for value in values]
    assert patterns.multiplicity.sum() == len(rows)
    assert len({tuple(counts) for counts in patterns.counts.tolist()}) == len(patterns.counts)


@pytest.mark.parametrize("raters", [6, 15])
@pytest.mark.parametrize("dense_cells", [0, 10**9])
def test_units_that_are_all_different_are_counted_alike_in_a_dense_and_in_a_sparse_table(
    monkeypatch, dense_cells, raters
):
    monkeypatch.setattr("venire.stats.ratings.patterns.DENSE_CELLS", dense_cells)
    rows = np.random.default_rng(1).integers(0, 40, (300, raters)).astype(float)
    rows[0, 1:] = np.nan
    patterns = collapse(rating_matrix(rows), units=True)
    counts = patterns.counts.toarray() if hasattr(patterns.counts, "toarray") else patterns.counts
    expected = [[(row == value).sum() for value in patterns.categories] for row in rows]
    assert (counts[patterns.pattern_of_unit] == np.array(expected)).all()
    assert patterns.ratings[patterns.pattern_of_unit].tolist() == [1, *[raters] * 299]
    assert patterns.multiplicity.tolist() == [1] * 300
    assert (collapse(rating_matrix(rows)).multiplicity == patterns.multiplicity).all()
