"""Agreement between any number of raters beyond chance, with gaps, and its standard error.

The coefficients share one form, (pa − pe) / (1 − pe), and differ in the chance agreement pe. The standard error is
Gwet's linearised one for a sample of units and fixed raters (Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed.,
§5.3; Gwet 2008, Computing inter-rater reliability and its variance in the presence of high agreement). The interval
comes from leaving out units, or clusters of them, in turn, as it then keeps its level for few.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from venire.stats.agreement.disagreement import NO_PAIR
from venire.stats.agreement.weights import WeightKind, agreement_weights, needed_metric, weights_name
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.ratings.patterns import collapse
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import effective_share_interval
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import JackknifeGroups, cluster_codes_of, jackknife_groups, with_jackknife
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from venire.stats.ratings.patterns import RatingPatterns
    from venire.stats.ratings.source import Array

ROUGH_BELOW = 20
"""Below so many units or clusters an interval was seen to cover less than 93 of 100 in simulation."""

MANY_CATEGORIES = 5000
"""The most categories; more are scores rather than categories, and a table of their pairs would not fit."""


def chance_corrected(
    ratings: object,
    chance: Callable[[Array, Array], Array] | None,
    *,
    method: str,
    weights: object,
    categories: Sequence[object] | None,
    clusters: ArrayLike | None,
    level: float,
) -> Estimate:
    """Return agreement beyond chance with a jackknife interval over units, or over whole `clusters` of them.

    `chance` maps shares of the categories (one row or several) and the weights to the chance agreement of a rating of
    each category; None leaves agreement uncorrected. Units without a rating are left out; units with one tell about
    chance only.
    """
    require_level(level)
    matrix = rating_matrix(ratings, categories=categories)
    matrix.require(needed_metric(weights))
    codes = cluster_codes_of(clusters, matrix.unit_count)
    patterns = matrix.patterns if codes is None else collapse(matrix, units=True)
    rated = np.flatnonzero(patterns.ratings > 0)
    times, sizes = patterns.multiplicity[rated].astype(np.float64), patterns.ratings[rated].astype(np.float64)
    paired = sizes >= 2
    n = {
        "units": int(times.sum()),
        "units with two ratings": int(times[paired].sum()),
        "raters": matrix.rater_count,
        "ratings": int(times @ sizes),
        "categories": len(patterns.categories),
    }
    if n["units with two ratings"] == 0:
        return Estimate.unknown(method, NO_PAIR, n=n)
    if not patterns.dense or len(patterns.categories) > MANY_CATEGORIES:
        return Estimate.unknown(method, say("reason.many_categories", found=len(patterns.categories)), n=n)
    credit = agreement_weights(patterns.categories, weights)
    counts = patterns.counts[rated].astype(np.float64)
    agreeing = (counts * (counts @ credit.T - 1)).sum(axis=1)
    rows = _PatternRows(
        np.where(paired, agreeing / np.where(paired, sizes * (sizes - 1), 1), 0.0),
        paired.astype(np.float64), counts / sizes[:, None], credit, chance,
    )  # fmt: skip
    value = float(rows.coefficient(times[None, :])[0])
    if math.isnan(value):
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    blank = Estimate(value=value, method=method, n=n)
    groups, weights_left = _leave_out(patterns, rated, codes)
    if groups.size < 2:
        return replace(blank, reason=say(f"reason.no_interval.two_{groups.drawn}s"))
    left = rows.coefficient(weights_left)
    if chance is None:
        return _share_within_range(blank, left, groups, level)
    return with_jackknife(
        blank, left, groups, level=level, rough_below=ROUGH_BELOW, standard_error=rows.linearised_error(times, value)
    )


class _PatternRows(NamedTuple):
    """What patterns of ratings add to the coefficient."""

    agreement: Array
    paired: Array
    shares: Array
    credit: Array
    chance: Callable[[Array, Array], Array] | None

    def coefficient(self, times: Array) -> Array:
        """Return the coefficient for each row of multiplicities; NaN where chance alone would give full agreement."""
        pairs = times @ self.paired
        found = np.full(len(times), np.nan)
        observed = np.full(len(times), np.nan)
        np.divide(times @ self.agreement, pairs, out=observed, where=pairs > 0)
        if self.chance is None:
            return observed
        shares = times @ self.shares / np.maximum(times.sum(axis=1, keepdims=True), 1.0)
        expected = (shares * np.array([self.chance(row, self.credit) for row in shares])).sum(axis=1)
        np.divide(observed - expected, 1 - expected, out=found, where=1 - expected > 1e-12)
        return found

    def linearised_error(self, times: Array, value: float) -> float:
        """Return Gwet's standard error for units that stand for themselves; 0 for one of them."""
        units, pairs = float(times.sum()), float(times @ self.paired)
        if self.chance is None or units < 2:
            return 0.0
        of_row = self.shares @ self.chance(times @ self.shares / units, self.credit)
        expected = float(times @ of_row) / units
        of_unit = units / pairs * (self.agreement - expected * self.paired) / (1 - expected)
        of_unit -= 2 * (1 - value) * (of_row - expected) / (1 - expected)
        return math.sqrt(float(times @ (of_unit - value) ** 2) / (units * (units - 1)))


def _leave_out(patterns: RatingPatterns, rated: Array, codes: Array | None) -> tuple[JackknifeGroups, Array]:
    """Return the groups that are left out in turn, and the multiplicities of patterns (columns) without each (rows)."""
    times = patterns.multiplicity[rated].astype(np.float64)
    if codes is None:
        # Units of one pattern are alike, so that it does not matter which of them is dealt into which group.
        pattern = np.repeat(np.arange(len(rated)), patterns.multiplicity[rated])
        groups = jackknife_groups(len(pattern), None)
    else:
        place = np.full(len(patterns.multiplicity), -1)
        place[rated] = np.arange(len(rated))
        of_unit = place[patterns.pattern_of_unit]
        pattern = of_unit[of_unit >= 0]
        groups = jackknife_groups(len(pattern), codes[of_unit >= 0])
    inside = np.bincount(groups.group * len(rated) + pattern, minlength=groups.size * len(rated))
    return groups, times - inside.reshape(groups.size, len(rated))


def _share_within_range(blank: Estimate, left: Array, groups: JackknifeGroups, level: float) -> Estimate:
    """Give a share the interval of as many trials as its error stands for, which stays within 0 and 1."""
    if np.isnan(left).any():
        return replace(blank, reason=say(f"reason.no_interval.left_out_{groups.drawn}"))
    value, count = min(max(blank.value or 0.0, 0.0), 1.0), groups.size
    error = math.sqrt((count - 1) / count * float(((left - left.mean()) ** 2).sum()))
    drawn = groups.clusters if groups.clusters is not None else blank.n["units with two ratings"]
    low, high = effective_share_interval(value, error, drawn, count - 1, level)
    n = blank.n if groups.clusters is None else {**blank.n, "clusters": groups.clusters}
    method = say(f"method.with_effective_trials_by_{groups.drawn}", method=blank.method)
    return replace(
        blank, value=value, low=low, high=high, level=level, standard_error=error or None, method=method, n=n
    )


def percent_agreement(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return the share of agreeing pairs of raters, from 0 to 1, with an interval that stays there.

    A unit counts once however many raters it has; units with fewer than two ratings are left out. `clusters` names the
    cluster of each unit, such as its question. It is not corrected for chance.

    >>> percent_agreement([["a", "a"], ["a", "b"]]).value
    0.5
    """
    return chance_corrected(
        ratings,
        None,
        method=say("method.percent_agreement", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        clusters=clusters,
        level=level,
    )
