"""Least squares of an additive model with many samples and few judges and dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from venire.stats.observations import as_floats, encode, require_same_length

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import FloatArray, IntArray

_ROWS_AT_ONCE = 200_000


class Design(NamedTuple):
    """Scores in long form, with samples, judges and dimensions numbered."""

    scores: FloatArray
    """The scores."""
    sample: IntArray
    """The number of the sample of each score."""
    judge: IntArray
    """The number of the judge of each score."""
    dimension: IntArray
    """The number of the dimension of each score."""
    samples: NDArray[Any]
    """The names of the samples."""
    judges: NDArray[Any]
    """The names of the judges."""
    dimensions: NDArray[Any]
    """The names of the dimensions."""
    missing: int
    """How many scores were left out because a part of them is missing."""
    cluster: IntArray | None = None
    """The number of the cluster of each score; None if scores stand for themselves."""


class Solution(NamedTuple):
    """The least-squares solution; variances are in units of the error variance."""

    abilities: FloatArray
    """The effect of each sample, summing to 0."""
    ability_variances: FloatArray
    """The variance of each of them."""
    mean: float
    """The mean over samples."""
    mean_variance: float
    """Its variance."""
    facets: FloatArray
    """The effects of the judges, summing to 0, then those of the dimensions."""
    inverse: FloatArray
    """Their covariance."""
    residuals: FloatArray
    """What each score deviates from the fit."""
    leverages: FloatArray
    """How far each score pulls its own fit."""
    rank: int
    """How many independent effects of judges and dimensions the design determines."""
    judges_determined: bool
    """Whether the design determines how the judges differ, also where it leaves dimensions open."""


def read_design(
    scores: ArrayLike,
    samples: ArrayLike,
    judges: ArrayLike,
    dimensions: ArrayLike | None,
    clusters: ArrayLike | None = None,
) -> Design:
    """Give names numbers; rows with a missing part are left out and counted."""
    values = as_floats(scores).ravel()
    columns = [samples, judges, np.zeros(len(values), dtype=np.intp) if dimensions is None else dimensions]
    coded = [encode(column) for column in columns]
    there = ~np.isnan(values)
    for name, (_, codes) in zip(("samples", "judges", "dimensions"), coded, strict=True):
        require_same_length("scores", values, name, codes)
        there &= codes >= 0
    cluster = None if clusters is None else encode(clusters)[1]
    if cluster is not None:
        require_same_length("scores", values, "clusters", cluster)
        there &= cluster >= 0
    # Names of which no score is left would have an effect that nothing determines.
    (sample_names, sample), (judge_names, judge), (dimension_names, dimension) = (
        _only_present(names, codes[there]) for names, codes in coded
    )
    return Design(
        values[there], sample, judge, dimension, sample_names, judge_names, dimension_names,
        int(len(values) - there.sum()),
        None if cluster is None else np.unique(cluster[there], return_inverse=True)[1],
    )  # fmt: skip


def _only_present(names: NDArray[Any], codes: IntArray) -> tuple[NDArray[Any], IntArray]:
    present = np.bincount(codes, minlength=len(names)) > 0
    return names[present], (np.cumsum(present) - 1)[codes]


def connected_judges(design: Design) -> tuple[tuple[Any, ...], ...]:
    """Return the groups of judges that chains of common samples connect."""
    count = len(design.judges)
    some_judge = np.zeros(len(design.samples), dtype=np.intp)
    some_judge[design.sample] = design.judge
    connected = np.eye(count, dtype=bool)
    connected[design.judge, some_judge[design.sample]] = True
    connected |= connected.T
    groups, left = [], np.ones(count, dtype=bool)
    while left.any():
        group = connected[np.argmax(left)]
        while (wider := connected[group].any(axis=0)).sum() > group.sum():
            group = wider
        left &= ~group
        groups.append(tuple(design.judges[group].tolist()))
    return tuple(groups)


def solve(design: Design) -> Solution:
    """Eliminate the samples, solve the small system of judges and dimensions, and go back.

    The pseudo-inverse picks the solution that is orthogonal to "all judges up" and "all dimensions up": the one
    whose effects sum to 0, with its covariance.
    """
    from scipy.sparse import csr_array

    rows, judges = len(design.scores), len(design.judges)
    facets = judges + len(design.dimensions)
    index = np.column_stack([design.judge, judges + design.dimension])
    # Centred first: sums of raw products would lose digits to a common offset.
    offset = float(design.scores.mean())
    scores = design.scores - offset
    counts = np.bincount(design.sample).astype(np.float64)
    incidence = csr_array(
        (np.ones(2 * rows), (np.repeat(design.sample, 2), index.ravel())), shape=(len(counts), facets)
    )
    shares = csr_array(incidence.multiply(1 / counts[:, None]))
    within = np.zeros((facets, facets))
    together = np.bincount(
        design.judge * len(design.dimensions) + design.dimension, minlength=judges * (facets - judges)
    )
    within[:judges, judges:] = together.reshape(judges, facets - judges)
    within += within.T
    np.fill_diagonal(within, np.bincount(index.ravel(), minlength=facets))
    small = within - (incidence.T @ shares).toarray()
    sample_sums = np.bincount(design.sample, weights=scores)
    facet_sums = np.bincount(index.ravel(), weights=np.repeat(scores, 2), minlength=facets)
    right = facet_sums - shares.T @ sample_sums
    inverse, undetermined = _pseudo_inverse(small)
    effects = inverse @ right
    totals = (sample_sums - incidence @ effects) / counts
    residuals = scores - totals[design.sample] - effects[design.judge] - effects[judges + design.dimension]
    spread = shares @ inverse
    own = np.asarray(shares.multiply(spread).sum(axis=1)).ravel()
    average = np.asarray(shares.mean(axis=0)).ravel()
    crossed = 1 / (counts * len(counts)) + spread @ average
    mean_variance = float((1 / counts).mean() / len(counts) + average @ inverse @ average)
    variances = 1 / counts + own - 2 * crossed + mean_variance
    leverages = np.empty(rows)
    for start in range(0, rows, _ROWS_AT_ONCE):
        stop = start + _ROWS_AT_ONCE
        sample = design.sample[start:stop]
        j, d = design.judge[start:stop], judges + design.dimension[start:stop]
        gone = inverse[j, j] + inverse[d, d] + 2 * inverse[j, d] - 2 * spread[sample, j] - 2 * spread[sample, d]
        leverages[start:stop] = 1 / counts[sample] + gone + own[sample]
    return Solution(
        totals - totals.mean(), np.maximum(variances, 0), float(totals.mean()) + offset, mean_variance, effects,
        inverse, residuals, leverages, facets - undetermined.shape[1], _are_alike(undetermined[:judges]),
    )  # fmt: skip


def _pseudo_inverse(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the inverse, and as columns the directions in which effects can move without any score changing."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-9 * max(float(values[-1]), 1.0)
    inverse: FloatArray = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse, vectors[:, ~kept]


def _are_alike(moves: FloatArray) -> bool:
    """Tell whether all judges move together in every undetermined direction, so that their differences stay fixed."""
    return bool(np.ptp(moves, axis=0).max(initial=0.0) < 1e-6)
