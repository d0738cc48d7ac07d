import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.errors import UsageError
from venire.stats.comparison.effect_size import cohen_d_z
from venire.stats.comparison.paired import (
    mcnemar_exact,
    paired_t,
    permutation_test,
    risk_difference,
    wilcoxon_signed_rank,
)

PUBLISHED = golden("uncertainty_published")


TABLE = golden("uncertainty_table")["paired"]


SHORT = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def test_paired_t_gives_students_sleep_result():
    case = PUBLISHED["paired_t"]
    test = paired_t(case["first"], case["second"])
    assert round(test.statistic, 4) == case["t"]
    assert test.p_value == pytest.approx(case["p"], abs=5e-7)
    assert (test.difference.low, test.difference.high) == pytest.approx((case["low"], case["high"]), abs=5e-8)


def test_wilcoxon_gives_hollander_and_wolfes_result():
    case = PUBLISHED["wilcoxon"]
    test = wilcoxon_signed_rank(case["first"], case["second"])
    assert test.statistic == case["positive_ranks"]
    assert test.p_value / 2 == pytest.approx(case["p_one_sided"], abs=5e-6)


def test_the_permutation_test_counts_fishers_sign_patterns():
    case = PUBLISHED["permutation"]
    test = permutation_test(case["differences"], np.zeros(15), seed=0)
    assert test.p_value * case["patterns"] == case["as_extreme"]


def test_mcnemar_gives_agrestis_difference_and_interval():
    case = PUBLISHED["mcnemar"]
    counts = [case["both"], case["first_only"], case["second_only"], case["neither"]]
    first, second = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
    test = mcnemar_exact(second, first)
    assert test.difference.value == pytest.approx(case["difference_second_minus_first"])
    assert round(test.difference.standard_error, 4) == case["standard_error"]
    assert (round(test.difference.low, 2), round(test.difference.high, 2)) == (case["low"], case["high"])
    assert test.p_value == pytest.approx(stats.binomtest(86, 236).pvalue)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_mcnemar_with_a_pair_to_each_cluster_has_the_same_p_value(pairs):
    first, second = zip(*pairs, strict=True)
    alone, clustered = mcnemar_exact(first, second), mcnemar_exact(first, second, clusters=range(len(pairs)))
    assert clustered.p_value == pytest.approx(alone.p_value)
    assert clustered.difference.value == pytest.approx(alone.difference.value)


CLUSTERED_PAIRS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=14)


@given(CLUSTERED_PAIRS)
def test_mcnemar_by_cluster_counts_all_ways_to_swap_clusters(rows):
    first, second, clusters = zip(*rows, strict=True)
    ahead = [sum(int(one) - int(two) for one, two, each in rows if each == cluster) for cluster in sorted({*clusters})]
    swaps = [
        sum(abs(each) for each, stays in zip(ahead, signs, strict=True) if stays)
        for signs in itertools.product((0, 1), repeat=len(ahead))
    ]
    found = sum(each for each in ahead if each > 0)
    tail = min(np.mean([each <= found for each in swaps]), np.mean([each >= found for each in swaps]))
    assert mcnemar_exact(first, second, clusters=clusters).p_value == pytest.approx(min(1.0, 2 * tail))


def test_copies_within_clusters_change_nothing_of_mcnemars_test():
    first, second, clusters = [1, 1, 1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 0, 1, 1, 0], [1, 2, 2, 3, 4, 5, 6, 7]
    once = mcnemar_exact(first, second, clusters=clusters)
    copied = mcnemar_exact(first * 4, second * 4, clusters=clusters * 4)
    assert copied.p_value == once.p_value
    assert (copied.difference.low, copied.difference.high) == pytest.approx((once.difference.low, once.difference.high))
    assert mcnemar_exact(first * 4, second * 4).p_value < once.p_value / 2


def test_mcnemar_of_very_many_clusters_is_normal_and_says_so():
    first = np.repeat([1, 0], [2600, 2400])
    test = mcnemar_exact(first, 1 - first, clusters=range(5000))
    assert "normal" in test.method
    assert test.p_value == pytest.approx(stats.binomtest(2600, 5000).pvalue, rel=0.05)
    assert -1 <= test.difference.low <= test.difference.high <= 1


def test_mcnemar_by_cluster_leaves_out_what_is_missing_and_refuses_what_is_no_share():
    test = mcnemar_exact([1, None, 1, 0], [0, 1, 1, 0], clusters=["a", "b", "c", None])
    assert test.n == {"pairs": 2, "first only": 1, "second only": 0, "clusters": 2, "missing": 2}
    assert mcnemar_exact([None], [1], clusters=["a"]).p_value is None
    with pytest.raises(UsageError, match="1"):
        mcnemar_exact([1, 2], [0, 1], clusters=["a", "b"])


def test_the_method_of_a_clustered_paired_t_names_its_correction():
    test = paired_t([3, 4, 5, 6], [2, 4, 4, 5], clusters=[1, 1, 2, 3])
    assert "CR2" in test.method
    assert "CR2" in test.difference.method


def test_paired_tests_give_the_golden_table():
    first, second, small = np.array(TABLE["first"]), np.array(TABLE["second"]), np.array(TABLE["small"])
    expected = TABLE["expected"]
    t = paired_t(first, second)
    assert (t.statistic, t.p_value) == pytest.approx((expected["t"], expected["t p"]))
    tenfold = wilcoxon_signed_rank(np.tile(first, 10), np.tile(second, 10))
    assert tenfold.p_value == pytest.approx(expected["wilcoxon normal p of the tenfold table"])
    nothing = np.zeros(len(small))
    assert wilcoxon_signed_rank(small, nothing).p_value == pytest.approx(expected["wilcoxon exact p of the small list"])
    assert permutation_test(small, nothing, seed=0).p_value == pytest.approx(
        expected["permutation exact p of the small list"]
    )
    assert mcnemar_exact(first >= 3, second >= 3).p_value == pytest.approx(expected["mcnemar p"])


@given(SHORT)
def test_wilcoxons_exact_p_value_is_the_share_of_sign_patterns(differences):
    test = wilcoxon_signed_rank(differences, np.zeros(len(differences)))
    there = [d for d in differences if d]
    if not there:
        assert test.p_value is None
        return
    ranks = stats.rankdata(np.abs(there))
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in itertools.product((0, 1), repeat=len(ranks))
    ]
    below = np.mean([s <= test.statistic + 1e-9 for s in sums])
    above = np.mean([s >= test.statistic - 1e-9 for s in sums])
    assert test.p_value == pytest.approx(min(1.0, 2 * min(below, above)))


@given(SHORT)
def test_the_exact_permutation_p_value_is_the_share_of_sign_patterns(differences):
    test = permutation_test(differences, np.zeros(len(differences)), seed=0)
    sums = [abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=len(differences))]
    assert test.p_value == pytest.approx(np.mean([s >= abs(sum(differences)) for s in sums]))


@pytest.mark.parametrize("scale", [1.0, np.pi])
def test_random_flips_agree_with_the_t_test_for_many_pairs(scale):
    generator = np.random.default_rng(4)
    differences = generator.integers(-3, 4, 300) * scale + (0.0 if scale == 1.0 else generator.normal(size=300) * 0.1)
    test = permutation_test(differences + 0.2 * scale, np.zeros(300), seed=1)
    assert "random" in test.method
    assert test.p_value == pytest.approx(stats.ttest_1samp(differences + 0.2 * scale, 0).pvalue, abs=0.015)


def test_a_random_permutation_p_value_is_never_zero():
    test = permutation_test(np.arange(100) + 50.0, np.zeros(100), seed=0, resamples=99)
    assert test.p_value == pytest.approx(0.01)
    assert test.seed == 0


def test_the_differences_of_a_cluster_flip_together():
    differences = [1.0] * 10 + [1.0] * 10
    assert permutation_test(differences, np.zeros(20), clusters=[0] * 10 + [1] * 10, seed=0).p_value == 0.5
    assert permutation_test(differences, np.zeros(20), seed=0).p_value < 0.001


def test_clustered_pairs_are_tested_with_the_clustered_standard_error():
    first, clusters = np.repeat([1.0, 2.0, 4.0], 5), np.repeat([0, 1, 2], 5)
    test = paired_t(first, np.zeros(15), clusters=clusters)
    plain = stats.ttest_1samp([1.0, 2.0, 4.0], 0)
    assert (test.statistic, test.p_value) == pytest.approx((plain.statistic, plain.pvalue))


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_mcnemar_is_the_binomial_test_of_the_discordant_pairs(gained, lost, equal):
    first = np.repeat([1, 0, 1], [gained, lost, equal])
    second = np.repeat([0, 1, 1], [gained, lost, equal])
    test = mcnemar_exact(first, second)
    if not len(first):
        assert test.p_value is None
    elif not gained + lost:
        assert test.p_value == 1.0
    else:
        assert test.p_value == pytest.approx(stats.binomtest(gained, gained + lost).pvalue)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_a_risk_difference_lies_inside_its_interval_and_within_one(gained, lost, equal):
    found = risk_difference(gained, lost, gained + lost + equal)
    if gained + lost + equal > 1:
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
    else:
        assert found.low is None


@pytest.mark.parametrize(
    "test", [paired_t, wilcoxon_signed_rank, mcnemar_exact, lambda a, b: permutation_test(a, b, seed=0)]
)
@pytest.mark.parametrize("values", [[], [None], [None, None]])
def test_no_pair_gives_no_p_value_and_says_why(test, values):
    found = test(values, values)
    assert (found.p_value, found.statistic, found.difference.value) == (None, None, None)
    assert found.reason


def test_equal_sides_say_nothing_about_the_spread():
    same = [1.0, 2.0, 3.0]
    assert paired_t(same, same).p_value is None
    assert "no variation" in paired_t(same, same).reason
    assert "not 0" in wilcoxon_signed_rank(same, same).reason
    assert permutation_test(same, same, seed=0).p_value == 1.0


def test_one_pair_has_no_t_test():
    found = paired_t([2.0], [1.0])
    assert found.difference.value == 1.0
    assert found.p_value is None
    assert "one observation" in found.reason


def test_decimal_scores_tie_in_wilcoxons_ranks():
    found = wilcoxon_signed_rank([4.3, 3.2, 2.0], [4.2, 3.1, 2.1])
    assert found.statistic == 4.0


def test_mcnemar_refuses_scores():
    with pytest.raises(UsageError, match="1 and failures as 0"):
        mcnemar_exact([1, 2], [0, 1])


def test_a_million_pairs_are_a_value():
    generator = np.random.default_rng(0)
    first, second = generator.integers(0, 2, 1_000_000), generator.integers(0, 2, 1_000_000)
    assert 0 < wilcoxon_signed_rank(first, second).p_value <= 1
    assert 0 < mcnemar_exact(first, second).p_value <= 1
    assert 0 < permutation_test(first, second, seed=0).p_value <= 1
    assert abs(cohen_d_z(first, second).value) < 0.01


def test_clustered_signed_ranks_of_clusters_of_one_are_an_exact_flip_of_all_signs():
    generator = np.random.default_rng(12)
    first, second = generator.normal(0.4, 1, 12), np.zeros(12)
    alone = wilcoxon_signed_rank(first, second)
    assert wilcoxon_signed_rank(first, second, clusters=range(12)).p_value == pytest.approx(alone.p_value)


def test_signed_ranks_of_repeated_differences_do_not_grow_surer_with_clusters():
    generator = np.random.default_rng(13)
    first = generator.normal(0.5, 1, 14)
    repeated, clusters = np.repeat(first, 4), np.repeat(np.arange(14), 4)
    plain = wilcoxon_signed_rank(repeated, np.zeros(56)).p_value
    clustered = wilcoxon_signed_rank(repeated, np.zeros(56), clusters=clusters).p_value
    assert clustered == pytest.approx(wilcoxon_signed_rank(first, np.zeros(14)).p_value, rel=0.05)
    assert plain < clustered / 3
    many = wilcoxon_signed_rank(generator.normal(0.5, 1, 80), np.zeros(80), clusters=np.repeat(np.arange(40), 2))
    assert 0 < many.p_value < 0.1
