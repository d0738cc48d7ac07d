from .agreement.alpha_sums import alpha_sums as alpha_sums
from .agreement.bands import correlation_band as correlation_band
from .agreement.bands import reliability_band as reliability_band
from .agreement.brennan_prediger import brennan_prediger as brennan_prediger
from .agreement.chance_corrected import percent_agreement as percent_agreement
from .agreement.cohen_kappa import cohen_kappa as cohen_kappa
from .agreement.confusion_matrix import confusion_by_slice as confusion_by_slice
from .agreement.confusion_matrix import confusion_matrix as confusion_matrix
from .agreement.conger_kappa import conger_kappa as conger_kappa
from .agreement.correlation import kendall as kendall
from .agreement.correlation import pearson as pearson
from .agreement.correlation import spearman as spearman
from .agreement.fleiss_kappa import fleiss_kappa as fleiss_kappa
from .agreement.gwet_ac import gwet_ac as gwet_ac
from .agreement.icc import icc as icc
from .agreement.krippendorff_alpha import krippendorff_alpha as krippendorff_alpha
from .agreement.matrix import AgreementMatrix as AgreementMatrix
from .agreement.matrix import agreement_matrix as agreement_matrix
from .comparison.bradley_terry import bradley_terry as bradley_terry
from .comparison.change_attribution import (
    attribute_change as attribute_change,
)
from .comparison.change_attribution import (
    attribute_changes as attribute_changes,
)
from .comparison.deciding import deciding_comparisons as deciding_comparisons
from .comparison.effect_size import cohen_d_z as cohen_d_z
from .comparison.effect_size import hedges_g as hedges_g
from .comparison.effect_size import rank_biserial as rank_biserial
from .comparison.elo import elo as elo
from .comparison.elo import expected_score as expected_score
from .comparison.length_control import length_controlled as length_controlled
from .comparison.paired import (
    mcnemar_exact as mcnemar_exact,
)
from .comparison.paired import (
    paired_t as paired_t,
)
from .comparison.paired import (
    permutation_test as permutation_test,
)
from .comparison.paired import (
    risk_difference as risk_difference,
)
from .comparison.paired import (
    wilcoxon_signed_rank as wilcoxon_signed_rank,
)
from .comparison.rank_ranges import rank_scores as rank_scores
from .comparison.ranking import rank_models as rank_models
from .comparison.sandwich import bradley_terry_clustered as bradley_terry_clustered
from .comparison.score_comparisons import compare_by_scores as compare_by_scores
from .comparison.score_difference import score_difference as score_difference
from .comparison.sequential import sequential_difference as sequential_difference
from .comparison.win_matrix import count_wins as count_wins
from .comparison.win_matrix import wins_from_scores as wins_from_scores
from .drift.contrasts import cliffs as cliffs
from .drift.contrasts import paired_contrasts as paired_contrasts
from .drift.slices import slice_metrics as slice_metrics
from .drift.slices import worst_slices as worst_slices
from .judges.group_bias import group_bias as group_bias
from .judges.halo import halo as halo
from .judges.learnt_weights import (
    errors_against_reference as errors_against_reference,
)
from .judges.learnt_weights import (
    inverse_variance_weights as inverse_variance_weights,
)
from .judges.leave_one_out import leave_one_judge_out as leave_one_judge_out
from .judges.length_bias import length_bias as length_bias
from .judges.leniency import leniency as leniency
from .judges.many_facet import many_facet as many_facet
from .judges.masking_flips import masking_flips as masking_flips
from .judges.panel_dependence import (
    effective_panel_size as effective_panel_size,
)
from .judges.panel_dependence import (
    panel_dependence as panel_dependence,
)
from .judges.position_bias import position_bias as position_bias
from .judges.recalibration import isotonic_regression as isotonic_regression
from .judges.recalibration import recalibrate as recalibrate
from .judges.retest_reliability import retest_reliability as retest_reliability
from .judges.score_compression import score_compression as score_compression
from .judges.self_preference import self_preference as self_preference
from .judges.versions import compare_judge_versions as compare_judge_versions
from .judges.z_scores import z_score as z_score
from .judges.z_scores import z_scores as z_scores
from .latent.dawid_skene import dawid_skene as dawid_skene
from .latent.dawid_skene_steps import (
    class_probabilities as class_probabilities,
)
from .latent.dawid_skene_steps import (
    expected_counts as expected_counts,
)
from .latent.dawid_skene_steps import (
    fit_in_steps as fit_in_steps,
)
from .latent.dawid_skene_steps import (
    shard_votes as shard_votes,
)
from .latent.glad import glad as glad
from .latent.item_response import item_response as item_response
from .latent.judge_competence import judge_competence as judge_competence
from .latent.mace import mace as mace
from .latent.one_coin import one_coin as one_coin
from .pairwise.head_to_head import head_to_head as head_to_head
from .pairwise.strength_change import strength_changes as strength_changes
from .ratings.grades import grade as grade
from .ratings.matrix import (
    RatingMatrix as RatingMatrix,
)
from .ratings.matrix import (
    from_long as from_long,
)
from .ratings.matrix import (
    rating_matrix as rating_matrix,
)
from .ratings.panel_scores import (
    combine as combine,
)
from .ratings.panel_scores import (
    normalise as normalise,
)
from .ratings.panel_scores import (
    panel_scores as panel_scores,
)
from .ratings.panel_scores import (
    panel_weights as panel_weights,
)
from .ratings.rollup import roll_up as roll_up
from .ratings.table import PrimarySet as PrimarySet
from .ratings.table import RatingsTable as RatingsTable
from .result import Estimate as Estimate
from .uncertainty.bayesian_mean import bayesian_mean as bayesian_mean
from .uncertainty.bootstrap import bootstrap as bootstrap
from .uncertainty.bootstrap import bootstrap_mean as bootstrap_mean
from .uncertainty.clustered import clustered_mean as clustered_mean
from .uncertainty.clustered_difference import difference_of_means as difference_of_means
from .uncertainty.clustered_difference import slope_within as slope_within
from .uncertainty.clustered_share import clustered_share as clustered_share
from .uncertainty.clustered_share import share_difference as share_difference
from .uncertainty.corrected_difference import corrected_difference as corrected_difference
from .uncertainty.intervals import (
    normal_interval as normal_interval,
)
from .uncertainty.intervals import (
    t_interval as t_interval,
)
from .uncertainty.intervals import (
    wilson_interval as wilson_interval,
)
from .uncertainty.mean_sums import mean_sums as mean_sums
from .uncertainty.multiplicity import benjamini_hochberg as benjamini_hochberg
from .uncertainty.multiplicity import holm as holm
from .uncertainty.power import (
    design_effect as design_effect,
)
from .uncertainty.power import (
    minimum_detectable_effect as minimum_detectable_effect,
)
from .uncertainty.power import (
    paired_power as paired_power,
)
from .uncertainty.power import (
    samples_needed as samples_needed,
)
from .uncertainty.prediction_powered import prediction_powered_mean as prediction_powered_mean
from .uncertainty.rogan_gladen import corrected_share as corrected_share
from .uncertainty.rogan_gladen import rogan_gladen as rogan_gladen
from .uncertainty.stratified_correction import stratified_mean as stratified_mean
