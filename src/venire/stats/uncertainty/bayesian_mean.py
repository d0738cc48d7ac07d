"""Bayesian intervals of a mean or a share from few questions, on a scale whose ends are known.

The prior is half a question at either end of the scale; what was seen counts one for each question. The posterior of
the mean is that of a Dirichlet process (Ferguson 1973, Ann. Statist. 1, 209–230): questions are weighted at random as
in the Bayesian bootstrap (Rubin 1981, Ann. Statist. 9, 130–134), and so are the two ends. Of passes and fails with one
output to a question it is Jeffreys' interval, the quantiles of Beta(½ + passes, ½ + fails), which Brown, Cai & DasGupta
(2001, Statist. Sci. 16, 101–133) recommend for few trials. Outputs to one question share its weight, however alike they
are. Why not the usual interval: Bowyer, Aitchison & Ivanova (2025), Don't use the CLT in LLM evals with fewer than a
few hundred datapoints. Where every output passes, or all have one score, there is an interval too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, generator_from, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

FEW = 100
"""Below so many questions a report uses these intervals if it is asked to; above, the usual ones are as good."""
DRAWS = 10_000
"""How many means are drawn from the posterior."""
RARE = 5
"""Below so many passes, or fails, Jeffreys' interval covers 90 % at times, by simulation (`bench.stats.coverage`)."""
PRIOR = 0.5
"""How many questions the prior puts at either end of the scale."""


def bayesian_mean(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Give the mean with its equal-tailed Bayesian interval; `clusters` names the question of each value.

    `scale` has the lowest and the highest value that there can be. The value is the plain mean, and the interval
    reaches at least to it. Raises `UsageError` for a value that is off the scale.

    >>> found = bayesian_mean([1] * 20)
    >>> round(found.low, 4), found.high
    (0.8834, 1.0)
    """
    require_level(level)
    low, high = _ends(scale)
    given = as_floats(values).ravel()
    codes = np.arange(len(given)) if clusters is None else encode(clusters)[1]
    require_same_length("values", given, "clusters", codes)
    there = ~np.isnan(given) & (codes >= 0)
    array, codes = given[there], codes[there]
    n = {"values": len(array), "missing": len(given) - len(array)}
    method = say("method.bayesian_mean", draws=DRAWS)
    if not len(array):
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    slack = 1e-9 * (high - low)
    strange = array[(array < low - slack) | (array > high + slack)]
    if len(strange):
        raise UsageError("error.stats.off_scale", low=f"{low:g}", high=f"{high:g}", found=f"{strange[0]:g}")
    owner = np.unique(codes, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(owner).astype(np.float64)
    n["clusters"] = len(sizes)
    shares = (array - low) / (high - low)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    drawn: int | None = None
    note = ""
    if len(sizes) == len(array) and np.isin(shares, (0.0, 1.0)).all():
        from scipy.special import betaincinv

        ends = betaincinv(PRIOR + shares.sum(), PRIOR + (1 - shares).sum(), tails)
        method = say("method.jeffreys")
        rarer = int(min(shares.sum(), (1 - shares).sum()))
        note = say("note.rough_rare", found=rarer, least=RARE) if 0 < rarer < RARE else ""
    else:
        drawn = seed
        sums = np.bincount(owner, weights=shares).astype(np.float64)
        ends = np.quantile(_draw(sums, sizes, seed), tails)
    mean = float(array.mean())
    first, last = (low + (high - low) * float(end) for end in ends)
    return Estimate(
        value=mean, low=min(first, mean), high=max(last, mean), level=level, method=method, n=n, seed=drawn,
        note=note,
    )  # fmt: skip


def with_prior(
    usual: Estimate,
    values: ArrayLike,
    clusters: ArrayLike,
    scale: tuple[float, float] | None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return an estimate of a mean with the Bayesian interval in place of the usual one, if its questions are few.

    It stays as it is where the scale is not known, or where nothing was observed.
    """
    if scale is None or usual.value is None or usual.n.get("clusters", FEW) >= FEW:
        return usual
    found = bayesian_mean(values, clusters, scale=scale, level=level, seed=seed)
    return replace(
        usual, low=found.low, high=found.high, level=level, method=found.method, seed=found.seed, reason="",
        note=found.note,
    )  # fmt: skip


def _ends(scale: tuple[float, float]) -> tuple[float, float]:
    ends = [float(end) for end in as_floats(list(scale)).ravel()]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise UsageError("error.stats.scale_ends", found=tuple(f"{end:g}" for end in ends))
    return ends[0], ends[1]


def _draw(sums: FloatArray, sizes: FloatArray, seed: int) -> FloatArray:
    """Draw means from the posterior; a question of the prior is as large as the others are on average."""
    generator = generator_from(seed)
    weights = generator.standard_gamma(1.0, size=(DRAWS, len(sizes)))
    bottom, top = generator.standard_gamma(PRIOR, size=(2, DRAWS)) * sizes.mean()
    drawn: FloatArray = (weights @ sums + top) / (weights @ sizes + bottom + top)
    return drawn
