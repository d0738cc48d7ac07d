"""Which two models to compare next: pairs are drawn the likelier, the more they shrink the errors that matter.

A comparison of i and j adds w (e_i − e_j)(e_i − e_j)ᵀ to the information of a Bradley–Terry fit, with w = p (1 − p). By
the formula of Sherman and Morrison it takes w ‖C_S (e_i − e_j)‖² / (1 + w d_ij) off the sum of the variances of the
models S, where C is their covariance and d_ij the variance of the difference. Probabilities are proportional to it. A
part of the draws is uniform, so that no pair is left out for good because of a few unlucky outcomes at the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.win_matrix import WinMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray, IntArray

UNIFORM = 0.1
"""The share of the draws that are uniform."""
PRIOR = 0.05
"""How many won and lost comparisons each pair is thought to have before the first, so that there is always a fit."""
DIGITS = 9
"""To how many digits probabilities are rounded, so that another machine draws the same."""


def pair_probabilities(
    wins: FloatArray, ties: FloatArray, available: NDArray[np.intp], *, top: int | None = None
) -> FloatArray:
    """Return the probability of each pair of models, as a matrix whose upper triangle sums to 1.

    `wins` and `ties` are what was judged so far, model by model; `available` says how many outputs of each pair are
    still to be compared: a pair without any is not drawn. With `top` only the errors of so many leaders count, and of
    those who may still be among them.
    """
    k = len(wins)
    prior = np.full((k, k), PRIOR)
    np.fill_diagonal(prior, 0.0)
    counted = WinMatrix(models=tuple(range(k)), wins=wins + ties / 2 + prior, ties=np.zeros((k, k)))
    strengths = np.array([each.value for each in bradley_terry(counted).strengths], dtype=np.float64)
    share = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weight = share * (1 - share)
    met = counted.wins + counted.wins.T
    information = -met * weight
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    covariance: FloatArray = np.linalg.pinv(information, hermitian=True).astype(np.float64, copy=False)
    open_pairs = np.triu(available > 0, 1)
    if not open_pairs.any():
        return np.zeros((k, k))
    gains = np.where(open_pairs, _gains(covariance, weight, _contenders(strengths, covariance, top)), 0.0)
    uniform = open_pairs / open_pairs.sum()
    drawn = gains / gains.sum() if gains.sum() > 0 else uniform
    rounded: FloatArray = np.round((1 - UNIFORM) * drawn + UNIFORM * uniform, DIGITS)
    rounded /= rounded.sum()
    return rounded


def draw_pairs(
    probabilities: FloatArray, available: NDArray[np.intp], count: int, seed: list[int]
) -> list[tuple[int, int]]:
    """Draw pairs of models with these probabilities, none more often than it has outputs left; they may be fewer."""
    generator = np.random.default_rng(seed)
    left = np.triu(available, 1).astype(np.int64)
    places = np.argwhere(left > 0)
    chosen: list[tuple[int, int]] = []
    while len(chosen) < count and len(places):
        chance = probabilities[places[:, 0], places[:, 1]]
        chance = chance / chance.sum() if chance.sum() > 0 else np.full(len(places), 1 / len(places))
        for place in generator.choice(len(places), size=count - len(chosen), p=chance):
            one, two = (int(each) for each in places[place])
            if left[one, two] > 0:
                left[one, two] -= 1
                chosen.append((one, two))
        places = np.argwhere(left > 0)
    return chosen


def _gains(covariance: FloatArray, weight: FloatArray, counted: IntArray) -> FloatArray:
    """Return by how much one more comparison of each pair lowers the summed variances of some models."""
    shifts = np.zeros_like(covariance)
    for model in counted:
        row = covariance[model]
        shifts += (row[:, None] - row[None, :]) ** 2
    variances = np.diag(covariance)
    apart = variances[:, None] + variances[None, :] - 2 * covariance
    gains: FloatArray = weight * shifts / (1 + weight * np.maximum(apart, 0.0))
    return gains


def _contenders(strengths: FloatArray, covariance: FloatArray, top: int | None) -> IntArray:
    """Return the models whose errors count: all, or the leaders and whoever may still be one of them."""
    everyone = np.arange(len(strengths))
    if top is None or top >= len(strengths):
        return everyone
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    last = np.sort(strengths - 2 * errors)[-top]
    counted: IntArray = everyone[strengths + 2 * errors >= last]
    return counted
