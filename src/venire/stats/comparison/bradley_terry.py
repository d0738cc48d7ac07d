"""The Bradley–Terry model of pairwise comparisons, with Davidson's ties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.comparison.davidson_likelihood import Counts, Likelihood, bordered, likelihood_at, outcome_shares
from venire.stats.comparison.win_matrix import require_win_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import normal_quantile, t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.comparison.win_matrix import WinMatrix
    from venire.stats.observations import FloatArray

_MOST_ITERATIONS = 200
_VANISHING = 1e-12
"""The variance of a difference that is smaller than this, beside those of its two strengths, is 0 but for rounding."""
_FARTHEST = 25.0  # odds of e²⁵ are beyond what any count of comparisons can show


class BradleyTerryFit(msgspec.Struct, frozen=True, kw_only=True):
    """Strengths of models on the logarithmic scale, summing to 0, or the reason why there are none."""

    models: tuple[Any, ...]
    """The models, in the order of `strengths` and `covariance`."""
    strengths: tuple[Estimate, ...]
    """The logarithm of each model's strength: a difference d means odds of eᵈ to win, ties aside."""
    covariance: NDArray[np.float64]
    """The covariance of the strengths; NaN if they are not known. It gives the error of any difference."""
    information: NDArray[np.float64]
    """The observed information of the strengths and, if ties were seen, of log ν; NaN if they are not known."""
    tie: Estimate
    """Davidson's ν: among equal models, ties are ν/(2 + ν) of the comparisons; 0 if none was seen."""
    log_likelihood: float | None
    """The logarithm of the likelihood of all comparisons."""
    iterations: int
    """How many Newton steps were taken."""
    converged: bool
    """Whether the gradient vanished."""
    method: str
    """The model and the fit."""
    n: dict[str, int]
    """What the fit rests on, counted by name."""
    reason: str = ""
    """Why the strengths are not known; empty if they are."""

    def expected(self) -> tuple[FloatArray, FloatArray | None]:
        """Return P(win) − P(loss) of each row's model against each column's, and P(tie) if ties were seen."""
        strengths = np.array([each.value for each in self.strengths], dtype=np.float64)
        if len(self.information) == len(self.models):
            return outcome_shares(strengths, None)[0], None
        return outcome_shares(strengths, math.log(self.tie.value or 1.0))[:2]

    def difference(self, first: Any, second: Any, *, level: float = 0.95) -> Estimate:
        """Give how much stronger one model is than another, with the interval of the difference."""
        i, j = self.models.index(first), self.models.index(second)
        one, two = self.strengths[i].value, self.strengths[j].value
        if one is None or two is None:
            return Estimate.unknown(self.method, self.reason, n=self.n)
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        reason = self.strengths[i].reason or self.strengths[j].reason
        if not reason and variance <= _VANISHING * float(self.covariance[i, i] + self.covariance[j, j]) and i != j:
            reason = say("reason.clusters_alike")
        if reason:
            return Estimate(value=one - two, method=self.method, n=self.n, reason=reason)
        return _estimate(one - two, variance, level, self.method, self.n)


def bradley_terry(outcomes: WinMatrix, *, level: float = 0.95) -> BradleyTerryFit:
    """Fit strengths by maximum likelihood from a win matrix (Bradley & Terry 1952; ties as in Davidson 1970).

    P(i beats j) ∝ πᵢ, P(j beats i) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ). Newton's method works on the win matrix, so that
    its cost does not depend on the number of comparisons. If some models never met the rest, or always won or always
    lost against the rest, no finite maximum exists, and the fit says so instead of giving large numbers.
    """
    require_level(level)
    require_win_matrix(outcomes)
    method = say("method.bradley_terry")
    k = len(outcomes.models)
    n = {"models": k, "comparisons": outcomes.comparisons, "missing": outcomes.missing}
    reason = _why_not(outcomes)
    if reason:
        return _unknown(outcomes, method, n, reason)
    counts = Counts(
        met=outcomes.wins + outcomes.wins.T + outcomes.ties,
        net_wins=outcomes.wins.sum(axis=1) - outcomes.wins.sum(axis=0),
        ties=float(outcomes.ties.sum()) / 2,
    )
    with_ties = counts.ties > 0
    parameters = _start(counts)
    state = likelihood_at(parameters, counts)
    iterations, converged = 0, False
    while iterations < _MOST_ITERATIONS and not converged:
        iterations += 1
        step: FloatArray = np.linalg.solve(bordered(state.information, k), state.gradient).astype(np.float64)
        parameters, state = _ascend(parameters, step, state, counts)
        if max(float(np.ptp(parameters[:k])), float(np.abs(parameters[k:]).max(initial=0.0))) > _FARTHEST:
            return _unknown(outcomes, method, n, say("reason.separated.endless"))
        # Both must vanish: on separated data the gradient does, while the steps go on for ever.
        flat = float(np.abs(state.gradient).max()) <= 1e-9 * n["comparisons"]
        converged = flat and float(np.abs(step).max()) <= 1e-6
    covariance: FloatArray = np.linalg.inv(bordered(state.information, k)).astype(np.float64)
    covariance[:k, :k] -= 1.0 / k
    strengths = parameters[:k] - parameters[:k].mean()
    return BradleyTerryFit(
        models=outcomes.models,
        strengths=tuple(
            _estimate(float(value), float(covariance[i, i]), level, method, n) for i, value in enumerate(strengths)
        ),
        covariance=covariance[:k, :k],
        information=state.information,
        tie=_tie(parameters, covariance, level, n, with_ties=with_ties),
        log_likelihood=state.log_likelihood,
        iterations=iterations,
        converged=converged,
        method=method,
        n=n,
    )


def _start(counts: Counts) -> FloatArray:
    """Return what the parameters would be if each model had met opponents of mean strength only."""
    count = counts.met.sum(axis=1)
    # Each model has won or tied, and lost or tied, so that no logarithm is infinite.
    strengths: FloatArray = np.log((count + counts.net_wins) / (count - counts.net_wins))
    strengths -= strengths.mean()
    if not counts.ties:
        return strengths
    return np.append(strengths, math.log(2 * counts.ties / (counts.met.sum() / 2 - counts.ties)))


def _ascend(
    parameters: FloatArray, step: FloatArray, state: Likelihood, counts: Counts
) -> tuple[FloatArray, Likelihood]:
    # The likelihood is concave: halving a step that overshoots always ends in a better point.
    for _ in range(40):
        candidate = parameters + step
        reached = likelihood_at(candidate, counts)
        if reached.log_likelihood >= state.log_likelihood - 1e-12 * abs(state.log_likelihood):
            return candidate, reached
        step = step / 2
    return parameters, state


def _why_not(outcomes: WinMatrix) -> str:
    if len(outcomes.models) < 2 or not outcomes.comparisons:
        return say("reason.no_comparisons")
    beat = (outcomes.wins + outcomes.ties) > 0
    # Ford 1957: a finite maximum needs a chain of wins from every model to every other.
    if not (_all_are_reached(beat) and _all_are_reached(beat.T)):
        return _separation(outcomes, beat)
    return "" if outcomes.wins.any() else say("reason.separated.ties")


def _all_are_reached(beat: NDArray[np.bool_]) -> bool:
    """Tell whether chains of wins or ties lead from the first model to all others."""
    reached = np.zeros(len(beat), dtype=bool)
    fresh = np.array([0])
    while len(fresh):
        reached[fresh] = True
        fresh = np.flatnonzero(beat[fresh].any(axis=0) & ~reached)
    return bool(reached.all())


def _separation(outcomes: WinMatrix, beat: NDArray[np.bool_]) -> str:
    from scipy.sparse.csgraph import connected_components

    groups, labels = connected_components(beat.astype(np.int8), directed=False)
    if groups > 1:
        return say("reason.disconnected.models_named", count=groups, groups=_list(outcomes, labels))
    groups, labels = connected_components(beat.astype(np.int8), directed=True, connection="strong")
    return say("reason.separated.one_sided_named", groups=_list(outcomes, labels))


def _list(outcomes: WinMatrix, labels: NDArray[Any]) -> str:
    names = [
        ", ".join(str(model) for model, label in zip(outcomes.models, labels.tolist(), strict=True) if label == group)
        for group in range(min(int(labels.max()) + 1, 5))
    ]
    return " | ".join(names)


def _estimate(value: float, variance: float, level: float, method: str, n: dict[str, int]) -> Estimate:
    error = math.sqrt(max(variance, 0.0))
    margin = error * (t_quantile(level, n["clusters"] - 1) if "clusters" in n else normal_quantile(level))
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    )


def _tie(
    parameters: FloatArray, covariance: FloatArray, level: float, n: dict[str, int], *, with_ties: bool
) -> Estimate:
    method = say("method.davidson_ties")
    if not with_ties:
        return Estimate(value=0.0, method=method, n=n, reason=say("reason.no_ties"))
    log, error = float(parameters[-1]), math.sqrt(max(float(covariance[-1, -1]), 0.0))
    margin = normal_quantile(level) * error
    return Estimate(
        value=math.exp(log), low=math.exp(log - margin), high=math.exp(log + margin), level=level,
        standard_error=math.exp(log) * error, method=method, n=n,
    )  # fmt: skip


def _unknown(outcomes: WinMatrix, method: str, n: dict[str, int], reason: str) -> BradleyTerryFit:
    nothing = Estimate.unknown(method, reason, n=n)
    k = len(outcomes.models)
    return BradleyTerryFit(
        models=outcomes.models, strengths=(nothing,) * k, covariance=np.full((k, k), np.nan),
        information=np.full((k, k), np.nan), tie=nothing, log_likelihood=None, iterations=0, converged=False,
        method=method, n=n, reason=reason,
    )  # fmt: skip
