"""The Bradley–Terry model of pairwise comparisons, with Davidson's ties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.quantile import normal_quantile
from venire.stats.result import Estimate

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray
    from venire.stats.win_matrix import WinMatrix

_MOST_ITERATIONS = 200
_LARGEST = 300.0
_FARTHEST = 25.0  # odds of e²⁵ are beyond what any count of comparisons can show


class BradleyTerryFit(msgspec.Struct, frozen=True, kw_only=True):
    """Strengths of models on the logarithmic scale, summing to 0, or the reason why there are none."""

    models: tuple[Any, ...]
    """The models, in the order of `strengths` and `covariance`."""
    strengths: tuple[Estimate, ...]
    """The logarithm of each model's strength: a difference d means odds of eᵈ to win, ties aside."""
    covariance: NDArray[np.float64]
    """The covariance of the strengths; NaN if they are not known. It gives the error of any difference."""
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

    def difference(self, first: Any, second: Any, *, level: float = 0.95) -> Estimate:
        """Give how much stronger one model is than another, with the interval of the difference."""
        i, j = self.models.index(first), self.models.index(second)
        one, two = self.strengths[i].value, self.strengths[j].value
        if one is None or two is None:
            return Estimate.unknown(self.method, self.reason, n=self.n)
        variance = float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j])
        return _estimate(one - two, variance, level, self.method, self.n)


class _State(NamedTuple):
    gradient: FloatArray
    information: FloatArray
    log_likelihood: float


def bradley_terry(outcomes: WinMatrix, *, level: float = 0.95) -> BradleyTerryFit:
    """Fit strengths by maximum likelihood from a win matrix (Bradley & Terry 1952; ties as in Davidson 1970).

    P(i beats j) ∝ πᵢ, P(j beats i) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ). Newton's method works on the win matrix, so that
    its cost does not depend on the number of comparisons. If some models never met the rest, or always won or always
    lost against the rest, no finite maximum exists, and the fit says so instead of giving large numbers.
    """
    method = "Bradley–Terry with Davidson's ties, maximum likelihood by Newton; normal intervals"
    k = len(outcomes.models)
    n = {"models": k, "comparisons": outcomes.comparisons, "missing": outcomes.missing}
    reason = _why_not(outcomes)
    if reason:
        return _unknown(outcomes, method, n, reason)
    with_ties = bool(outcomes.ties.any())
    parameters = np.zeros(k + with_ties)
    state = _evaluate(parameters, outcomes, with_ties=with_ties)
    iterations, converged = 0, False
    while iterations < _MOST_ITERATIONS and not converged:
        iterations += 1
        # One along (1, …, 1) fixes what comparisons cannot: where zero is.
        bordered = state.information.copy()
        bordered[:k, :k] += 1.0 / k
        step: FloatArray = np.linalg.solve(bordered, state.gradient).astype(np.float64)
        parameters, state = _ascend(parameters, step, state, outcomes, with_ties=with_ties)
        if max(float(np.ptp(parameters[:k])), float(np.abs(parameters[k:]).max(initial=0.0))) > _FARTHEST:
            return _unknown(outcomes, method, n, "separated: the likelihood grows without end, so no finite fit exists")
        # Both must vanish: on separated data the gradient does, while the steps go on for ever.
        flat = float(np.abs(state.gradient).max()) <= 1e-9 * n["comparisons"]
        converged = flat and float(np.abs(step).max()) <= 1e-6
    bordered = state.information.copy()
    bordered[:k, :k] += 1.0 / k
    covariance: FloatArray = np.linalg.inv(bordered).astype(np.float64)
    covariance[:k, :k] -= 1.0 / k
    strengths = parameters[:k] - parameters[:k].mean()
    return BradleyTerryFit(
        models=outcomes.models,
        strengths=tuple(
            _estimate(float(value), float(covariance[i, i]), level, method, n) for i, value in enumerate(strengths)
        ),
        covariance=covariance[:k, :k],
        tie=_tie(parameters, covariance, level, n, with_ties=with_ties),
        log_likelihood=state.log_likelihood,
        iterations=iterations,
        converged=converged,
        method=method,
        n=n,
    )


def _evaluate(parameters: FloatArray, outcomes: WinMatrix, *, with_ties: bool) -> _State:
    """Return gradient, information and log-likelihood; each pair counts once from either side, hence the halves.

    With x = ½ for a win, −½ for a loss, 0 for a tie, a comparison is an exponential family in (βᵢ − βⱼ, log ν), and its
    information is the covariance of (x, [tie]).
    """
    k = len(outcomes.models)
    half = (parameters[:k, None] - parameters[None, :k]) / 2
    tie_log = float(np.clip(parameters[k], -_LARGEST, _LARGEST)) if with_ties else 0.0
    # Beyond these the step is halved anyway; within, nothing overflows and no logarithms of sums are needed.
    half = np.clip(half, -_LARGEST, _LARGEST)
    win = np.exp(half)
    scale = win + 1 / win + (math.exp(tie_log) if with_ties else 0.0)
    win /= scale
    tie = math.exp(tie_log) / scale if with_ties else np.zeros_like(scale)
    total = np.log(scale)
    met = outcomes.wins + outcomes.wins.T + outcomes.ties
    lean = win - win.T
    log_likelihood = float((outcomes.wins * (half - total)).sum() - (outcomes.ties * total).sum() / 2)
    if with_ties:
        log_likelihood += float(outcomes.ties.sum()) / 2 * tie_log
    gradient = np.zeros(len(parameters))
    gradient[:k] = ((outcomes.wins - outcomes.wins.T - met * lean) / 2).sum(axis=1)
    weights = met * (win + win.T - lean**2) / 4
    information = np.zeros((len(parameters), len(parameters)))
    information[:k, :k] = np.diag(weights.sum(axis=1)) - weights
    if with_ties:
        gradient[k] = (outcomes.ties - met * tie).sum() / 2
        information[k, k] = (met * tie * (1 - tie)).sum() / 2
        information[k, :k] = information[:k, k] = -(met * lean * tie).sum(axis=1) / 2
    return _State(gradient, information, log_likelihood)


def _ascend(
    parameters: FloatArray, step: FloatArray, state: _State, outcomes: WinMatrix, *, with_ties: bool
) -> tuple[FloatArray, _State]:
    # The likelihood is concave: halving a step that overshoots always ends in a better point.
    for _ in range(40):
        candidate = parameters + step
        reached = _evaluate(candidate, outcomes, with_ties=with_ties)
        if reached.log_likelihood >= state.log_likelihood - 1e-12 * abs(state.log_likelihood):
            return candidate, reached
        step = step / 2
    return parameters, state


def _why_not(outcomes: WinMatrix) -> str:
    from scipy.sparse.csgraph import connected_components

    k = len(outcomes.models)
    if k < 2 or not outcomes.comparisons:
        return "no comparisons between different models"
    beat = ((outcomes.wins + outcomes.ties) > 0).astype(np.int8)
    groups, labels = connected_components(beat, directed=False)
    if groups > 1:
        return f"disconnected: the models fall into {groups} groups that never met: {_list(outcomes, labels)}"
    groups, labels = connected_components(beat, directed=True, connection="strong")
    if groups > 1:
        # Ford 1957: a finite maximum needs a chain of wins from every model to every other.
        return f"separated: some models only won or only lost against the rest: {_list(outcomes, labels)}"
    if not outcomes.wins.any():
        return "separated: every comparison is a tie"
    return ""


def _list(outcomes: WinMatrix, labels: NDArray[Any]) -> str:
    names = [
        ", ".join(str(model) for model, label in zip(outcomes.models, labels.tolist(), strict=True) if label == group)
        for group in range(min(int(labels.max()) + 1, 5))
    ]
    return " | ".join(names)


def _estimate(value: float, variance: float, level: float, method: str, n: dict[str, int]) -> Estimate:
    error = math.sqrt(max(variance, 0.0))
    margin = normal_quantile(level) * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    )


def _tie(
    parameters: FloatArray, covariance: FloatArray, level: float, n: dict[str, int], *, with_ties: bool
) -> Estimate:
    method = "Davidson's ν; interval normal on the logarithm"
    if not with_ties:
        return Estimate(value=0.0, method=method, n=n, reason="no ties were seen, so there is no interval")
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
        models=outcomes.models, strengths=(nothing,) * k, covariance=np.full((k, k), np.nan), tie=nothing,
        log_likelihood=None, iterations=0, converged=False, method=method, n=n, reason=reason,
    )  # fmt: skip
