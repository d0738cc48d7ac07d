"""MACE (Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013): judges who know the answer or guess in their own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.latent.latent_class import fit_latent_class, read_votes, record, without_votes
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.latent.latent_class import LatentClassFit
    from venire.stats.observations import FloatArray

_METHOD = say("method.mace")


def mace(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    seed: int | np.random.Generator = 0,
    restarts: int = 10,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
) -> LatentClassFit:
    """Estimate the class of each unit and how often each judge guesses, from votes.

    A judge states the class with probability θ, and otherwise a category drawn from the judge's own guesses ξ, so that
    P(stated | class) = θ·[stated = class] + (1 − θ)·ξ. Classes are equally likely beforehand, as in the paper; this is
    its plain EM, without the variational prior. The guesses of judge j are the off-diagonal of `confusion`, over 1 − θ.
    """
    votes = read_votes(units, judges, categories)
    if not votes.total:
        return without_votes(votes, _METHOD)
    run, reached = fit_latent_class(
        votes, _guessing, tolerance=tolerance, max_iterations=max_iterations, restarts=restarts, seed=seed
    )
    return record(votes, run, reached, method=_METHOD, competence=run.extra[:, 0], seed=seed)


def _guessing(counts: FloatArray, before: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    judges, classes = counts.shape[0], counts.shape[1]
    if before is None:
        before = np.column_stack([np.full(judges, 0.5), np.full((judges, classes), 1 / classes)])
    knowing, guesses = before[:, :1], before[:, 1:]
    agreeing = np.einsum("jkk->jk", counts)
    known = agreeing * knowing / np.maximum(knowing + (1 - knowing) * guesses, 1e-300)
    guessed = counts.sum(axis=2) - known
    total = np.maximum(counts.sum(axis=(1, 2)), 1e-300)[:, None]
    knowing = known.sum(axis=1, keepdims=True) / total
    amount = guessed.sum(axis=1, keepdims=True)
    guesses = np.where(amount > 1e-12 * total, guessed / np.maximum(amount, 1e-300), 1 / classes)
    rates = (1 - knowing)[:, :, None] * guesses[:, :, None] + knowing[:, :, None] * np.eye(classes)
    return rates, np.full(classes, 1 / classes), np.column_stack([knowing, guesses])
