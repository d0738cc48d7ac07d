"""MACE (Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013): judges who know the answer or guess in their own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.latent.latent_class import (
    Run,
    by_patterns,
    class_shares,
    expect,
    expected_counts,
    fit_latent_class,
    keep_likeliest,
    read_votes,
    record,
    without_votes,
)
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.latent.latent_class import LatentClassFit, Votes
    from venire.stats.observations import FloatArray

KNOWING = 0.5
"""Both parameters of the Beta prior on how often a judge knows the answer, as in the authors' program."""

GUESSES = 10.0
"""The parameter of the symmetric Dirichlet prior on a judge's guesses, as in the authors' program."""


def mace(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    variational: bool = True,
    seed: int | np.random.Generator = 0,
    restarts: int = 10,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
) -> LatentClassFit:
    """Estimate the class of each unit and how often each judge guesses, from votes.

    A judge states the class with probability θ, and otherwise a category drawn from the judge's own guesses ξ, so that
    P(stated | class) = θ·[stated = class] + (1 − θ)·ξ. As in the paper θ and ξ have priors, and are fitted by
    variational Bayes; `trace` and `log_likelihood` are then its bound from below. `variational=False` is plain EM.
    Unlike in the paper, where classes are equally likely beforehand, their shares are learnt: with equal ones the
    model falls below the majority of votes where one class prevails.
    """
    method = say("method.mace" if variational else "method.mace_em")
    votes = read_votes(units, judges, categories)
    if not votes.total:
        return without_votes(votes, method)
    if not variational:
        run, reached = fit_latent_class(
            votes, _guessing, tolerance=tolerance, max_iterations=max_iterations, restarts=restarts, seed=seed
        )
        return record(votes, run, reached, method=method, competence=run.extra[:, 0], seed=seed)
    fit = by_patterns(votes, lambda rows, start: _variational(rows, start, tolerance, max_iterations))
    run, reached = keep_likeliest(votes, fit, restarts=restarts, seed=seed)
    return record(votes, run, reached, method=method, competence=run.extra[:, 0], seed=seed)


def _guessing(counts: FloatArray, before: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    known, guessed = _split(counts, before)
    total = np.maximum(counts.sum(axis=(1, 2)), 1e-300)[:, None]
    knowing = known.sum(axis=1, keepdims=True) / total
    amount = guessed.sum(axis=1, keepdims=True)
    guesses = np.where(amount > 1e-12 * total, guessed / np.maximum(amount, 1e-300), 1 / counts.shape[1])
    return _rates(knowing, 1 - knowing, guesses), np.zeros(0), np.column_stack([knowing, guesses])


def _split(counts: FloatArray, before: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return how many votes for each category were known and how many guessed, judge × category.

    `before` holds a judge's weight of knowing over that of guessing, and the guesses; at the start all are equal.
    """
    judges, classes = counts.shape[0], counts.shape[1]
    if before is None:
        before = np.column_stack([np.full(judges, 0.5), np.full((judges, classes), 1 / classes)])
    knowing, guesses = before[:, :1], before[:, 1:]
    agreeing = np.einsum("jkk->jk", counts)
    known = agreeing * knowing / np.maximum(knowing + (1 - knowing) * guesses, 1e-300)
    return known, counts.sum(axis=2) - known


def _rates(knowing: FloatArray, guessing: FloatArray, guesses: FloatArray) -> FloatArray:
    """Return judge × stated category × class."""
    chance = (guessing * guesses)[:, :, None]
    return np.asarray(chance + knowing[:, :, None] * np.eye(guesses.shape[1]))


def _variational(votes: Votes, start: FloatArray, tolerance: float, max_iterations: int) -> Run:
    """Alternate between what votes say of judges and what judges say of units, until the bound no longer rises."""
    from scipy.special import digamma

    posteriors, before = start, None
    trace: list[float] = []
    while True:
        known, guessed = _split(expected_counts(votes, posteriors), before)
        theta = np.column_stack([known.sum(axis=1), guessed.sum(axis=1)]) + KNOWING
        xi = guessed + GUESSES
        prior = class_shares(votes, posteriors)
        knowing, guessing = np.exp(digamma(theta) - digamma(theta.sum(axis=1, keepdims=True))).T[:, :, None]
        guesses = np.exp(digamma(xi) - digamma(xi.sum(axis=1, keepdims=True)))
        posteriors, likelihood = expect(votes, _rates(knowing, guessing, guesses), prior)
        trace.append(likelihood - _divergence(theta, KNOWING) - _divergence(xi, GUESSES))
        # The split needs the odds of knowing: the two expectations do not sum to 1.
        share = knowing / (knowing + guessing)
        before = np.column_stack([share, guesses])
        converged = len(trace) > 1 and trace[-1] - trace[-2] <= tolerance * votes.total
        if converged or len(trace) >= max_iterations:
            mean, strategy = theta / theta.sum(axis=1, keepdims=True), xi / xi.sum(axis=1, keepdims=True)
            confusion = _rates(mean[:, :1], mean[:, 1:], strategy).transpose(0, 2, 1)
            extra = np.column_stack([mean[:, :1], strategy])
            return Run(posteriors, prior, np.ascontiguousarray(confusion), extra, tuple(trace), converged)


def _divergence(found: FloatArray, prior: float) -> float:
    """Return how far Dirichlet distributions (rows) lie from a symmetric one: Kullback & Leibler's divergence."""
    from scipy.special import digamma, gammaln

    total, size = found.sum(axis=1), found.shape[1]
    own = gammaln(total) - gammaln(found).sum(axis=1)
    before = gammaln(prior * size) - size * gammaln(prior)
    apart = ((found - prior) * (digamma(found) - digamma(total)[:, None])).sum(axis=1)
    return float((own - before + apart).sum())
