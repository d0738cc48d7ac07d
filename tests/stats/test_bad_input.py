"""Bad values give a clear error or "not known" with the reason: never a number, never a raw traceback."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import venire.stats as stats
from venire.errors import InputError, UsageError
from venire.stats import Estimate

SCORES = [3.0, 4.0, 2.0, 5.0, 1.0, 4.0]
OTHER = [2.0, 4.0, 3.0, 5.0, 2.0, 4.0]
BITS = [1, 0, 1, 1, 0, 0]
GROUPS = [1, 1, 2, 2, 3, 3]
TABLE = np.column_stack([SCORES, OTHER])

LEVELLED = {
    "agreement_matrix": lambda **more: stats.agreement_matrix(TABLE, **more),
    "bootstrap_mean": lambda **more: stats.bootstrap_mean(SCORES, seed=1, **more),
    "clustered_mean": lambda **more: stats.clustered_mean(SCORES, GROUPS, **more),
    "clustered_share": lambda **more: stats.clustered_share(BITS, GROUPS, **more),
    "cohen_d_z": lambda **more: stats.cohen_d_z(SCORES, OTHER, **more),
    "cohen_kappa": lambda **more: stats.cohen_kappa(TABLE, **more),
    "difference_of_means": lambda **more: stats.difference_of_means(SCORES, BITS, GROUPS, **more),
    "fleiss_kappa": lambda **more: stats.fleiss_kappa(TABLE, **more),
    "gwet_ac": lambda **more: stats.gwet_ac(TABLE, **more),
    "hedges_g": lambda **more: stats.hedges_g(SCORES, OTHER, **more),
    "icc": lambda **more: stats.icc(TABLE, **more),
    "kendall": lambda **more: stats.kendall(TABLE, **more),
    "krippendorff_alpha": lambda **more: stats.krippendorff_alpha(TABLE, replicates=9, **more),
    "many_facet": lambda **more: stats.many_facet(SCORES, GROUPS, BITS, **more),
    "mcnemar_exact": lambda **more: stats.mcnemar_exact(BITS, BITS[::-1], **more),
    "normal_interval": lambda **more: stats.normal_interval(1.0, 1.0, 5, **more),
    "paired_t": lambda **more: stats.paired_t(SCORES, OTHER, **more),
    "panel_dependence": lambda **more: stats.panel_dependence(TABLE, [3.0] * 6, "ab", **more),
    "pearson": lambda **more: stats.pearson(TABLE, **more),
    "percent_agreement": lambda **more: stats.percent_agreement(TABLE, **more),
    "permutation_test": lambda **more: stats.permutation_test(SCORES, OTHER, seed=1, **more),
    "prediction_powered_mean": lambda **more: stats.prediction_powered_mean(SCORES, OTHER, OTHER, **more),
    "retest_reliability": lambda **more: stats.retest_reliability(SCORES, OTHER, **more),
    "risk_difference": lambda **more: stats.risk_difference(2, 1, 9, **more),
    "rogan_gladen": lambda **more: stats.rogan_gladen(
        4, 9, true_positives=3, human_positives=4, true_negatives=4, human_negatives=5, **more
    ),
    "slope_within": lambda **more: stats.slope_within(SCORES, OTHER, GROUPS, **more),
    "spearman": lambda **more: stats.spearman(TABLE, **more),
    "t_interval": lambda **more: stats.t_interval(SCORES, **more),
    "wilcoxon_signed_rank": lambda **more: stats.wilcoxon_signed_rank(SCORES, OTHER, **more),
    "wilson_interval": lambda **more: stats.wilson_interval(2, 9, **more),
}


def test_the_calls_are_good_as_they_stand():
    assert all(call() is not None for call in LEVELLED.values())


@pytest.mark.parametrize("level", [95, 0, 1, -0.5, math.nan, math.inf])
@pytest.mark.parametrize("name", LEVELLED)
def test_a_level_that_is_no_share_is_an_error(name, level):
    with pytest.raises(UsageError, match="level"):
        LEVELLED[name](level=level)


LISTS = {
    name: getattr(stats, name)
    for name in ("paired_t", "cohen_d_z", "hedges_g", "wilcoxon_signed_rank", "retest_reliability")
}
MATRICES = {
    name: getattr(stats, name)
    for name in (
        "cohen_kappa", "fleiss_kappa", "gwet_ac", "icc", "kendall", "krippendorff_alpha", "pearson",
        "percent_agreement", "spearman",
    )
}  # fmt: skip


def estimates_in(found):
    """Return the estimates of a result, however deep."""
    if isinstance(found, Estimate):
        return [found]
    if hasattr(found, "__struct_fields__"):
        return [one for name in found.__struct_fields__ for one in estimates_in(getattr(found, name))]
    return []


BAD = {
    "nothing": [], "missing": [math.nan] * 6, "infinite": [math.inf, -math.inf] * 3,
    "one infinite": [math.inf, 1.0, 2.0, 3.0, 4.0, 5.0], "equal": [2.0] * 6, "one": [1.0],
    "huge": [1e308, -1e308, 1e308, 1.0, 2.0, 3.0], "words": ["a", "b", "a", "c", "a", "b"],
    "booleans": [True, False, True, True, False, True],
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", [*LISTS, *MATRICES])
def test_a_bad_list_gives_a_finite_number_a_reason_or_a_clear_error(name, kind):
    values = BAD[kind]
    try:
        if name in LISTS:
            found = LISTS[name](values, values[::-1])
        else:
            found = MATRICES[name](np.array([values, values[::-1]]).T if values else np.zeros((0, 2)))
    except (InputError, UsageError):
        return
    for estimate in estimates_in(found):
        assert estimate.value is None or math.isfinite(estimate.value)
        assert estimate.value is not None or estimate.reason


def test_clusters_of_another_length_are_an_error_everywhere():
    for name, call in LEVELLED.items():
        if "clusters" in inspect.signature(getattr(stats, name)).parameters and name not in (
            "clustered_mean", "clustered_share", "difference_of_means", "slope_within", "prediction_powered_mean",
        ):  # fmt: skip
            with pytest.raises(UsageError):
                call(clusters=[1, 2])


@pytest.mark.parametrize("values", [[0.5, 1.0], [2, 0], ["1.5", "0"]])
def test_a_share_of_what_is_neither_0_nor_1_is_an_error(values):
    with pytest.raises(UsageError, match="0"):
        stats.clustered_share(values, [1, 2])


@pytest.mark.parametrize("score", [-0.1, 10.5, math.inf, -math.inf])
def test_a_grade_off_the_scale_is_an_error(score):
    with pytest.raises(UsageError, match="0 to 10"):
        stats.grade(score)
    assert stats.grade(math.nan) is None


@pytest.mark.parametrize("adjust", [stats.holm, stats.benjamini_hochberg])
@pytest.mark.parametrize("p_values", [[0.5, 1.2], [-0.1]])
def test_p_values_outside_of_0_and_1_are_an_error(adjust, p_values):
    with pytest.raises(UsageError, match="p values"):
        adjust(p_values)


def test_the_power_of_a_test_without_spread_is_an_error():
    for bad in ((1.0, 0.0, 10), (1.0, math.inf, 10), (math.nan, 1.0, 10), (1.0, 1.0, 1)):
        with pytest.raises(UsageError, match="standard deviation"):
            stats.paired_power(*bad)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_percent_agreement_stays_between_0_and_1(seed):
    generator = np.random.default_rng(seed)
    ratings = generator.integers(0, 2, (6, 3))
    for table in (ratings, np.zeros((6, 2)), np.array([[0, 1]] * 6)):
        found = stats.percent_agreement(table, clusters=GROUPS)
        assert 0 <= found.low <= found.value <= found.high <= 1
