from typing import get_args

import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.agreement.correlation import pearson
from venire.stats.agreement.matrix import Measure, agreement_matrix

SCORES = np.array([[1, 2, 1, np.nan], [2, 2, 3, 4], [3, 4, 3, 4], [5, 5, np.nan, 1], [4, 3, 5, 2], [2, 1, 2, 5]])


@pytest.mark.parametrize("measure", get_args(Measure))
def test_every_measure_gives_a_symmetric_matrix_with_an_empty_diagonal(measure):
    found = agreement_matrix(SCORES, measure)
    assert all(found.cells[index][index] is None for index in range(4))
    assert all(found.cells[row][column] is found.cells[column][row] for row in range(4) for column in range(row))
    assert all(found.cells[row][column].known for row in range(4) for column in range(row))


def test_a_cell_is_the_measure_of_the_units_that_both_rated():
    found = agreement_matrix(SCORES, "pearson")
    assert found.cells[2][3] == pearson(SCORES[[1, 2, 4, 5]][:, 2:]).__class__(
        **{**_fields(pearson(SCORES[:, 2:])), "n": {"units": 4, "units left out": 2}}
    )
    assert found.values[0][1] == pytest.approx(np.corrcoef(SCORES[:, 0], SCORES[:, 1])[0, 1])


def _fields(estimate):
    return {name: getattr(estimate, name) for name in estimate.__struct_fields__}


def test_labels_with_gaps_are_compared_pair_by_pair():
    labels = [["a", "a", None], ["b", "a", "b"], ["b", "b", "b"], ["a", "a", "b"]]
    found = agreement_matrix(labels, "cohen kappa")
    assert found.values[0][1] == cohen_kappa([row[:2] for row in labels]).value


def test_raters_that_never_met_are_not_known():
    found = agreement_matrix([[1, 2, None], [2, 1, None], [1, None, None], [None, None, 3]], "spearman")
    assert (found.values[0][2], found.cells[0][2].reason) == (None, "fewer than two units that both scored")


def test_an_unknown_measure_is_an_error():
    with pytest.raises(UsageError, match="cosine"):
        agreement_matrix(SCORES, "cosine")
