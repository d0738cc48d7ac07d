"""The one-coin model: each judge is right with one probability, and wrong in every way alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.latent.latent_class import fit_latent_class, read_votes, record, without_votes
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.latent.latent_class import LatentClassFit
    from venire.stats.observations import FloatArray

_METHOD = say("method.one_coin")


def one_coin(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    seed: int | np.random.Generator = 0,
    restarts: int = 4,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
) -> LatentClassFit:
    """Estimate the class of each unit and one accuracy for each judge (Zhang, Chen, Zhou & Jordan 2016, §2).

    It has far fewer parameters than Dawid–Skene and suits judges with few votes. Classes have free shares.
    """
    votes = read_votes(units, judges, categories)
    if not votes.total:
        return without_votes(votes, _METHOD)
    run, reached = fit_latent_class(
        votes, _accuracies, tolerance=tolerance, max_iterations=max_iterations, restarts=restarts, seed=seed
    )
    return record(votes, run, reached, method=_METHOD, competence=run.extra, seed=seed)


def _accuracies(counts: FloatArray, _: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    classes = counts.shape[1]
    right = np.einsum("jkk->j", counts)
    accuracy = right / np.maximum(counts.sum(axis=(1, 2)), 1e-300)
    wrong = (1 - accuracy) / max(classes - 1, 1)
    rates = np.where(np.eye(classes, dtype=bool), accuracy[:, None, None], wrong[:, None, None])
    return rates, np.zeros(0), accuracy
