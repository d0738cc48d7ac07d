"""Strengths at equal length: Bradley–Terry with the difference of lengths as a covariate.

The odds of a comparison are e to the power of βᵢ − βⱼ + γ·log₂(lengthᵢ/lengthⱼ), ties as in Davidson 1970. β is what is
left of a model's strength when both outputs are equally long (the idea of length-controlled win rates: Dubois,
Galambosi, Liang & Hashimoto 2024, Length-Controlled AlpacaEval).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.sandwich import bread, clustered_covariance, clustered_interval, interval
from venire.stats.comparison.win_matrix import count_wins
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_MOST_STEPS = 50


class LengthControl(msgspec.Struct, frozen=True, kw_only=True):
    """Strengths at equal length, and what length is worth to the judges."""

    strengths: dict[Any, Estimate]
    """The logarithm of each model's strength when both outputs are equally long; they sum to 0."""
    doubling: Estimate
    """How much twice the length adds to the logarithm of the odds to win."""


class _Rows(NamedTuple):
    one: IntArray
    two: IntArray
    results: FloatArray
    ratio: FloatArray
    clusters: IntArray


def length_controlled(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    first_lengths: ArrayLike,
    second_lengths: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> LengthControl:
    """Fit strengths with the logarithm of the ratio of lengths beside them; comparisons without lengths are left out.

    Raises `UsageError` for a length that is not above 0.
    """
    require_level(level)
    models, rows = _rows(first, second, outcome, (first_lengths, second_lengths), clusters)
    method = say("method.length_controlled")
    plain = bradley_terry(count_wins(rows.one, rows.two, rows.results)) if len(rows.one) else None
    reason = say("reason.no_comparisons") if plain is None else plain.reason
    if not reason and np.ptp(rows.ratio) == 0:
        reason = say("reason.equal_lengths")
    if plain is None or reason:
        nothing = Estimate.unknown(method, reason)
        return LengthControl(strengths=dict.fromkeys(models, nothing), doubling=nothing)
    k = len(models)
    parameters, information = _fit(rows, k, has_ties=bool((rows.results == 0.5).any()))
    found = _estimates(rows, parameters, information, k, level, method, grouped=clusters is not None)
    return LengthControl(strengths=dict(zip(models, found[:k], strict=True)), doubling=found[k])


def _rows(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, lengths: tuple[ArrayLike, ArrayLike], clusters: Any
) -> tuple[list[Any], _Rows]:
    left, right = np.asarray(first).ravel(), np.asarray(second).ravel()
    results, (long_one, long_two) = as_floats(outcome).ravel(), (as_floats(each).ravel() for each in lengths)
    for name, column in (("first_models", left), ("second_models", right), ("lengths", long_one)):
        require_same_length("outcomes", results, name, column)
    require_same_length("lengths", long_one, "lengths", long_two)
    if (long_one <= 0).any() or (long_two <= 0).any():
        raise UsageError("error.stats.length_not_positive")
    codes = encode(np.concatenate([left, right]))[1]
    one, two = codes[: len(left)], codes[len(left) :]
    groups = np.arange(len(results)) if clusters is None else encode(clusters)[1]
    require_same_length("outcomes", results, "clusters", groups)
    used = (one >= 0) & (two >= 0) & (one != two) & (groups >= 0)
    used &= ~(np.isnan(results) | np.isnan(long_one) | np.isnan(long_two))
    models, codes = encode(np.concatenate([left[used], right[used]]))
    count = int(used.sum())
    ratio = np.log2(long_one[used] / long_two[used])
    return models.tolist(), _Rows(codes[:count], codes[count:], results[used], ratio, encode(groups[used])[1])


def _fit(rows: _Rows, k: int, *, has_ties: bool) -> tuple[FloatArray, FloatArray]:
    """Return the parameters, strengths then γ then log ν, and the information at the maximum."""
    parameters = np.zeros(k + 1 + has_ties)
    value, gradient, information = _likelihood(parameters, rows, k)
    for _ in range(_MOST_STEPS):
        step = np.linalg.solve(_fixed(information, k), gradient)
        while True:  # The likelihood is concave: a step that overshoots is halved.
            reached = _likelihood(parameters + step, rows, k)
            if reached[0] >= value - 1e-10 * abs(value) or np.abs(step).max() < 1e-10:
                break
            step = step / 2
        parameters, (value, gradient, information) = parameters + step, reached
        if np.abs(step).max() < 1e-9:
            break
    parameters[:k] -= parameters[:k].mean()
    return parameters, information


def _fixed(information: FloatArray, k: int) -> FloatArray:
    fixed = information.copy()
    fixed[:k, :k] += 1.0 / k
    return fixed


def _shares(parameters: FloatArray, rows: _Rows, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(win) − P(loss), P(tie) and the logarithm of the scale of each comparison."""
    odds = parameters[rows.one] - parameters[rows.two] + parameters[k] * rows.ratio
    root = np.exp(np.clip(odds, -300, 300) / 2)
    nu = float(np.exp(np.clip(parameters[k + 1], -300, 300))) if len(parameters) > k + 1 else 0.0
    scale = root + 1 / root + nu
    return (root - 1 / root) / scale, nu / scale, np.log(scale)


def _likelihood(parameters: FloatArray, rows: _Rows, k: int) -> tuple[float, FloatArray, FloatArray]:
    lean, tie, scale = _shares(parameters, rows, k)
    tied = rows.results == 0.5
    signed = rows.results - 0.5
    odds = parameters[rows.one] - parameters[rows.two] + parameters[k] * rows.ratio
    value = float(signed @ odds - scale.sum())
    pull, weight = signed - lean / 2, (1 - tie - lean**2) / 4
    size = len(parameters)
    gradient, information = np.zeros(size), np.zeros((size, size))
    gradient[:k] = _difference(rows, pull, k)
    gradient[k] = float(pull @ rows.ratio)
    pairs = np.bincount(rows.one * k + rows.two, weights=weight, minlength=k * k).reshape(k, k)
    information[:k, :k] = np.diag(pairs.sum(axis=0) + pairs.sum(axis=1)) - pairs - pairs.T
    information[k, :k] = information[:k, k] = _difference(rows, weight * rows.ratio, k)
    information[k, k] = float(weight @ rows.ratio**2)
    if size > k + 1:
        value += float(tied.sum()) * float(parameters[k + 1])
        cross = -lean * tie / 2
        gradient[k + 1] = float(tied.sum() - tie.sum())
        information[k + 1, k + 1] = float((tie * (1 - tie)).sum())
        information[k + 1, :k] = information[:k, k + 1] = _difference(rows, cross, k)
        information[k + 1, k] = information[k, k + 1] = float(cross @ rows.ratio)
    return value, gradient, information


def _difference(rows: _Rows, weights: FloatArray, k: int) -> FloatArray:
    """Add each comparison's weight to its first model and take it from its second."""
    added = np.bincount(rows.one, weights=weights, minlength=k)
    taken = np.bincount(rows.two, weights=weights, minlength=k)
    return (added - taken).astype(np.float64, copy=False)


def _estimates(
    rows: _Rows, parameters: FloatArray, information: FloatArray, k: int, level: float, method: str, *, grouped: bool
) -> list[Estimate]:
    """Return the strengths and what length is worth, with their intervals."""
    n = {"models": k, "comparisons": len(rows.results)}
    values = parameters[: k + 1].tolist()
    if not grouped:
        variances = np.diag(bread(information, k)).tolist()
        quantile = normal_quantile(level)
        return [interval(*each, quantile, level, method, n) for each in zip(values, variances, strict=False)]
    lean, tie, _ = _shares(parameters, rows, k)
    pull = rows.results - 0.5 - lean / 2
    groups = int(rows.clusters.max()) + 1
    size = len(parameters)
    table = np.zeros((groups, size))
    np.add.at(table, (rows.clusters, rows.one), pull)
    np.subtract.at(table, (rows.clusters, rows.two), pull)
    table[:, k] = np.bincount(rows.clusters, weights=pull * rows.ratio, minlength=groups)
    if size > k + 1:
        table[:, k + 1] = np.bincount(rows.clusters, weights=(rows.results == 0.5) - tie, minlength=groups)
    variances = np.diag(clustered_covariance(table.T @ table, information, groups, k)).tolist()
    n |= {"clusters": groups} if groups > 1 else {}
    return [clustered_interval(*each, groups, level, method, n) for each in zip(values, variances, strict=False)]
