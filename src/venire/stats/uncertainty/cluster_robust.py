"""The error of a sum of means whose values come in clusters: CR0, CR1 and CR2 with Satterthwaite's degrees of freedom.

Bell & McCaffrey 2002, Bias reduction in standard errors for linear regression with multi-stage samples, Survey
Methodology 28, 169–181; Pustejovsky & Tipton 2018, Small-sample methods for cluster-robust variance estimation, JBES
36, 672–683. For one mean this is their CR2 exactly. For a sum of means over strata (both sides of a difference,
labelled and unlabelled outputs) the working model has a variance of its own in each stratum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray, IntArray

Correction = Literal["CR2", "CR1", "CR0"]
"""CR0 has no small-sample factor, CR1 has G/(G−1), CR2 is unbiased where values do not depend on one another."""


class RobustError(NamedTuple):
    """A standard error with its degrees of freedom."""

    error: float
    """The standard error; infinite if all values of a stratum are in one cluster."""
    degrees: float
    """The degrees of freedom of Student's t for it."""
    clusters: int
    """How many clusters there are."""


def require_correction(kind: str) -> None:
    """Raise `UsageError` for a correction that is not known."""
    if kind not in get_args(Correction):
        raise UsageError("error.stats.correction", known=get_args(Correction), found=kind)


def robust_error(parts: list[tuple[FloatArray, IntArray]], *, kind: Correction = "CR2") -> RobustError:
    """Return the error of the sum of the means of several strata, each given as its values and their clusters.

    One value may stand in several strata, such as an output that is both judged and labelled: what it adds to either
    mean is summed in its cluster.
    """
    bound = 1 + max(int(codes.max(initial=-1)) for _, codes in parts)
    sums, sizes = np.zeros((len(parts), bound)), np.zeros((len(parts), bound))
    spread = np.zeros(len(parts))
    for place, (values, codes) in enumerate(parts):
        apart = values - values.mean()
        sums[place] = np.bincount(codes, weights=apart, minlength=bound) / len(values)
        sizes[place] = np.bincount(codes, minlength=bound)
        spread[place] = float(apart @ apart) / max(len(values) - 1, 1)
    used = sizes.any(axis=0)
    return combine_clusters(sums[:, used], sizes[:, used], spread, kind)


def combine_clusters(sums: FloatArray, sizes: FloatArray, spread: FloatArray, kind: Correction) -> RobustError:
    """Return the error from strata × clusters: sums of deviations over the stratum's size, and numbers of values.

    `spread` is the variance of the values in each stratum, by which the working model weighs them.
    """
    of_cluster = sums.sum(axis=0)
    clusters = len(of_cluster)
    if kind != "CR2":
        factor = clusters / (clusters - 1) if kind == "CR1" and clusters > 1 else 1.0
        return RobustError(math.sqrt(factor * float(of_cluster @ of_cluster)), clusters - 1, clusters)
    total = sizes.sum(axis=1, keepdims=True)
    shares = sizes / total
    weight = (spread if spread.any() else np.ones(len(spread)))[:, None] / total
    expected = (weight * shares).sum(axis=0)
    reduced = (weight * shares * (1 - shares)).sum(axis=0)
    there = expected > 0
    if (reduced[there] <= 1e-12 * expected[there]).any():
        return RobustError(math.inf, 0.0, clusters)
    factor_2 = np.ones(clusters)
    np.divide(expected, reduced, out=factor_2, where=there)
    scaled = np.sqrt(factor_2 * weight) * shares
    own = (scaled**2).sum(axis=0)
    shared = scaled @ scaled.T
    trace = float(expected.sum())
    square = float(expected @ expected) + float((shared**2).sum()) - float(own @ own)
    error = math.sqrt(float(factor_2 @ of_cluster**2))
    return RobustError(error, trace * trace / square if square > 0 else clusters - 1.0, clusters)
