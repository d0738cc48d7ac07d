"""Agreement between any number of raters beyond chance, with gaps, and its standard error.

The coefficients share one form, (pa − pe) / (1 − pe), and differ in the chance agreement pe. The variance is Gwet's
linearised one for a sample of units and fixed raters (Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., §5.3;
Gwet 2008, Computing inter-rater reliability and its variance in the presence of high agreement). Where the chance
agreement is made of squared shares, a coefficient of few units is too low by a term of order 1/n; Tukey's jackknife
(Miller 1974, The jackknife – a review, Biometrika 61, 1–15) takes that off the middle of its interval.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from venire.stats.agreement.disagreement import NO_PAIR
from venire.stats.agreement.weights import WeightKind, agreement_weights, needed_metric, weights_name
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venire.stats.ratings.source import Array

MANY_CATEGORIES = 5000
"""The most categories; more are scores rather than categories, and a table of their pairs would not fit."""


def chance_corrected(
    ratings: object,
    chance: Callable[[Array, Array], Array] | None,
    *,
    method: str,
    weights: object,
    categories: Sequence[object] | None,
    level: float,
    jackknife: bool = False,
) -> Estimate:
    """Return agreement beyond chance with a t interval over units, cut off at ±1.

    `chance` maps shares of the categories (one row or several) and the weights to the chance agreement of a rating of
    each category; None leaves agreement uncorrected. Units without a rating are left out; units with one tell about
    chance only. With `jackknife` the interval comes from leaving out each unit in turn, if all that is left always has
    a value; the standard error stays the linearised one.
    """
    require_level(level)
    matrix = rating_matrix(ratings, categories=categories)
    matrix.require(needed_metric(weights))
    patterns = matrix.patterns
    sizes = patterns.ratings
    rated = np.flatnonzero(sizes > 0)
    times, sizes = patterns.multiplicity[rated].astype(np.float64), sizes[rated].astype(np.float64)
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
    agreement = np.where(paired, agreeing / np.where(paired, sizes * (sizes - 1), 1), 0.0)
    observed = float(times @ agreement) / n["units with two ratings"]
    if chance is None:
        deviations, times = agreement[paired] - observed, times[paired]
        return _estimate(observed, deviations, times, method=method, n=n, level=level)
    shares = counts / sizes[:, None]
    by_category = chance(times @ shares / n["units"], credit)
    expected_of = shares @ by_category
    expected = float(times @ expected_of) / n["units"]
    if not math.isfinite(expected) or 1 - expected < 1e-12:
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    value = (observed - expected) / (1 - expected)
    scale = n["units"] / n["units with two ratings"]
    of_unit = scale * (agreement - expected * paired) / (1 - expected)
    of_unit -= 2 * (1 - value) * (expected_of - expected) / (1 - expected)
    found = _estimate(value, of_unit - value, times, method=method, n=n, level=level)
    if not jackknife or found.low is None:
        return found
    pairs_left, shares_left = n["units with two ratings"] - paired, (times @ shares - shares) / (n["units"] - 1)
    expected_left = (shares_left * chance(shares_left, credit)).sum(axis=1)
    if pairs_left.min() < 1 or (1 - expected_left).min() < 1e-12:
        return found
    observed_left = (times @ agreement - agreement) / pairs_left
    left = (observed_left - expected_left) / (1 - expected_left)
    return _around_jackknife(found, value, left, times, method=method, level=level)


def _around_jackknife(
    found: Estimate, value: float, left: Array, times: Array, *, method: str, level: float
) -> Estimate:
    units = float(times.sum())
    mean = float(times @ left) / units
    centre = units * value - (units - 1) * mean
    error = math.sqrt((units - 1) / units * float(times @ (left - mean) ** 2))
    reach = t_quantile(level, units - 1) * error
    return replace(
        found,
        low=max(min(centre - reach, value), -1.0),
        high=min(max(centre + reach, value), 1.0),
        method=say("method.with_jackknife", method=method),
    )


def _estimate(
    value: float, deviations: Array, times: Array, *, method: str, n: dict[str, int], level: float
) -> Estimate:
    units = float(times.sum())
    if units < 2:
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_interval.two_units"))
    error = math.sqrt(float(times @ deviations**2) / (units * (units - 1)))
    if error < 1e-12:
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_interval.same_agreement"))
    reach = t_quantile(level, units - 1) * error
    return Estimate(
        value=value,
        low=max(value - reach, -1.0),
        high=min(value + reach, 1.0),
        level=level,
        standard_error=error,
        method=say("method.with_t_over_units", method=method),
        n=n,
    )


def percent_agreement(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return the share of agreeing pairs of raters, from 0 to 1, with a t interval over units.

    A unit counts once however many raters it has; units with fewer than two ratings are left out. It is not corrected
    for chance.

    >>> percent_agreement([["a", "a"], ["a", "b"]]).value
    0.5
    """
    return chance_corrected(
        ratings,
        None,
        method=say("method.percent_agreement", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        level=level,
    )
