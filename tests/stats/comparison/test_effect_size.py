import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from venire.stats.comparison.effect_size import cohen_d_z, hedges_g, rank_biserial


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=30).filter(lambda d: np.std(d) > 0))
def test_cohens_d_is_t_over_root_n_and_its_interval_holds_that_of_the_noncentral_t(differences):
    nothing = np.zeros(len(differences))
    found, n = cohen_d_z(differences, nothing), len(differences)
    t = stats.ttest_1samp(differences, 0).statistic
    assert found.value == pytest.approx(t / np.sqrt(n))
    if found.low is not None:
        assert stats.nct.cdf(t, n - 1, found.low * np.sqrt(n)) >= 0.975 - 1e-4
        assert stats.nct.cdf(t, n - 1, found.high * np.sqrt(n)) <= 0.025 + 1e-4
    shrunk = hedges_g(differences, nothing)
    assert shrunk.value == pytest.approx(found.value * (1 - 3 / (4 * (n - 1) - 1)), rel=0.03)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30))
def test_the_rank_biserial_is_favourable_minus_unfavourable_ranks(differences):
    found = rank_biserial(differences, np.zeros(len(differences)))
    there = np.array([d for d in differences if d])
    if not len(there):
        assert found.value is None
        return
    ranks = stats.rankdata(np.abs(there))
    assert found.value == pytest.approx((ranks[there > 0].sum() - ranks[there < 0].sum()) / ranks.sum())


@pytest.mark.parametrize("effect", [cohen_d_z, hedges_g])
def test_effects_of_too_little_or_equal_differences_are_not_known(effect):
    assert effect([], []).value is None
    assert effect([1.0], [0.0]).value is None
    assert "no variation" in effect([1.1, 2.1, 3.1], [1.0, 2.0, 3.0]).reason
    assert hedges_g([1.0, 2.0], [0.0, 0.0]).reason == "fewer than three pairs"
    assert rank_biserial([None], [1]).reason == "no pairs"


def test_pairs_of_one_question_widen_the_interval_of_g_as_if_they_were_one():
    differences = np.random.default_rng(3).normal(0.4, 1, 30)
    nothing = np.zeros(240)
    once, apart = hedges_g(differences, nothing[:30]), hedges_g(np.repeat(differences, 8), nothing)
    together = hedges_g(np.repeat(differences, 8), nothing, clusters=np.repeat(np.arange(30), 8))
    assert together.n["clusters"] == 30
    assert together.high - together.low > 0.9 * (once.high - once.low) > 2 * (apart.high - apart.low)
