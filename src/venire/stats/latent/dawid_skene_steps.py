"""Dawid & Skene (1979) over shards: the E step where the votes are, the M step from sums that add up.

A step needs only the error rates of all judges and the shares of the classes, and returns only expected counts; votes
and class probabilities stay where they are. Each unit must be whole in its shard, as its class follows from all votes
on it. The result is that of `dawid_skene` without random starts for all votes together; random starts are not offered,
as they would have to be drawn for all units at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.fingerprints import fingerprints, merge_disjoint
from venire.stats.latent.dawid_skene import error_rates
from venire.stats.latent.latent_class import Votes, expect, read_votes, vote_shares
from venire.stats.observations import as_floats, require_count, require_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import FloatArray


_NEAR = 1e-6
"""How far probabilities may be from adding up to 1."""


class ErrorRates(msgspec.Struct, frozen=True, eq=False):
    """The parameters of the model."""

    rates: FloatArray
    """Judge × stated category × class: how probable it is that the judge states it."""
    prior: FloatArray
    """The share of each class among the units."""


class ExpectedCounts(msgspec.Struct, frozen=True, eq=False):
    """What a step over a shard leaves: sums over its units."""

    counts: FloatArray
    """Judge × stated category × class: how many such votes are expected."""
    classes: FloatArray
    """How many units of each class are expected."""
    log_likelihood: float
    """The logarithm of the likelihood of the votes under the parameters of the step; 0 for the first."""
    votes: int
    """How many votes there are."""
    missing: int
    """How many votes were left out because a part of them is missing."""
    units: NDArray[np.uint64]
    """The fingerprints of the units in the first step, by which shards that share one are noticed; empty afterwards."""

    def plus(self, other: ExpectedCounts) -> ExpectedCounts:
        """Return the sums of both shards. Raises `UsageError` if they share a unit."""
        return ExpectedCounts(
            self.counts + other.counts,
            self.classes + other.classes,
            self.log_likelihood + other.log_likelihood,
            self.votes + other.votes,
            self.missing + other.missing,
            merge_disjoint(self.units, other.units),
        )

    def maximised(self) -> ErrorRates:
        """Return the parameters that make these counts most likely: the M step."""
        rates, _, _ = error_rates(self.counts, None)
        return ErrorRates(rates, self.classes / self.classes.sum())


class DawidSkeneFit(msgspec.Struct, frozen=True, kw_only=True):
    """The fitted model; class probabilities of units are those that `class_probabilities` gives for a shard."""

    judges: tuple[Any, ...]
    """The names of the judges."""
    categories: tuple[Any, ...]
    """The categories."""
    parameters: ErrorRates
    """The parameters as of the last step."""
    competence: tuple[float, ...]
    """For each judge the probability of a correct vote."""
    trace: tuple[float, ...]
    """The log-likelihood at each step; it never falls."""
    converged: bool
    """Whether the log-likelihood stopped rising."""
    n: dict[str, int]
    """What the fit rests on, counted by name."""


def shard_votes(
    units: ArrayLike, judges: ArrayLike, categories: ArrayLike, *, known_judges: Sequence[Any], scale: Sequence[Any]
) -> Votes:
    """Return the votes of a shard, numbered by all judges and all categories, which every shard must name alike.

    Raises `UsageError` for a judge or a category that is not among them.
    """
    from scipy.sparse import csr_array

    own = read_votes(units, judges, categories)
    judge_places = _places(own.judges.tolist(), known_judges, "judges")
    category_places = _places(own.categories.tolist(), scale, "categories")
    width = len(own.categories)
    cells = own.matrix.tocoo()
    judge, category = np.divmod(cells.col, max(width, 1))
    columns = judge_places[judge] * len(scale) + category_places[category]
    shape = (len(own.units), len(known_judges) * len(scale))
    matrix = csr_array((cells.data, (cells.row, columns)), shape=shape)
    names = np.empty(len(known_judges), dtype=object), np.empty(len(scale), dtype=object)
    names[0][:], names[1][:] = list(known_judges), list(scale)
    return Votes(own.units, *names, matrix, matrix.T.tocsr(), own.total, own.missing)


def expected_counts(votes: Votes, parameters: ErrorRates | None) -> ExpectedCounts:
    """Return the sums of a shard under the parameters; None is the first step, in which shares of votes decide."""
    judges, classes = len(votes.judges), len(votes.categories)
    if parameters is None:
        posteriors, log_likelihood = vote_shares(votes), 0.0
        units = np.sort(fingerprints(votes.units.tolist()))
    else:
        _require_shares(parameters, judges, classes)
        posteriors, log_likelihood = expect(votes, parameters.rates, parameters.prior)
        units = np.zeros(0, dtype=np.uint64)
    counts = np.asarray(votes.transpose @ posteriors).reshape(judges, classes, classes)
    return ExpectedCounts(counts, posteriors.sum(axis=0), log_likelihood, votes.total, votes.missing, units)


def class_probabilities(votes: Votes, parameters: ErrorRates) -> FloatArray:
    """Return the probability of each class for each unit of a shard."""
    _require_shares(parameters, len(votes.judges), len(votes.categories))
    return expect(votes, parameters.rates, parameters.prior)[0]


def fit_in_steps(
    step: Callable[[ErrorRates | None], ExpectedCounts],
    *,
    judges: Sequence[Any],
    categories: Sequence[Any],
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
) -> DawidSkeneFit:
    """Fit the model; `step` runs `expected_counts` over all shards and adds up what they return.

    EM stops when the log-likelihood rises by at most `tolerance` per vote. Raises `UsageError` without votes.
    """
    require_count("max_iterations", max_iterations, 1)
    require_finite("tolerance", tolerance)
    sums = step(None)
    if not sums.votes:
        raise UsageError("error.stats.no_votes")
    n = {"votes": sums.votes, "units": len(sums.units), "judges": len(judges), "categories": len(categories)}
    n["missing"] = sums.missing
    trace: list[float] = []
    while True:
        _require_counts(sums, len(judges), len(categories))
        parameters = sums.maximised()
        sums = step(parameters)
        require_finite("log_likelihood", sums.log_likelihood)
        trace.append(sums.log_likelihood)
        converged = len(trace) > 1 and trace[-1] - trace[-2] <= tolerance * sums.votes
        if converged or len(trace) >= max_iterations:
            break
    return DawidSkeneFit(
        judges=tuple(judges),
        categories=tuple(categories),
        parameters=parameters,
        competence=tuple(np.einsum("k,jkk->j", parameters.prior, parameters.rates).tolist()),
        trace=tuple(trace),
        converged=converged,
        n=n,
    )


def _require_shares(parameters: ErrorRates, judges: int, classes: int) -> None:
    """Raise `UsageError` unless rates and shares are of so many judges and classes, and each adds up to 1."""
    rates, prior = as_floats(parameters.rates), as_floats(parameters.prior)
    if rates.shape == (judges, classes, classes) and prior.shape == (classes,):
        sums = np.append(rates.sum(axis=1).ravel(), prior.sum())
        if min(rates.min(initial=0.0), prior.min(initial=0.0)) >= 0 and (np.abs(sums - 1) < _NEAR).all():
            return
    raise UsageError("error.stats.error_rates", judges=judges, classes=classes)


def _require_counts(sums: ExpectedCounts, judges: int, classes: int) -> None:
    """Raise `UsageError` unless what a step returned are counts of so many judges and classes."""
    for found, shape in ((sums.counts, (judges, classes, classes)), (sums.classes, (classes,))):
        counts = as_floats(found)
        if counts.shape != shape or not (counts >= 0).all():
            raise UsageError("error.stats.expected_counts", judges=judges, classes=classes)


def _places(own: Sequence[Any], known: Sequence[Any], what: str) -> NDArray[np.int64]:
    places = {name: place for place, name in enumerate(known)}
    unknown = [name for name in own if name not in places]
    if unknown:
        raise UsageError(f"error.stats.unknown_{what}", found=unknown[0])
    return np.array([places[name] for name in own], dtype=np.int64)
