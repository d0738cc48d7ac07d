import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.judges.additive_model import connected_judges, read_design, solve


def design_matrix(design):
    """Return the columns of samples, judges and dimensions, a row for each score."""
    parts = ((design.sample, design.samples), (design.judge, design.judges), (design.dimension, design.dimensions))
    return np.hstack([np.eye(len(names))[codes] for codes, names in parts])


@given(st.integers(0, 10**6))
def test_the_solution_has_the_residuals_and_leverages_of_dense_least_squares(seed):
    draw = np.random.default_rng(seed)
    size = 40
    columns = [draw.integers(n, size=size) for n in (8, 3, 2)]
    design = read_design(draw.normal(size=size) + 5, *columns)
    solution = solve(design)
    matrix = design_matrix(design)
    hat = matrix @ np.linalg.pinv(matrix)
    assert solution.residuals == pytest.approx(design.scores - hat @ design.scores, abs=1e-8)
    assert solution.leverages == pytest.approx(np.diag(hat), abs=1e-8)
    assert solution.rank == np.linalg.matrix_rank(matrix) - len(design.samples)


def test_rows_with_a_missing_part_are_left_out_and_counted_with_the_names_that_only_they_have():
    design = read_design([1, None, 3, 4], ["a", "b", "c", None], ["j", "k", "j", "l"], None)
    assert design.samples.tolist() == ["a", "c"]
    assert design.judges.tolist() == ["j"]
    assert design.missing == 2


def test_chains_of_common_samples_connect_judges():
    design = read_design([1] * 6, list("aabbcd"), list("jkklmn"), None)
    assert sorted(sorted(group) for group in connected_judges(design)) == [["j", "k", "l"], ["m"], ["n"]]


def test_the_only_sample_has_no_variance_and_rounding_never_makes_it_negative():
    for seed in range(70):
        draw = np.random.default_rng(seed)
        size = int(draw.integers(2, 14))
        scores, judges, dimensions = draw.normal(size=size), draw.integers(4, size=size), draw.integers(3, size=size)
        (variance,) = solve(read_design(scores, [0] * size, judges, dimensions)).ability_variances
        assert 0 <= variance < 1e-12
