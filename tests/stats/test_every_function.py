"""Every public function, with each kind of bad value in each of its arguments.

It answers with a clear error or with "not known" and the reason: never with NaN or infinity, never with a traceback.
"""

from __future__ import annotations

import inspect
import math
from functools import partial

import numpy as np
import pytest

import venire.stats as stats
from bad_values import OF_RESULTS, problem, spoiled
from rating_rows import overall_row, primary
from venire.errors import UsageError, VenireError

SCORES = [3.0, 4.0, 2.0, 5.0, 1.0, 4.0, 2.5, 3.5]
OTHER = [2.0, 4.0, 3.0, 5.0, 2.0, 4.0, 2.0, 3.0]
BITS = [1, 0, 1, 1, 0, 0, 1, 0]
HALVES = [1, 0, 0.5, 1, 0, 0.5, 1, 0]
GROUPS = [1, 1, 2, 2, 3, 3, 4, 4]
NAMES = ["a", "b", "a", "b", "a", "b", "a", "b"]
RIVALS = ["b", "a", "c", "c", "b", "a", "c", "c"]
TABLE = np.column_stack([SCORES, OTHER])
RATINGS = primary(
    overall_row(f"{model}{number}", judge, 1 + (number * weight) % 5, target_model=model, question_id=f"q{number}")
    for number in range(5)
    for model in ("alder", "birch")
    for judge, weight in (("oak", 2), ("elm", 3))
)
WINS = stats.count_wins(NAMES, RIVALS, HALVES)
SHARE = stats.wilson_interval(2, 9)

CALLS = {
    "agreement_matrix": {"ratings": TABLE, "clusters": GROUPS},
    "alpha_sums": {"units": GROUPS, "raters": NAMES, "values": SCORES},
    "attribute_change": {
        "before": SCORES, "before_questions": GROUPS, "after": OTHER, "after_questions": GROUPS, "anchors_old": SCORES,
        "anchors_new": OTHER,
    },
    "bayesian_mean": {"values": SCORES, "clusters": GROUPS, "scale": [1.0, 5.0]},
    "benjamini_hochberg": {"p_values": [0.1, 0.02, 0.5], "alpha": 0.05},
    "bootstrap": {"values": SCORES, "statistic": np.mean, "seed": 1, "clusters": GROUPS, "resamples": 50},
    "bootstrap_mean": {"values": SCORES, "seed": 1, "clusters": GROUPS, "resamples": 50},
    "bradley_terry": {"outcomes": WINS},
    "bradley_terry_clustered": {
        "first": NAMES, "second": RIVALS, "outcome": HALVES, "clusters": GROUPS, "weights": SCORES,
    },
    "brennan_prediger": {"ratings": TABLE, "clusters": GROUPS},
    "clustered_mean": {"values": SCORES, "clusters": GROUPS},
    "clustered_share": {"successes": BITS, "clusters": GROUPS},
    "cohen_d_z": {"first": SCORES, "second": OTHER, "clusters": GROUPS},
    "cohen_kappa": {"ratings": TABLE, "clusters": GROUPS},
    "combine": {"scores": TABLE, "weights": [0.5, 0.5]},
    "compare_by_scores": {"scores": TABLE, "models": ["a", "b"], "clusters": GROUPS, "tie_margin": 0.1},
    "confusion_by_slice": {"judge": NAMES, "people": RIVALS, "slices": BITS, "clusters": GROUPS},
    "confusion_matrix": {"judge": NAMES, "people": RIVALS, "clusters": GROUPS},
    "conger_kappa": {"ratings": TABLE, "clusters": GROUPS},
    "corrected_share": {"verdicts": BITS, "labels": BITS[::-1], "clusters": GROUPS},
    "corrected_difference": {
        "labels": SCORES, "judged": OTHER, "is_first": [bool(each) for each in BITS], "clusters": GROUPS,
        "probabilities": [0.5] * 8,
    },
    "correlation_band": {"value": 0.5},
    "count_wins": {"first": NAMES, "second": RIVALS, "outcome": HALVES, "weights": SCORES},
    "dawid_skene": {"units": GROUPS, "judges": NAMES, "categories": BITS, "restarts": 0},
    "design_effect": {"cluster_size": 3.0, "intraclass_correlation": 0.2},
    "difference_of_means": {"values": SCORES, "in_first": BITS, "clusters": GROUPS},
    "effective_panel_size": {"judges": 3, "correlation": 0.2},
    "elo": {"first": NAMES, "second": RIVALS, "outcome": HALVES, "k": 32.0, "initial": 1000.0},
    "errors_against_reference": {"scores": TABLE, "reference": SCORES, "judges": ["a", "b"]},
    "expected_score": {"rating": 1000.0, "opponent": 1100.0},
    "fleiss_kappa": {"ratings": TABLE, "clusters": GROUPS},
    "from_long": {"units": GROUPS, "raters": NAMES, "values": SCORES},
    "glad": {"units": GROUPS, "judges": NAMES, "categories": BITS},
    "grade": {"score": 7.0},
    "gwet_ac": {"ratings": TABLE, "clusters": GROUPS},
    "head_to_head": {
        "first": NAMES, "second": RIVALS, "outcome": HALVES, "model": "a", "other": "b", "clusters": GROUPS,
        "weights": SCORES,
    },
    "hedges_g": {"first": SCORES, "second": OTHER, "clusters": GROUPS},
    "holm": {"p_values": [0.1, 0.02, 0.5], "alpha": 0.05},
    "icc": {"ratings": TABLE, "clusters": GROUPS},
    "item_response": {"passes": np.arange(60).reshape(6, 10) * 7 % 11 % 2},
    "judge_competence": {"units": GROUPS, "judges": NAMES, "categories": BITS, "clusters": GROUPS},
    "kendall": {"ratings": TABLE, "clusters": GROUPS},
    "krippendorff_alpha": {"ratings": TABLE, "replicates": 20, "clusters": GROUPS},
    "leave_one_judge_out": {"scores": TABLE, "judges": ["a", "b"], "weights": [0.5, 0.5], "clusters": GROUPS},
    "length_controlled": {
        "first": NAMES, "second": RIVALS, "outcome": HALVES, "first_lengths": SCORES, "second_lengths": OTHER,
        "clusters": GROUPS,
    },
    "mace": {"units": GROUPS, "judges": NAMES, "categories": BITS, "restarts": 0},
    "many_facet": {"scores": SCORES, "samples": GROUPS, "judges": NAMES},
    "mcnemar_exact": {"first": BITS, "second": BITS[::-1], "clusters": GROUPS},
    "mean_sums": {"values": SCORES, "clusters": GROUPS, "replicates": 10},
    "minimum_detectable_effect": {"standard_deviation": 1.0, "n": 20, "alpha": 0.05, "power": 0.8},
    "normal_interval": {"mean": 1.0, "standard_deviation": 1.0, "n": 5},
    "normalise": {"scores": SCORES, "minimum": 1.0, "maximum": 5.0},
    "one_coin": {"units": GROUPS, "judges": NAMES, "categories": BITS, "restarts": 0},
    "paired_power": {"difference": 0.5, "standard_deviation": 1.0, "n": 20, "alpha": 0.05, "variance_inflation": 1.0},
    "paired_t": {"first": SCORES, "second": OTHER, "clusters": GROUPS},
    "panel_dependence": {"scores": TABLE, "reference": SCORES, "judges": ["a", "b"]},
    "pearson": {"ratings": TABLE, "clusters": GROUPS},
    "percent_agreement": {"ratings": TABLE, "clusters": GROUPS},
    "permutation_test": {"first": SCORES, "second": OTHER, "seed": 1, "clusters": GROUPS, "resamples": 50},
    "position_bias": {"first": NAMES, "second": RIVALS, "outcome": HALVES, "questions": GROUPS},
    "prediction_powered_mean": {"labels": SCORES, "judged_labelled": OTHER, "judged_unlabelled": OTHER, "tuning": 0.5},
    "rank_biserial": {"first": SCORES, "second": OTHER},
    "rank_models": {"first": NAMES, "second": RIVALS, "outcome": HALVES, "clusters": GROUPS, "weights": SCORES},
    "rank_scores": {"scores": SCORES, "models": NAMES, "clusters": GROUPS},
    "rating_matrix": {"data": TABLE},
    "reliability_band": {"value": 0.5},
    "recalibrate": {
        "judged": SCORES * 3, "labels": OTHER * 3, "is_fit": [True] * 12 + [False] * 12, "clusters": GROUPS * 3,
    },
    "isotonic_regression": {"judged": SCORES, "people": OTHER, "weights": [1.0] * 8},
    "stratified_mean": {
        "labels": [*SCORES, *OTHER, *SCORES, *[math.nan] * 24], "judged": OTHER * 6, "slices": [*NAMES] * 6,
        "clusters": GROUPS * 6,
    },
    "retest_reliability": {"first": SCORES, "second": OTHER, "clusters": GROUPS},
    "risk_difference": {"first_only": 2, "second_only": 1, "pairs": 9},
    "rogan_gladen": {
        "positive": 4, "judged": 9, "true_positives": 3, "human_positives": 4, "true_negatives": 4,
        "human_negatives": 5,
    },
    "samples_needed": {"difference": 0.5, "standard_deviation": 1.0, "alpha": 0.05, "power": 0.8},
    "sequential_difference": {
        "differences": np.arange(16.0) % 5, "clusters": [*GROUPS, *range(5, 13)], "scale": [1.0, 5.0],
    },
    "slope_within": {"values": SCORES, "against": OTHER, "clusters": GROUPS},
    "spearman": {"ratings": TABLE, "clusters": GROUPS},
    "t_interval": {"values": SCORES},
    "wilcoxon_signed_rank": {"first": SCORES, "second": OTHER},
    "wilson_interval": {"successes": 2, "trials": 9},
    "wins_from_scores": {"scores": TABLE, "models": ["a", "b"], "tie_margin": 0.1},
    "z_score": {"score": 3.0, "mean": 2.0, "deviation": 1.0},
}  # fmt: skip
ON_RATINGS = {
    "group_bias": {}, "halo": {}, "length_bias": {}, "leniency": {},
    "paired_contrasts": {"factor": "target_model", "match": ("question_id",)},
    "panel_scores": {}, "score_compression": {}, "self_preference": {}, "slice_metrics": {}, "z_scores": {},
}  # fmt: skip
CALLS |= {name: {"primary": RATINGS, **more} for name, more in ON_RATINGS.items()}


def cases(name):
    """Yield each spoiled argument of a function: its name, the kind of bad value, and the value."""
    taken = inspect.signature(getattr(stats, name)).parameters
    more = {argument: good for argument, good in {"level": 0.95, "seed": 1}.items() if argument in taken}
    for argument, value in (CALLS[name] | more).items():
        for kind, bad in spoiled(value):
            yield argument, kind, bad


def test_every_public_function_is_called():
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert functions - {*CALLS} == OF_RESULTS


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_good_before_it_is_spoiled(name):
    assert getattr(stats, name)(**CALLS[name]) is not None


NUMBERS_IN = {
    "against", "anchors_new", "anchors_old", "after", "before", "data", "differences", "errors", "first_lengths",
    "in_first", "judged", "judged_labelled", "judged_unlabelled", "labels", "outcome", "p_values", "passes",
    "probabilities", "ratings", "reference", "scores", "second_lengths", "successes", "values", "verdicts", "weights",
}  # fmt: skip
"""The arguments that hold numbers; in others infinity is the name of something, or nothing's."""
PAIRED = {
    "cohen_d_z", "hedges_g", "mcnemar_exact", "paired_t", "permutation_test", "rank_biserial", "retest_reliability",
    "wilcoxon_signed_rank",
}  # fmt: skip
"""The functions whose `first` and `second` are numbers and no names."""


@pytest.mark.parametrize("name", CALLS)
def test_an_infinite_number_is_an_error_in_every_function(name):
    numbers = NUMBERS_IN | ({"first", "second"} if name in PAIRED else set())
    for argument, kind, bad in cases(name):
        if argument in numbers and isinstance(CALLS[name][argument], list | np.ndarray) and "infinite" in kind:
            with pytest.raises(VenireError, match=r"inf|finite"):
                getattr(stats, name)(**(CALLS[name] | {argument: bad}))


@pytest.mark.parametrize(
    "call",
    [
        partial(stats.effective_panel_size, 3, 1.5),
        partial(stats.effective_panel_size, 3, math.inf),
        partial(stats.design_effect, 0.5, 0.2),
        partial(stats.design_effect, 5.0, 1.5),
        partial(stats.design_effect, 5.0, -0.5),
        partial(stats.elo, NAMES, RIVALS, HALVES, k=0.0),
        partial(stats.elo, NAMES, RIVALS, HALVES, k=-3.0),
        partial(stats.wins_from_scores, TABLE, ["a", "b"], tie_margin=-0.1),
        partial(stats.compare_by_scores, TABLE, ["a", "b"], GROUPS, tie_margin=math.nan),
        partial(stats.difference_of_means, SCORES, [2, *BITS[1:]], GROUPS),
        partial(stats.difference_of_means, SCORES, [math.nan, *BITS[1:]], GROUPS),
    ],
)
def test_a_number_that_the_argument_cannot_be_is_an_error(call):
    with pytest.raises(UsageError):
        call()


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_an_infinite_agreement_has_no_band(value):
    assert stats.correlation_band(value) is stats.reliability_band(value) is None


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_value_gives_a_clear_error_or_is_not_known(name):
    found = {
        f"{argument}: {kind}": problem(partial(getattr(stats, name), **(CALLS[name] | {argument: bad})))
        for argument, kind, bad in cases(name)
    }
    assert {case: each for case, each in found.items() if each} == {}
