"""How strengths changed between two sets of comparisons, such as two runs, with errors that allow for shared questions.

Each set has its own Bradley–Terry fit. A question that both hold moves both fits, so that the error of a change is not
that of two independent ones: it is Σ_g d_g d_gᵀ · G/(G−1) with d_g = A₂⁻¹s₂ − A₁⁻¹s₁, the difference of what question
g pulls in either fit (as in `sandwich`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.cluster_sums import ClusterSums, cluster_squares
from venire.stats.comparison.sandwich import bread, clustered_interval, interval, with_clusters
from venire.stats.comparison.win_matrix import count_wins, require_weights
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.multiplicity import holm
from venire.stats.uncertainty.quantile import normal_quantile, normal_two_sided, t_two_sided
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray


class Comparisons(NamedTuple):
    """One set of comparisons, as equally long lists."""

    first: ArrayLike
    """The model that was shown first."""
    second: ArrayLike
    """The model that was shown second."""
    outcome: ArrayLike
    """1 if the first won, 0 if the second did, 0.5 for a tie."""
    clusters: ArrayLike | None = None
    """The question of each comparison; None if each stands for itself."""
    weights: ArrayLike | None = None
    """How much each counts for; None if for one."""


class StrengthChange(msgspec.Struct, frozen=True, kw_only=True):
    """The strength of one model before and after, relative to the mean of all models that both sets hold."""

    model: Any
    """The model."""
    before: Estimate
    """Its strength in the first set."""
    after: Estimate
    """Its strength in the second set."""
    change: Estimate
    """After minus before."""
    p_value: float | None
    """The p value of no change; None if it is not known."""
    adjusted_p: float | None = None
    """The same after Holm's adjustment for all models."""


class _Coded(NamedTuple):
    """Comparisons with numbers in place of names; none is missing."""

    one: IntArray
    two: IntArray
    outcome: FloatArray
    clusters: IntArray | None
    weights: FloatArray | None


def strength_changes(before: Comparisons, after: Comparisons, *, level: float = 0.95) -> tuple[StrengthChange, ...]:
    """Return the change of each model that both sets hold, the strongest of the second set first.

    Comparisons with models that only one set holds are left out. Without two common models the result is empty.
    """
    require_level(level)
    for side in (before, after):
        _require_alike(side)
    models = _common(before, after)
    if len(models) < 2:
        return ()
    sides = _coded(before, after, models)
    fits = [_fitted(side, models, level) for side in sides]
    covariance, groups = _covariance(sides, fits)
    changes = []
    for place, model in enumerate(models):
        old, new = (fit.strengths[place] for fit in fits)
        change, p_value = _change(old, new, float(covariance[place, place]), groups, level)
        changes.append(StrengthChange(model=model, before=old, after=new, change=change, p_value=p_value))
    adjusted = holm([np.nan if each.p_value is None else each.p_value for each in changes]).adjusted
    found = [msgspec.structs.replace(each, adjusted_p=p) for each, p in zip(changes, adjusted, strict=True)]
    return tuple(sorted(found, key=lambda each: (-(each.after.value or 0.0), str(each.model))))


def _require_alike(side: Comparisons) -> None:
    """Raise `UsageError` for lists that differ in length, or weights of 0."""
    outcome = as_floats(side.outcome).ravel()
    require_same_length("outcomes", outcome, "first_models", np.asarray(side.first).ravel())
    require_same_length("outcomes", outcome, "second_models", np.asarray(side.second).ravel())
    if side.clusters is not None:
        require_same_length("outcomes", outcome, "clusters", np.asarray(side.clusters).ravel())
    require_weights(side.weights, outcome)


def _common(before: Comparisons, after: Comparisons) -> list[Any]:
    """Return the models that met one another in both sets; those that met only others fall out in turn."""
    columns = [[np.asarray(side).ravel() for side in each[:2]] for each in (before, after)]
    models = {*columns[0][0].tolist(), *columns[0][1].tolist()} & {*columns[1][0].tolist(), *columns[1][1].tolist()}
    while True:
        met = [
            {
                model
                for pair in zip(one.tolist(), two.tolist(), strict=True)
                if models.issuperset(pair)
                for model in pair
            }
            for one, two in columns
        ]
        kept = models & met[0] & met[1]
        if kept == models:
            return sorted(models, key=str)
        models = kept


def _coded(before: Comparisons, after: Comparisons, models: list[Any]) -> list[_Coded]:
    numbers = {model: place for place, model in enumerate(models)}
    clusters = None
    if before.clusters is not None and after.clusters is not None:
        clusters = encode([*np.asarray(before.clusters).tolist(), *np.asarray(after.clusters).tolist()])[1]
    sides, start = [], 0
    for each in (before, after):
        outcome = as_floats(each.outcome).ravel()
        places = [
            np.array([numbers.get(model, -1) for model in np.asarray(side).ravel().tolist()], dtype=np.intp)
            for side in each[:2]
        ]
        used = (places[0] >= 0) & (places[1] >= 0) & (places[0] != places[1]) & ~np.isnan(outcome)
        mine = None
        if clusters is not None:
            mine = clusters[start : start + len(outcome)]
            used &= mine >= 0
        start += len(outcome)
        worth = None if each.weights is None else as_floats(each.weights).ravel()[used]
        named = None if mine is None else mine[used]
        sides.append(_Coded(places[0][used], places[1][used], outcome[used], named, worth))
    return sides


def _fitted(side: _Coded, models: list[Any], level: float) -> BradleyTerryFit:
    wins = count_wins(side.one, side.two, side.outcome, weights=side.weights)
    fit = bradley_terry(msgspec.structs.replace(wins, models=tuple(models)), level=level)
    if fit.reason or side.clusters is None:
        return fit
    distinct, codes = encode(side.clusters)
    squares, _ = cluster_squares(fit, side.one, side.two, side.outcome, codes, side.weights)
    return with_clusters(fit, squares, len(distinct), say("method.bradley_terry_clustered"), level=level)


def _covariance(sides: list[_Coded], fits: list[BradleyTerryFit]) -> tuple[FloatArray, int | None]:
    """Return the covariance of the changes, and on how many clusters it rests; None if comparisons are independent."""
    k = len(fits[0].models)
    if any(fit.reason for fit in fits):
        return np.full((k, k), np.nan), None
    old, new = (side.clusters for side in sides)
    if old is None or new is None:
        return fits[0].covariance + fits[1].covariance, None
    distinct, codes = encode(np.concatenate([old, new]))
    groups = len(distinct)
    if groups < 2:
        return np.full((k, k), np.nan), groups
    apart: FloatArray = np.zeros((groups, k))
    for side, fit, mine, sign in zip(sides, fits, (codes[: len(old)], codes[len(old) :]), (-1, 1), strict=True):
        sums = ClusterSums(fit, groups)
        sums.add(side.one, side.two, side.outcome, mine, side.weights)
        apart += sign * (sums.table() @ bread(fit.information, k))[:, :k]
    return apart.T @ apart * (groups / (groups - 1)), groups


def _change(
    old: Estimate, new: Estimate, variance: float, groups: int | None, level: float
) -> tuple[Estimate, float | None]:
    method, n = say("method.strength_change"), {"before": old.n["comparisons"], "after": new.n["comparisons"]}
    reason = old.reason or new.reason
    if old.value is None or new.value is None:
        return Estimate.unknown(method, reason, n=n), None
    change = new.value - old.value
    if reason:
        return Estimate(value=change, method=method, n=n, reason=reason), None
    if groups is None:
        found = interval(change, variance, normal_quantile(level), level, method, n)
    else:
        found = clustered_interval(change, variance, groups, level, method, n | {"clusters": groups})
    if not (error := found.standard_error):
        return found, None
    z = change / error
    return found, normal_two_sided(z) if groups is None else t_two_sided(z, groups - 1)
