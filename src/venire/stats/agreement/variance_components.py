"""Variance components of units and raters by restricted maximum likelihood, from ratings with gaps.

The model is score = mean + unit + rater + residual with random units, and raters that are random, fixed or left out
(Patterson & Thompson 1971, Recovery of inter-block information when block sizes are unequal). Units are eliminated
first: what remains is as small as the number of raters, and needs the data only as sums over units with the same gaps.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.ratings.source import Array

RaterEffect = Literal["none", "random", "fixed"]
"""Whether raters differ not at all, as a random sample, or each by a number of its own."""

_LEAST_LOG_RATIO, _LARGEST_LOG_RATIO = -18.0, 18.0


class VarianceComponents(msgspec.Struct, frozen=True):
    """How much units, raters and the rest vary. On the scale of the scores divided by half their range."""

    unit: float
    """The variance between units."""
    rater: float
    """The variance between raters; 0 if raters are fixed or left out."""
    residual: float
    """The variance that neither explains."""


class _Sums(msgspec.Struct, frozen=True, eq=False):
    """What the likelihood needs to know of the data, by pattern of gaps."""

    seen: Array
    """Patterns × raters: 1 where units of the pattern have a rating."""
    units: Array
    """How many units have the pattern."""
    unit_sums: Array
    """The sum of all scores of the units with the pattern."""
    unit_squares: Array
    """The sum over units of their squared sums."""
    rater_sums: Array
    """The sum of each rater's scores."""
    squares: float
    """The sum of all squared scores."""


def variance_components(scores: Array, *, raters: RaterEffect) -> VarianceComponents | str:
    """Estimate the components from units × raters with NaN for gaps, or say why they are not known."""
    sums = _sums(scores)
    if sums is None:
        return say("reason.no_variation")
    sizes = sums.seen.sum(axis=1)
    if not (sizes >= 2).any():
        return say("reason.no_pair")
    fixed = scores.shape[1] if raters == "fixed" else 1
    if float(sums.units @ sizes) - fixed - float(sums.units.sum()) + 1 <= 0:
        return say("reason.few_ratings")
    ratios = _best_ratios(sums, raters)
    _, residual = _criterion(sums, ratios[0], ratios[1], raters)
    return VarianceComponents(unit=ratios[0] * residual, rater=ratios[1] * residual, residual=residual)


def _sums(scores: Array) -> _Sums | None:
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    half = high / 2 - low / 2
    if half == 0:
        return None
    centred = (scores - (high / 2 + low / 2)) / half
    rated = ~np.isnan(centred)
    centred = np.where(rated, centred - np.nanmean(centred), 0.0)
    kept = rated.any(axis=1)
    centred, rated = centred[kept], rated[kept]
    seen, pattern = _gap_patterns(rated)
    of_unit = centred.sum(axis=1)
    return _Sums(
        seen=seen.astype(np.float64),
        units=np.bincount(pattern).astype(np.float64),
        unit_sums=np.bincount(pattern, weights=of_unit),
        unit_squares=np.bincount(pattern, weights=of_unit**2),
        rater_sums=centred.sum(axis=0),
        squares=float((centred**2).sum()),
    )


def _gap_patterns(rated: Array) -> tuple[Array, Array]:
    """Return the different rows of a table of truth values, and which of them each row is."""
    if rated.shape[1] > 62:
        seen, pattern = np.unique(rated, axis=0, return_inverse=True)
        return seen, pattern.reshape(-1)
    keys = rated @ (1 << np.arange(rated.shape[1]))
    _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
    return rated[first], pattern


def _best_ratios(sums: _Sums, raters: RaterEffect) -> tuple[float, float]:
    """Find the ratios of unit and rater variance to the residual one that make the data likeliest."""
    from scipy.optimize import minimize  # Start-up stays quick.

    count = 2 if raters == "random" else 1

    def ratios(logs: Array) -> tuple[float, float]:
        # The end of the range stands for no variance at all; the likelihood is flat there.
        found = [0.0 if log < _LEAST_LOG_RATIO + 1 else math.exp(min(log, _LARGEST_LOG_RATIO)) for log in logs]
        return found[0], found[1] if count == 2 else 0.0

    def loss(logs: NDArray[np.float64]) -> float:
        return _criterion(sums, *ratios(logs), raters)[0]

    # Towards the ends the likelihood is flat, where a search by slopes stops: look around first, then close in.
    grid = itertools.product(np.linspace(_LEAST_LOG_RATIO, _LARGEST_LOG_RATIO, 25), repeat=count)
    start = min((np.array(point) for point in grid), key=loss)
    corners = np.vstack([start, start + np.eye(count)])
    found = minimize(
        loss,
        start,
        method="Nelder-Mead",
        options={"initial_simplex": corners, "xatol": 1e-9, "fatol": 1e-11, "maxiter": 2000},
    )
    return ratios(found.x)


def _criterion(sums: _Sums, unit: float, rater: float, raters: RaterEffect) -> tuple[float, float]:
    """Return minus twice the restricted log-likelihood up to a constant, and the residual variance."""
    sizes = sums.seen.sum(axis=1)
    shrink = unit / (1 + unit * sizes)
    # Cross-products of raters and scores after units are eliminated.
    cross = np.diag(sums.units @ sums.seen) - sums.seen.T @ ((sums.units * shrink)[:, None] * sums.seen)
    of_rater = sums.rater_sums - sums.seen.T @ (shrink * sums.unit_sums)
    rest = sums.squares - float(shrink @ sums.unit_squares)
    log_size = float(sums.units @ np.log1p(unit * sizes))
    if raters == "fixed":
        precision, projected = cross, of_rater
    else:
        ones = np.ones(len(cross))
        inner = np.eye(len(cross)) + rater * cross
        log_size += float(np.linalg.slogdet(inner)[1])
        rest -= rater * float(of_rater @ np.linalg.solve(inner, of_rater))
        precision = np.array([[ones @ np.linalg.solve(inner, cross @ ones)]])
        projected = np.array([ones @ np.linalg.solve(inner, of_rater)])
    # Raters that never met others leave a direction without information, which the pseudo-inverse leaves out.
    rest -= float(projected @ np.linalg.pinv(precision, hermitian=True) @ projected)
    degrees = float(sums.units @ sizes) - len(precision)
    eigenvalues = np.linalg.eigvalsh(precision)
    log_size += float(np.log(np.maximum(eigenvalues, 1e-300)).sum())
    residual = max(rest, 1e-30) / degrees
    return degrees * math.log(residual) + log_size, residual
