"""Dawid & Skene (1979): hidden classes and a full table of error rates for each judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.latent.latent_class import fit_latent_class, read_votes, record, without_votes
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.latent.latent_class import LatentClassFit
    from venire.stats.observations import FloatArray

_METHOD = say("method.dawid_skene")


def dawid_skene(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    seed: int | np.random.Generator = 0,
    restarts: int = 4,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
) -> LatentClassFit:
    """Estimate the class of each unit and the error rates of each judge from votes (Dawid & Skene 1979, eqs 2.3–2.5).

    Votes are three equally long lists; a judge may vote on a unit several times. Error rates are plain maximum
    likelihood, so a rate that was never seen is 0. EM stops when the marginal log-likelihood rises by at most
    `tolerance` per vote. The authors' own solution is the one from the shares of votes (`restarts=0`); random starts
    may find a likelier one.
    """
    votes = read_votes(units, judges, categories)
    if not votes.total:
        return without_votes(votes, _METHOD)
    run, reached = fit_latent_class(
        votes, error_rates, tolerance=tolerance, max_iterations=max_iterations, restarts=restarts, seed=seed
    )
    correct = np.einsum("k,jkk->j", run.prior, run.confusion)
    return record(votes, run, reached, method=_METHOD, competence=correct, seed=seed)


def error_rates(counts: FloatArray, _: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the error rates, judge × stated category × class, that expected counts give: the M step."""
    stated = counts.sum(axis=1, keepdims=True)
    # A judge who never saw a class says nothing about it: each category is as likely as the next. Counts near the
    # smallest double count as never, as their shares would no longer sum to 1.
    rates = np.where(stated > 1e-200, counts / np.maximum(stated, 1e-200), 1 / counts.shape[1])
    return rates, np.zeros(0), np.zeros(0)
