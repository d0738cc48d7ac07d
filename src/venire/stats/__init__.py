"""Pure functions of ratings that say how far a number can be trusted.

The names below are the public face; each is imported when it is first used, so that `import venire.stats` is quick.

>>> import venire.stats
>>> found = venire.stats.krippendorff_alpha([[1, 1], [2, 2], [3, 2]], "ordinal")
>>> round(found.value, 3), found.method, found.n["units"]
(0.778, 'krippendorff alpha, ordinal', 3)
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from venire.stats.agreement_matrix import AgreementMatrix, agreement_matrix
    from venire.stats.alpha_sums import alpha_sums
    from venire.stats.bands import correlation_band, reliability_band
    from venire.stats.bootstrap import bootstrap, bootstrap_mean
    from venire.stats.bradley_terry import bradley_terry
    from venire.stats.change_attribution import attribute_change, attribute_changes
    from venire.stats.clustered import clustered_mean
    from venire.stats.clustered_difference import difference_of_means, slope_within
    from venire.stats.clustered_share import clustered_share, share_difference
    from venire.stats.cohen_kappa import cohen_kappa
    from venire.stats.confusion_matrix import confusion_by_slice, confusion_matrix
    from venire.stats.correlation import kendall, pearson, spearman
    from venire.stats.dawid_skene import dawid_skene
    from venire.stats.dawid_skene_steps import class_probabilities, expected_counts, fit_in_steps, shard_votes
    from venire.stats.drift import slice_metrics, worst_slices
    from venire.stats.drift_contrasts import cliffs, paired_contrasts
    from venire.stats.effect_size import cohen_d_z, hedges_g, rank_biserial
    from venire.stats.elo import elo, expected_score
    from venire.stats.fleiss_kappa import fleiss_kappa
    from venire.stats.grades import grade
    from venire.stats.group_bias import group_bias
    from venire.stats.gwet_ac import gwet_ac
    from venire.stats.halo import halo
    from venire.stats.icc import icc
    from venire.stats.intervals import normal_interval, t_interval, wilson_interval
    from venire.stats.judge_competence import judge_competence
    from venire.stats.judge_versions import compare_judge_versions
    from venire.stats.krippendorff_alpha import krippendorff_alpha
    from venire.stats.learnt_weights import errors_against_reference, inverse_variance_weights
    from venire.stats.leave_one_out import leave_one_judge_out
    from venire.stats.length_bias import length_bias
    from venire.stats.leniency import leniency
    from venire.stats.mace import mace
    from venire.stats.many_facet import many_facet
    from venire.stats.masking_flips import masking_flips
    from venire.stats.mean_sums import mean_sums
    from venire.stats.multiplicity import benjamini_hochberg, holm
    from venire.stats.one_coin import one_coin
    from venire.stats.paired import mcnemar_exact, paired_t, permutation_test, risk_difference, wilcoxon_signed_rank
    from venire.stats.panel_dependence import effective_panel_size, panel_dependence
    from venire.stats.panel_scores import combine, normalise, panel_scores, panel_weights
    from venire.stats.percent_agreement import percent_agreement
    from venire.stats.position_bias import position_bias
    from venire.stats.power import design_effect, minimum_detectable_effect, paired_power, samples_needed
    from venire.stats.prediction_powered import prediction_powered_mean
    from venire.stats.rating_matrix import RatingMatrix, from_long, rating_matrix
    from venire.stats.ratings import PrimarySet, RatingsTable
    from venire.stats.result import Estimate
    from venire.stats.retest_reliability import retest_reliability
    from venire.stats.rogan_gladen import rogan_gladen
    from venire.stats.rollup import roll_up
    from venire.stats.score_comparisons import compare_by_scores
    from venire.stats.score_compression import score_compression
    from venire.stats.score_difference import score_difference
    from venire.stats.self_preference import self_preference
    from venire.stats.win_matrix import count_wins, wins_from_scores
    from venire.stats.z_scores import z_score, z_scores

_HOMES = {
    "AgreementMatrix": "agreement_matrix",
    "Estimate": "result",
    "PrimarySet": "ratings",
    "RatingMatrix": "rating_matrix",
    "RatingsTable": "ratings",
    "agreement_matrix": "agreement_matrix",
    "alpha_sums": "alpha_sums",
    "attribute_change": "change_attribution",
    "attribute_changes": "change_attribution",
    "benjamini_hochberg": "multiplicity",
    "bootstrap": "bootstrap",
    "bootstrap_mean": "bootstrap",
    "bradley_terry": "bradley_terry",
    "class_probabilities": "dawid_skene_steps",
    "cliffs": "drift_contrasts",
    "clustered_mean": "clustered",
    "clustered_share": "clustered_share",
    "cohen_d_z": "effect_size",
    "cohen_kappa": "cohen_kappa",
    "combine": "panel_scores",
    "compare_by_scores": "score_comparisons",
    "compare_judge_versions": "judge_versions",
    "confusion_by_slice": "confusion_matrix",
    "confusion_matrix": "confusion_matrix",
    "correlation_band": "bands",
    "count_wins": "win_matrix",
    "dawid_skene": "dawid_skene",
    "design_effect": "power",
    "difference_of_means": "clustered_difference",
    "effective_panel_size": "panel_dependence",
    "elo": "elo",
    "errors_against_reference": "learnt_weights",
    "expected_counts": "dawid_skene_steps",
    "expected_score": "elo",
    "fit_in_steps": "dawid_skene_steps",
    "fleiss_kappa": "fleiss_kappa",
    "from_long": "rating_matrix",
    "grade": "grades",
    "group_bias": "group_bias",
    "gwet_ac": "gwet_ac",
    "halo": "halo",
    "hedges_g": "effect_size",
    "holm": "multiplicity",
    "icc": "icc",
    "inverse_variance_weights": "learnt_weights",
    "judge_competence": "judge_competence",
    "kendall": "correlation",
    "krippendorff_alpha": "krippendorff_alpha",
    "leave_one_judge_out": "leave_one_out",
    "length_bias": "length_bias",
    "leniency": "leniency",
    "mace": "mace",
    "many_facet": "many_facet",
    "masking_flips": "masking_flips",
    "mcnemar_exact": "paired",
    "mean_sums": "mean_sums",
    "minimum_detectable_effect": "power",
    "normal_interval": "intervals",
    "normalise": "panel_scores",
    "one_coin": "one_coin",
    "paired_contrasts": "drift_contrasts",
    "paired_power": "power",
    "paired_t": "paired",
    "panel_dependence": "panel_dependence",
    "panel_scores": "panel_scores",
    "panel_weights": "panel_scores",
    "pearson": "correlation",
    "percent_agreement": "percent_agreement",
    "permutation_test": "paired",
    "position_bias": "position_bias",
    "prediction_powered_mean": "prediction_powered",
    "rank_biserial": "effect_size",
    "rating_matrix": "rating_matrix",
    "reliability_band": "bands",
    "retest_reliability": "retest_reliability",
    "risk_difference": "paired",
    "rogan_gladen": "rogan_gladen",
    "roll_up": "rollup",
    "samples_needed": "power",
    "score_compression": "score_compression",
    "score_difference": "score_difference",
    "self_preference": "self_preference",
    "shard_votes": "dawid_skene_steps",
    "share_difference": "clustered_share",
    "slice_metrics": "drift",
    "slope_within": "clustered_difference",
    "spearman": "correlation",
    "t_interval": "intervals",
    "wilcoxon_signed_rank": "paired",
    "wilson_interval": "intervals",
    "wins_from_scores": "win_matrix",
    "worst_slices": "drift",
    "z_score": "z_scores",
    "z_scores": "z_scores",
}

__all__ = [
    "AgreementMatrix",
    "Estimate",
    "PrimarySet",
    "RatingMatrix",
    "RatingsTable",
    "agreement_matrix",
    "alpha_sums",
    "attribute_change",
    "attribute_changes",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_mean",
    "bradley_terry",
    "class_probabilities",
    "cliffs",
    "clustered_mean",
    "clustered_share",
    "cohen_d_z",
    "cohen_kappa",
    "combine",
    "compare_by_scores",
    "compare_judge_versions",
    "confusion_by_slice",
    "confusion_matrix",
    "correlation_band",
    "count_wins",
    "dawid_skene",
    "design_effect",
    "difference_of_means",
    "effective_panel_size",
    "elo",
    "errors_against_reference",
    "expected_counts",
    "expected_score",
    "fit_in_steps",
    "fleiss_kappa",
    "from_long",
    "grade",
    "group_bias",
    "gwet_ac",
    "halo",
    "hedges_g",
    "holm",
    "icc",
    "inverse_variance_weights",
    "judge_competence",
    "kendall",
    "krippendorff_alpha",
    "leave_one_judge_out",
    "length_bias",
    "leniency",
    "mace",
    "many_facet",
    "masking_flips",
    "mcnemar_exact",
    "mean_sums",
    "minimum_detectable_effect",
    "normal_interval",
    "normalise",
    "one_coin",
    "paired_contrasts",
    "paired_power",
    "paired_t",
    "panel_dependence",
    "panel_scores",
    "panel_weights",
    "pearson",
    "percent_agreement",
    "permutation_test",
    "position_bias",
    "prediction_powered_mean",
    "rank_biserial",
    "rating_matrix",
    "reliability_band",
    "retest_reliability",
    "risk_difference",
    "rogan_gladen",
    "roll_up",
    "samples_needed",
    "score_compression",
    "score_difference",
    "self_preference",
    "shard_votes",
    "share_difference",
    "slice_metrics",
    "slope_within",
    "spearman",
    "t_interval",
    "wilcoxon_signed_rank",
    "wilson_interval",
    "wins_from_scores",
    "worst_slices",
    "z_score",
    "z_scores",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'venire.stats' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"venire.stats.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__


class _Face(types.ModuleType):
    """The package as its users see it: a function that is called like its module stays the function.

    Importing a module sets it as an attribute of its package, which would hide `krippendorff_alpha`, the function,
    behind `krippendorff_alpha`, the module, depending on who imported what before.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
