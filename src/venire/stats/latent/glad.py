"""GLAD (Whitehill, Ruvolo, Wu, Bergsma & Movellan 2009): judges of unlike ability, units of unlike difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.latent.latent_class import LatentClassFit, Run, keep_likeliest, read_votes, record, without_votes
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.latent.latent_class import Votes
    from venire.stats.observations import FloatArray, IntArray

_PRIOR_MEAN = 1.0
"""The mean of the standard normal priors on ability and on log β, as in the authors' program."""


class GladFit(msgspec.Struct, frozen=True, kw_only=True):
    """Hidden classes with the ability of each judge and the difficulty of each unit."""

    fit: LatentClassFit
    """Classes and judges; `competence` is the probability of a correct vote on a unit of middling difficulty."""
    ability: tuple[float | None, ...]
    """α of each judge: 0 is guessing, below 0 is against the truth; None means "not known"."""
    difficulty: NDArray[Any]
    """1/β of each unit: the higher, the less a judge's ability helps."""


def glad(
    units: ArrayLike,
    judges: ArrayLike,
    categories: ArrayLike,
    *,
    seed: int | np.random.Generator = 0,
    restarts: int = 0,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
) -> GladFit:
    """Estimate class and difficulty of each unit and the ability of each judge from votes.

    A vote is right with probability 1/(1 + exp(−α·β)), and wrong in every way alike. α and log β have normal priors
    around 1, and are fitted by EM with a quasi-Newton M step; `trace` is the penalised log-likelihood. Class shares are
    learnt.
    """
    method = say("method.glad")
    votes = read_votes(units, judges, categories)
    if not votes.total:
        blank = without_votes(votes, method)
        return GladFit(fit=blank, ability=blank.competence, difficulty=np.full(len(votes.units), np.nan))
    triples = _Triples(votes)
    run, reached = keep_likeliest(
        votes, lambda start: triples.fit(start, tolerance, max_iterations), restarts=restarts, seed=seed
    )
    judge_count = len(votes.judges)
    ability, sharpness = run.extra[:judge_count], np.exp(run.extra[judge_count:])
    right = 1 / (1 + np.exp(-ability * float(np.median(sharpness))))
    fit = record(votes, run, reached, method=method, competence=right, seed=seed)
    known = not fit.reason
    return GladFit(
        fit=fit,
        ability=tuple(float(each) if known else None for each in ability),
        difficulty=1 / sharpness if known else np.full(len(sharpness), np.nan),
    )


class _Triples:
    """The votes as lists of unit, judge and stated category, with the steps of EM over them."""

    def __init__(self, votes: Votes) -> None:
        found = votes.matrix.tocoo()
        self.unit: IntArray = np.asarray(found.row, dtype=np.intp)
        self.judge: IntArray = np.asarray(found.col, dtype=np.intp) // len(votes.categories)
        self.stated: IntArray = np.asarray(found.col, dtype=np.intp) % len(votes.categories)
        self.times: FloatArray = np.asarray(found.data, dtype=np.float64)
        self.shape = (len(votes.units), len(votes.judges), len(votes.categories))

    def fit(self, start: FloatArray, tolerance: float, max_iterations: int) -> Run:
        """Alternate M and E steps until the penalised log-likelihood rises by at most `tolerance` per vote."""
        units, judges, classes = self.shape
        posteriors, parameters = start, np.full(judges + units, _PRIOR_MEAN)
        trace: list[float] = []
        while True:
            prior = posteriors.mean(axis=0)
            parameters = self._maximise(posteriors, parameters)
            posteriors, bound = self._expect(parameters, prior)
            trace.append(bound)
            converged = len(trace) > 1 and trace[-1] - trace[-2] <= tolerance * self.times.sum()
            if converged or len(trace) >= max_iterations:
                middle = float(np.median(np.exp(parameters[judges:])))
                right = 1 / (1 + np.exp(-parameters[:judges] * middle))
                wrong = (1 - right) / max(classes - 1, 1)
                confusion = np.where(np.eye(classes, dtype=bool), right[:, None, None], wrong[:, None, None])
                return Run(posteriors, prior, confusion, parameters, tuple(trace), converged)

    def _logits(self, parameters: FloatArray) -> FloatArray:
        judges = self.shape[1]
        return np.asarray(parameters[:judges][self.judge] * np.exp(parameters[judges:])[self.unit])

    def _expect(self, parameters: FloatArray, prior: FloatArray) -> tuple[FloatArray, float]:
        units, _, classes = self.shape
        logits = self._logits(parameters)
        right, wrong = -np.logaddexp(0, -logits), -np.logaddexp(0, logits) - np.log(max(classes - 1, 1))
        evidence = np.tile(np.log(np.maximum(prior, 1e-300)), (units, 1))
        evidence += np.bincount(self.unit, weights=self.times * wrong, minlength=units)[:, None]
        np.add.at(evidence, (self.unit, self.stated), self.times * (right - wrong))
        highest = evidence.max(axis=1, keepdims=True)
        shares = np.exp(evidence - highest)
        total = shares.sum(axis=1, keepdims=True)
        bound = float((highest + np.log(total)).sum()) - 0.5 * float(((parameters - _PRIOR_MEAN) ** 2).sum())
        return shares / total, bound

    def _maximise(self, posteriors: FloatArray, parameters: FloatArray) -> FloatArray:
        from scipy.optimize import minimize

        units, judges, _ = self.shape
        correct = self.times * posteriors[self.unit, self.stated]
        spare = np.log(max(self.shape[2] - 1, 1)) * float((self.times - correct).sum())

        def loss(point: FloatArray) -> tuple[float, FloatArray]:
            logits = self._logits(point)
            value = float(correct @ np.logaddexp(0, -logits) + (self.times - correct) @ np.logaddexp(0, logits)) + spare
            slope = correct - self.times / (1 + np.exp(-logits))  # of the log-likelihood, by the logit
            sharp = np.exp(point[judges:])
            by_judge = np.bincount(self.judge, weights=slope * sharp[self.unit], minlength=judges)
            by_unit = np.bincount(self.unit, weights=slope * logits, minlength=units)
            apart = point - _PRIOR_MEAN
            return value + 0.5 * float(apart @ apart), apart - np.concatenate([by_judge, by_unit])

        found = minimize(loss, parameters, jac=True, method="L-BFGS-B", options={"maxiter": 25})
        # A step that does not help is not taken, so that the likelihood never falls.
        return np.asarray(found.x) if found.fun <= loss(parameters)[0] else parameters
