"""Test–retest: how well a judge repeats itself when asked the same thing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.agreement.correlation import pearson
from venire.stats.agreement.icc import icc
from venire.stats.observations import as_floats, observed_pairs, paired_differences
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import cluster_codes_of
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RELIABLE = 0.8
"""The correlation or ICC below which a warning is given."""


class RetestReliability(msgspec.Struct, frozen=True, kw_only=True):
    """How well second answers repeat the first."""

    exact_match: Estimate
    """The share of pairs with equal scores."""
    mean_absolute_difference: Estimate
    """The mean distance between first and second score."""
    correlation: Estimate
    """Pearson's correlation of first and second scores."""
    icc: Estimate
    """The intraclass correlation of single scores, one-way: ICC(1,1) of Shrout & Fleiss 1979."""
    warnings: tuple[str, ...]
    """What is below 0.8, in words; empty if nothing is or nothing is known."""


def retest_reliability(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> RetestReliability:
    """Compare first and second answers of a judge; pairs of which one is missing are left out.

    The two answers are exchangeable repeats, so the ICC is the one-way form. `clusters` names each pair's question.
    """
    require_level(level)
    given = as_floats(first).ravel(), as_floats(second).ravel()
    one, two = observed_pairs(*given)
    codes = cluster_codes_of(clusters, len(given[0]))
    codes = None if codes is None else codes[~(np.isnan(given[0]) | np.isnan(given[1]))]
    questions = np.arange(len(one)) if codes is None else codes
    differences = paired_differences(one, two)
    repeats = np.column_stack([one, two])
    known = len(one) > 1
    correlation = (
        pearson(repeats, clusters=codes, level=level) if known else _too_few(say("method.pearson_r"), len(one))
    )
    repeated = (
        icc(repeats, "1,1", clusters=codes, level=level) if known else _too_few(say("method.icc", form="1,1"), len(one))
    )
    warnings = tuple(
        say("warning.retest_below", name=name, value=f"{estimate.value:.2f}", least=RELIABLE)
        for name, estimate in ((say("column.retest_correlation"), correlation), ("ICC", repeated))
        if estimate.value is not None and estimate.value < RELIABLE
    )
    return RetestReliability(
        exact_match=clustered_share(differences == 0, questions, level=level),
        mean_absolute_difference=clustered_mean(np.abs(differences), questions, level=level),
        correlation=correlation,
        icc=repeated,
        warnings=warnings,
    )


def _too_few(method: str, pairs: int) -> Estimate:
    return Estimate.unknown(method, say("reason.two_pairs"), n={"pairs": pairs})
