"""Makes the page on statistics from the docstrings of the functions."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from field_sentences import NOTICE, table_cell

import venire.stats

SECTIONS = {
    "Reading": ("ratings.matrix",),
    "Agreement": (
        "chance_corrected", "cohen_kappa", "conger_kappa", "fleiss_kappa", "brennan_prediger",
        "gwet_ac", "krippendorff_alpha", "icc", "correlation",
        "agreement.matrix", "bands",
    ),
    "Uncertainty": ("intervals", "clustered", "clustered_share", "bootstrap", "bayesian_mean"),
    "Comparison": (
        "paired", "comparison.sequential", "effect_size", "multiplicity", "power", "clustered_difference",
        "score_difference", "rank_ranges",
    ),
    "Panel scores": ("panel_scores", "rollup", "grades", "z_scores"),
    "Who is reliable": (
        "dawid_skene", "mace", "one_coin", "glad", "item_response", "judge_competence", "many_facet", "leniency",
        "retest_reliability",
        "leave_one_out", "panel_dependence", "learnt_weights",
    ),
    "Pairwise": (
        "bradley_terry", "sandwich", "ranking", "head_to_head", "strength_change", "deciding", "length_control",
        "elo", "win_matrix", "score_comparisons",
    ),
    "Against people": (
        "confusion_matrix", "prediction_powered", "corrected_difference", "stratified_correction", "rogan_gladen",
        "recalibration",
    ),
    "Bias": (
        "self_preference", "length_bias", "group_bias", "position_bias", "score_compression", "halo", "masking_flips",
    ),
    "Over shards": ("mean_sums", "alpha_sums", "dawid_skene_steps"),
    "Prompt drift": ("slices", "contrasts", "judges.versions", "change_attribution"),
}  # fmt: skip
"""Which modules are shown, by what they are for; the others serve these."""


def statistics_page() -> str:
    """Return the functions of `venire.stats`, by what they are for."""
    lines = [
        "# Statistics",
        NOTICE,
        "",
        "Pure functions that take arrays, lists or data frames of any make, and are useful without the rest of Venire.",
        "Results are frozen records that say method, what they rest on, interval and seed. What cannot be known is",
        "`None` with the reason, never 0 or NaN. All are names of `venire.stats`, imported when first used:",
        "`venire.stats.krippendorff_alpha(ratings)`. Formulas carry their source in the module of the row. Examples:",
        "[use the statistics](../how-to/use-the-statistics.md).",
    ]
    for title, modules in SECTIONS.items():
        lines += ["", f"## {title}", "", "| module | function | |", "|---|---|---|"]
        for name in modules:
            lines += _rows(name)
    return "\n".join(lines) + "\n"


def _rows(name: str) -> list[str]:
    modules = pkgutil.walk_packages(venire.stats.__path__, "venire.stats.")
    (home,) = (each.name for each in modules if each.name.endswith(f".{name}") and not each.ispkg)
    module = importlib.import_module(home)
    found = [
        function
        for key, function in vars(module).items()
        if key in venire.stats.__all__ and inspect.isfunction(function) and function.__module__ == home
    ]
    shown = home.removeprefix("venire.stats.")
    return [f"| `{shown}` | `{function.__name__}` | {_first_sentence(function)} |" for function in found]


def _first_sentence(function: object) -> str:
    paragraph = (inspect.getdoc(function) or "").split("\n\n")[0]
    return table_cell(" ".join(paragraph.split()))
