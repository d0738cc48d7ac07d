"""What Dawid–Skene, MACE and the one-coin model share: votes as one sparse matrix, and EM over it.

Row i of the matrix counts the votes on unit i; its column (judge, stated category) is a judge saying a category.
Applied to the logarithms of the error rates it gives the evidence for each class (E step); its transpose applied to the
class probabilities gives the expected confusion counts (M step). SciPy is imported late, as it is slow to load.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.latent.vote_patterns import collapse, mean_by_pattern
from venire.stats.observations import encode, generator_from, require_count, require_same_length
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike
    from scipy.sparse import csr_array

    from venire.stats.observations import FloatArray

    MStep = Callable[[FloatArray, FloatArray | None], tuple[FloatArray, FloatArray, FloatArray]]

_TINY = 1e-300


class LatentClassFit(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted model of the hidden class of each unit and the reliability of each judge.

    Parameters, class probabilities and log-likelihood all belong to the same iteration.
    """

    method: str
    """The model, and how it was fitted."""
    units: NDArray[Any]
    """The names of the units, in the order of the rows of `posteriors`."""
    judges: tuple[Any, ...]
    """The names of the judges, in the order of `confusion` and `competence`."""
    categories: tuple[Any, ...]
    """The categories, in sorted order."""
    posteriors: NDArray[np.float64]
    """The probability of each class (columns) for each unit (rows)."""
    class_probabilities: tuple[float, ...]
    """The share of each class among the units."""
    confusion: NDArray[np.float64]
    """The probability of a stated category (third axis) given the class (second axis), for each judge (first axis)."""
    competence: tuple[float | None, ...]
    """For each judge the model's one measure of reliability, as `method` defines it; None means "not known"."""
    log_likelihood: float | None
    """The logarithm of the likelihood of the votes, summed over the hidden classes, or of MACE its bound from below;
    None without votes."""
    trace: tuple[float, ...]
    """The log-likelihood, or its bound from below, at each iteration of the run that was kept; it never falls."""
    iterations: int
    """How many E steps that run took."""
    converged: bool
    """Whether it stopped because the log-likelihood no longer rose, and not at the limit."""
    restarts: tuple[float, ...]
    """The log-likelihood that each run ended with: the majority start first, then the random ones."""
    n: dict[str, int]
    """What the fit rests on, counted by name."""
    seed: int | None
    """The seed of the random starts; None if there were none or a generator was passed in."""
    reason: str = ""
    """Why something is not known; empty if nothing is missing."""
    against_majority: int = 0
    """On how many units the most likely class is not the one that most votes name."""

    def most_likely(self) -> list[Any]:
        """Return the most probable class of each unit; None where two are equally probable."""
        if not len(self.units):
            return []
        ordered = np.sort(self.posteriors, axis=1)
        best = self.posteriors.argmax(axis=1).tolist()
        tied = ordered[:, -1] - ordered[:, -2] < 1e-9 if len(self.categories) > 1 else np.zeros(len(best), dtype=bool)
        return [None if tie else self.categories[k] for k, tie in zip(best, tied.tolist(), strict=True)]


class Votes(NamedTuple):
    """Votes of judges on units, numbered, with the sparse matrix and its transpose."""

    units: NDArray[Any]
    """The names of the units."""
    judges: NDArray[Any]
    """The names of the judges."""
    categories: NDArray[Any]
    """The categories that were stated."""
    matrix: csr_array[Any]
    """Units × (judge, stated category), counting votes."""
    transpose: csr_array[Any]
    """The same matrix the other way round."""
    total: int
    """How many votes there are."""
    missing: int
    """How many votes were left out because a part of them is missing."""
    multiplicity: FloatArray | None = None
    """For how many units each row of the matrix stands; None if it is one each. The transpose is weighted by it."""


class Run(NamedTuple):
    """One run of EM: everything as of its last E step."""

    posteriors: FloatArray
    """The probability of each class for each unit."""
    prior: FloatArray
    """The probability of each class."""
    confusion: FloatArray
    """Judge × class × stated category."""
    extra: FloatArray
    """The model's own parameters, one row for each judge."""
    trace: tuple[float, ...]
    """The log-likelihood at each E step."""
    converged: bool
    """Whether the log-likelihood stopped rising."""


def read_votes(units: ArrayLike, judges: ArrayLike, categories: ArrayLike) -> Votes:
    """Read votes, given as three equally long lists; a vote with a missing part is left out and counted."""
    from scipy.sparse import csr_array

    unit_names, unit_codes = encode(units)
    judge_names, judge_codes = encode(judges)
    category_names, category_codes = encode(categories)
    require_same_length("units", unit_codes, "judges", judge_codes)
    require_same_length("units", unit_codes, "categories", category_codes)
    there = (unit_codes >= 0) & (judge_codes >= 0) & (category_codes >= 0)
    missing = int(len(there) - there.sum())
    if missing:
        unit_codes, judge_codes, category_codes = unit_codes[there], judge_codes[there], category_codes[there]
    shape = (len(unit_names), len(judge_names) * len(category_names))
    columns = judge_codes * len(category_names) + category_codes
    matrix = csr_array((np.ones(len(columns)), (unit_codes, columns)), shape=shape)
    return Votes(
        unit_names, judge_names, category_names, matrix, matrix.T.tocsr(), len(columns), missing
    )  # fmt: skip


def maximise(votes: Votes, start: FloatArray, m_step: MStep, *, tolerance: float, max_iterations: int) -> Run:
    """Alternate M and E steps from a start until the log-likelihood rises by at most `tolerance` per vote.

    The bound is the marginal log-likelihood Σᵢ log Σₖ pₖ Π π, which EM never lowers; it is computed in the E step from
    the same parameters that are returned.
    """
    posteriors, extra = start, None
    trace: list[float] = []
    converged = False
    while True:
        counts = expected_counts(votes, posteriors)
        rates, prior, extra = m_step(counts, extra)
        if not len(prior):
            prior = class_shares(votes, posteriors)
        posteriors, log_likelihood = expect(votes, rates, prior)
        trace.append(log_likelihood)
        if len(trace) > 1 and trace[-1] - trace[-2] <= tolerance * votes.total:
            converged = True
        if converged or len(trace) >= max_iterations:
            confusion = np.ascontiguousarray(rates.transpose(0, 2, 1))
            return Run(posteriors, prior, confusion, extra, tuple(trace), converged)


def class_shares(votes: Votes, posteriors: FloatArray) -> FloatArray:
    """Return the share of each class among the units."""
    weights = np.ones(len(posteriors)) if votes.multiplicity is None else votes.multiplicity
    return np.asarray(weights @ posteriors / weights.sum())


def expected_counts(votes: Votes, posteriors: FloatArray) -> FloatArray:
    """Return how often each judge is expected to have stated a category of a class: judge × stated × class."""
    judges, classes = len(votes.judges), len(votes.categories)
    return np.asarray(votes.transpose @ posteriors).reshape(judges, classes, classes)


def expect(votes: Votes, rates: FloatArray, prior: FloatArray) -> tuple[FloatArray, float]:
    """Return the probability of each class for each unit, and the log-likelihood of their votes: the E step.

    `rates` are judge × stated category × class.
    """
    classes = len(prior)
    logs = np.log(np.maximum(rates, _TINY)).reshape(-1, classes)
    evidence = np.asarray(votes.matrix @ logs)
    evidence += np.log(np.maximum(prior, _TINY))
    # Reductions along the few classes, column by column: NumPy is several times slower along a short last axis.
    highest = functools.reduce(np.maximum, evidence.T, np.full(len(evidence), -np.inf))
    evidence -= highest[:, None]
    posteriors = np.exp(evidence, out=evidence)
    sums = posteriors @ np.ones(classes)
    posteriors /= sums[:, None]
    logs = highest + np.log(sums)
    return posteriors, float(logs.sum() if votes.multiplicity is None else votes.multiplicity @ logs)


def fit_latent_class(
    votes: Votes,
    m_step: MStep,
    *,
    tolerance: float,
    max_iterations: int,
    restarts: int,
    seed: int | np.random.Generator,
) -> tuple[Run, tuple[float, ...]]:
    """Run EM from the shares of votes and from random starts; see `keep_likeliest`."""

    def run(patterns: Votes, start: FloatArray) -> Run:
        return maximise(patterns, start, m_step, tolerance=tolerance, max_iterations=max_iterations)

    return keep_likeliest(votes, by_patterns(votes, run), restarts=restarts, seed=seed)


def by_patterns(votes: Votes, fit: Callable[[Votes, FloatArray], Run]) -> Callable[[FloatArray], Run]:
    """Return a fit that works on patterns of votes, and says of each unit what it says of its pattern.

    What a step needs of a start are sums over units, so that units with the same votes can share the start's mean.
    """
    patterns, pattern = collapse(votes)
    if pattern is None:
        return lambda start: fit(votes, start)

    def run(start: FloatArray) -> Run:
        found = fit(patterns, mean_by_pattern(start, pattern, patterns.matrix.shape[0]))
        return found._replace(posteriors=found.posteriors[pattern])

    return run


def keep_likeliest(
    votes: Votes, fit: Callable[[FloatArray], Run], *, restarts: int, seed: int | np.random.Generator
) -> tuple[Run, tuple[float, ...]]:
    """Fit from the shares of votes and from random starts, each with a seed of its own; keep the likeliest run.

    A random start mixes the shares of votes with random ones half and half, so that the classes keep their names. It
    replaces the first run only if it is clearly likelier.
    """
    require_count("restarts", restarts)
    generator = generator_from(seed)
    majority = vote_shares(votes)
    best = fit(majority)
    reached = [best.trace[-1]]
    for child in generator.spawn(restarts):
        start = (majority + child.dirichlet(np.ones(majority.shape[1]), size=len(majority))) / 2
        run = fit(start)
        reached.append(run.trace[-1])
        if run.trace[-1] > best.trace[-1] + 1e-6 * votes.total:
            best = run
    return best, tuple(reached)


def record(
    votes: Votes,
    run: Run,
    reached: tuple[float, ...],
    *,
    method: str,
    competence: FloatArray,
    seed: int | np.random.Generator,
) -> LatentClassFit:
    """Make the public record of a run; where votes tell nothing of judges, their competence is not known."""
    reason = _untold(votes)
    return LatentClassFit(
        method=method,
        units=votes.units,
        judges=tuple(votes.judges.tolist()),
        categories=tuple(votes.categories.tolist()),
        posteriors=run.posteriors,
        class_probabilities=tuple(run.prior.tolist()),
        confusion=run.confusion,
        competence=tuple(None if reason else value for value in competence.tolist()),
        log_likelihood=run.trace[-1],
        trace=run.trace,
        iterations=len(run.trace),
        converged=run.converged,
        restarts=reached,
        n=_sizes(votes),
        seed=seed if isinstance(seed, int) and len(reached) > 1 else None,
        reason=reason,
        against_majority=_against_majority(votes, run.posteriors),
    )


def _untold(votes: Votes) -> str:
    """Say why nothing is known of judges; empty if something is: one judge, or one vote a unit, fits any model."""
    if len(votes.categories) == 1:
        return say("reason.same_votes")
    if len(votes.judges) == 1:
        return say("reason.one_judge_votes")
    judged = (np.asarray(votes.matrix.sum(axis=1)) > 1).any()
    return "" if judged else say("reason.one_vote_each")


def _against_majority(votes: Votes, posteriors: FloatArray) -> int:
    """Count the units whose most likely class is not the one that most votes name, where there is one."""
    shares = vote_shares(votes)
    best = shares.max(axis=1, keepdims=True)
    clear = (shares >= best - 1e-12).sum(axis=1) == 1
    return int((clear & (shares.argmax(axis=1) != posteriors.argmax(axis=1))).sum())


def without_votes(votes: Votes, method: str) -> LatentClassFit:
    """Make the record of a fit to no votes at all."""
    return LatentClassFit(
        method=method, units=votes.units, judges=tuple(votes.judges.tolist()), categories=(),
        posteriors=np.zeros((len(votes.units), 0)), class_probabilities=(),
        confusion=np.zeros((len(votes.judges), 0, 0)), competence=(None,) * len(votes.judges), log_likelihood=None,
        trace=(), iterations=0, converged=False, restarts=(), n=_sizes(votes), seed=None, reason=say("reason.no_votes"),
    )  # fmt: skip


def _sizes(votes: Votes) -> dict[str, int]:
    return {
        "votes": votes.total, "units": len(votes.units), "judges": len(votes.judges),
        "categories": len(votes.categories), "missing": votes.missing,
    }  # fmt: skip


def vote_shares(votes: Votes) -> FloatArray:
    """Return the share of each category among the votes on each unit, from which EM begins."""
    judges, classes = len(votes.judges), len(votes.categories)
    shares = np.asarray(votes.matrix @ np.tile(np.eye(classes), (judges, 1)), dtype=np.float64)
    totals = shares.sum(axis=1, keepdims=True)
    # A unit whose votes are all missing knows nothing of its class.
    return np.where(totals > 0, shares / np.maximum(totals, 1), 1 / classes)
