import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.judges.leave_one_out import leave_one_judge_out

TABLES = st.lists(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3), min_size=1, max_size=12)


@given(TABLES, st.lists(st.floats(0.1, 1), min_size=3, max_size=3))
def test_leaving_out_a_judge_averages_the_others_on_the_same_units(rows, weights):
    for index, found in enumerate(leave_one_judge_out(rows, "abc", weights=weights)):
        with_judge, without = [], []
        for row in rows:
            others = [(s, w) for j, (s, w) in enumerate(zip(row, weights, strict=True)) if s is not None and j != index]
            everyone = [(s, w) for s, w in zip(row, weights, strict=True) if s is not None]
            if others:
                without.append(sum(s * w for s, w in others) / sum(w for _, w in others))
                with_judge.append(sum(s * w for s, w in everyone) / sum(w for _, w in everyone))
        if not without:
            assert found.difference.value is None
        else:
            assert found.with_judge.value == pytest.approx(np.mean(with_judge))
            assert found.without_judge.value == pytest.approx(np.mean(without))
            assert found.difference.value == pytest.approx(np.mean(with_judge) - np.mean(without), abs=1e-9)


def test_a_panel_of_one_judge_has_nothing_without_it():
    (alone,) = leave_one_judge_out([[1.0], [2.0]], ["a"])
    assert alone.without_judge.value is None
    assert alone.with_judge.value is None


def test_leaving_out_allows_for_clusters():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(40, 3))
    by_cluster = leave_one_judge_out(scores, "abc", clusters=np.repeat(np.arange(8), 5))
    assert by_cluster[0].difference.n["clusters"] == 8
