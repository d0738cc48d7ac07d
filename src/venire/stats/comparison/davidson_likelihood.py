"""The likelihood of pairwise comparisons under Bradley–Terry with Davidson's ties, and its derivatives.

P(i beats j) ∝ πᵢ, P(j beats i) ∝ πⱼ, P(tie) ∝ ν√(πᵢπⱼ), with βᵢ = log πᵢ (Davidson 1970, On Extending the Bradley–Terry
Model to Accommodate Ties in Paired Comparison Experiments, JASA 65, 317–328).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray

_LARGEST = 300.0


class Counts(NamedTuple):
    """All that the likelihood needs of the comparisons."""

    met: FloatArray
    """How often each two models met; symmetric."""
    net_wins: FloatArray
    """How often each model won, less how often it lost."""
    ties: float
    """How many comparisons were ties."""


class Likelihood(NamedTuple):
    """The likelihood at one point."""

    gradient: FloatArray
    """Its derivatives by the strengths and, with ties, by log ν."""
    information: FloatArray
    """Minus the second derivatives."""
    log_likelihood: float
    """Its logarithm."""


def likelihood_at(parameters: FloatArray, counts: Counts) -> Likelihood:
    """Return gradient, information and log-likelihood; each pair counts once from either side, hence the halves.

    With x = ½ for a win, −½ for a loss, 0 for a tie, a comparison is an exponential family in (βᵢ − βⱼ, log ν), and its
    information is the covariance of (x, [tie]).
    """
    k = len(counts.met)
    tie_log = float(parameters[k]) if len(parameters) > k else None
    lean, tie, scale = outcome_shares(parameters[:k], tie_log)
    met_lean = counts.met * lean
    ones = np.ones(k)  # Products with it are row sums, by the quicker routine.
    log_likelihood = float(parameters[:k] @ counts.net_wins - np.vdot(counts.met, np.log(scale))) / 2
    gradient = np.zeros(len(parameters))
    gradient[:k] = (counts.net_wins - met_lean @ ones) / 2
    weights = (counts.met * (1 - tie) - met_lean * lean) / 4
    information = np.zeros((len(parameters), len(parameters)))
    information[:k, :k] = -weights
    information[np.arange(k), np.arange(k)] += weights @ ones
    if tie_log is not None:
        expected = counts.met * tie
        log_likelihood += counts.ties * tie_log
        total = float(ones @ expected @ ones)
        gradient[k] = counts.ties - total / 2
        information[k, k] = (total - np.vdot(expected, tie)) / 2
        information[k, :k] = information[:k, k] = -((met_lean * tie) @ ones) / 2
    return Likelihood(gradient, information, log_likelihood)


def outcome_shares(strengths: FloatArray, tie_log: float | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, for the model of each row against that of each column, P(win) − P(loss), P(tie) and the scale of both.

    The scale is √(πᵢ/πⱼ) + √(πⱼ/πᵢ) + ν. Without a tie parameter ν is 0.
    """
    # Beyond these bounds a step is halved anyway; within, nothing overflows and no logarithms of sums are needed.
    root = np.exp(np.clip(strengths, -_LARGEST, _LARGEST) / 2)
    ratio = np.outer(root, 1 / root)
    nu = 0.0 if tie_log is None else math.exp(min(max(tie_log, -_LARGEST), _LARGEST))
    scale = ratio + ratio.T
    scale += nu
    return (ratio - ratio.T) / scale, nu / scale, scale


def bordered(information: FloatArray, models: int) -> FloatArray:
    """Return information with 1 added along (1, …, 1), which fixes what comparisons cannot: where zero is."""
    fixed = information.copy()
    fixed[:models, :models] += 1.0 / models
    return fixed
