"""Two models, variants or runs on the same samples: paired t, Wilcoxon, permutation and McNemar.

Differences are always first minus second. A pair of which one side is missing is left out and counted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.observations import (
    as_floats,
    encode,
    generator_from,
    observed_pairs,
    paired_differences,
    require_count,
)
from venire.stats.result import Estimate
from venire.stats.uncertainty.bayesian_mean import with_prior
from venire.stats.uncertainty.clustered import clustered_mean, mean_and_error
from venire.stats.uncertainty.intervals import require_level, t_interval
from venire.stats.uncertainty.quantile import normal_quantile, normal_two_sided, t_two_sided
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import FloatArray

_EXACT_FLIPS = 16
_EXACT_RANKS = 100
_EXACT_STEPS = 10**7
_DRAWS_AT_ONCE = 4_000_000


class PairedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one paired test."""

    difference: Estimate
    """The mean difference (for McNemar: of the two shares), with its interval."""
    statistic: float | None
    """The test's statistic; None if the test cannot be done."""
    p_value: float | None
    """The two-sided p value; None means "not known", and then `reason` says why."""
    method: str
    """The test and its variant."""
    n: dict[str, int] = {}
    """What the test rests on, counted by name."""
    seed: int | None = None
    """The seed of the random numbers; None if none were drawn or a generator was passed in."""
    reason: str = ""
    """Why there is no p value; empty if there is one."""


def paired_t(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> PairedTest:
    """Test whether the mean difference is 0 by Student's paired t test; clustered if the pairs share questions."""
    differences = paired_differences(first, second)
    if clusters is None:
        estimate = t_interval(differences, level=level)
        degrees = estimate.n["values"] - 1.0
        method = say("method.paired_t")
    else:
        estimate, error = mean_and_error(differences, clusters, level=level)
        degrees = error.degrees if error else 0.0
        method = say("method.paired_t_clustered")
    if estimate.value is None or not estimate.standard_error:
        return PairedTest(
            difference=estimate, statistic=None, p_value=None, method=method, n=estimate.n, reason=estimate.reason
        )
    t = estimate.value / estimate.standard_error
    return PairedTest(difference=estimate, statistic=t, p_value=t_two_sided(t, degrees), method=method, n=estimate.n)


def difference_with_prior(
    test: PairedTest,
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike,
    scale: tuple[float, float],
    *,
    level: float = 0.95,
) -> PairedTest:
    """Return a test of pairs whose difference has the interval of `bayesian_mean`, if its questions are few.

    `scale` is that of either score. The p value stays that of the test.
    """
    width = scale[1] - scale[0]
    estimate = with_prior(
        test.difference, paired_differences(first, second), clusters, (-width, width), level=level
    )  # fmt: skip
    return replace(test, difference=estimate)


def wilcoxon_signed_rank(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> PairedTest:
    """Test symmetry of the differences around 0 by Wilcoxon's signed ranks; the statistic is the sum of positive ranks.

    Zero differences are dropped (Wilcoxon 1945) and ties share their mean rank. Up to 100 differences the p value is
    exact, given the ties; above, it is normal with the variance corrected for ties and a continuity correction. With
    clusters, the signed ranks of a cluster flip together (Rosner, Glynn & Lee 2006, Biometrics 62, 185–192): exact
    up to 16 clusters, normal above.
    """
    differences = paired_differences(first, second)
    if clusters is not None:
        return _clustered_ranks(differences, clusters, level)
    estimate = t_interval(differences, level=level)
    ranks, signs = signed_ranks(differences)
    n = {**estimate.n, "zeros": estimate.n["values"] - len(ranks)}
    if not len(ranks):
        reason = say("reason.no_pairs") if not estimate.n["values"] else say("reason.all_zero")
        return PairedTest(
            difference=estimate, statistic=None, p_value=None, method=say("method.wilcoxon"), n=n, reason=reason
        )
    positive = float(ranks[signs > 0].sum())
    if len(ranks) <= _EXACT_RANKS:
        method, p_value = say("method.wilcoxon_exact"), exact_two_sided(ranks, positive)
    else:
        method = say("method.wilcoxon_normal")
        deviation = max(0.0, abs(positive - float(ranks.sum()) / 2) - 0.5)
        p_value = normal_two_sided(deviation / (math.sqrt(float(ranks @ ranks)) / 2))
    return PairedTest(difference=estimate, statistic=positive, p_value=p_value, method=method, n=n)


def _clustered_ranks(differences: FloatArray, clusters: ArrayLike, level: float) -> PairedTest:
    estimate, codes = clustered_mean(differences, clusters, level=level), encode(clusters)[1]
    kept = ~np.isnan(differences) & (codes >= 0) & (differences != 0)
    n, method = {**estimate.n, "zeros": estimate.n["values"] - int(kept.sum())}, say("method.wilcoxon_clustered")
    if not kept.any():
        reason = say("reason.no_pairs") if not estimate.n["values"] else say("reason.all_zero")
        return PairedTest(difference=estimate, statistic=None, p_value=None, method=method, n=n, reason=reason)
    ranks, signs = signed_ranks(differences[kept])
    sums = np.bincount(np.unique(codes[kept], return_inverse=True)[1], weights=ranks * signs)
    statistic, sizes = float(sums.sum()), np.abs(sums)
    if len(sums) <= _EXACT_FLIPS:
        p_value = float((np.abs(_all_flips(sizes)) >= abs(statistic) - 1e-9 * float(sizes.sum())).mean())
    else:
        p_value = normal_two_sided(statistic / math.sqrt(float(sums @ sums)))
    return PairedTest(difference=estimate, statistic=statistic, p_value=p_value, method=method, n=n)


def permutation_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    seed: int | np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = 9999,
    level: float = 0.95,
) -> PairedTest:
    """Test whether first and second are exchangeable by flipping the signs of the differences (Fisher 1935).

    With clusters, all differences of a cluster flip together. Up to 16 units all flips are enumerated; above, the
    p value of B random flips is (b + 1)/(B + 1), which is never 0 (Phipson & Smyth 2010).
    """
    differences = paired_differences(first, second)
    estimate = t_interval(differences, level=level) if clusters is None else clustered_mean(
        differences, clusters, level=level
    )  # fmt: skip
    units = differences[~np.isnan(differences)]
    if clusters is not None:
        codes = encode(clusters)[1]
        there = ~np.isnan(differences) & (codes >= 0)
        units = np.bincount(codes[there], weights=differences[there]).astype(np.float64)
    by = "" if clusters is None else "_by_cluster"
    if not len(units):
        return PairedTest(
            difference=estimate, statistic=None, p_value=None, method=say("method.permutation"), n=estimate.n,
            reason=say("reason.no_pairs"),
        )  # fmt: skip
    sizes = np.abs(units[units != 0])
    observed = abs(float(units.sum())) - 1e-9 * float(sizes.sum())
    if len(sizes) <= _EXACT_FLIPS:
        sums = _all_flips(sizes)
        return PairedTest(
            difference=estimate, statistic=estimate.value, p_value=float((np.abs(sums) >= observed).mean()),
            method=say(f"method.permutation_exact{by}"), n=estimate.n,
        )  # fmt: skip
    beyond = _random_flips(sizes, observed, generator_from(seed), resamples)
    return PairedTest(
        difference=estimate, statistic=estimate.value, p_value=(beyond + 1) / (resamples + 1),
        method=say(f"method.permutation_random{by}", resamples=resamples), n=estimate.n,
        seed=seed if isinstance(seed, int) else None,
    )  # fmt: skip


def mcnemar_exact(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> PairedTest:
    """Compare two paired shares of successes (1 against 0) by the exact binomial test on the discordant pairs.

    The difference of shares has the interval of Agresti & Min (2005), which adds half a pair to each of the four cells
    and keeps its coverage for few pairs; its standard error is the plain one. With `clusters`, all pairs of a cluster
    swap their sides together, the statistic is by how many successes `first` is ahead where it is, and the difference
    has a clustered error; with a pair to each cluster the p value is the same.
    """
    if clusters is not None:
        return _clustered_shares(first, second, clusters, level)
    one, two = observed_pairs(first, second)
    _require_binary(one, two)
    missing = as_floats(first).size - len(one)
    gained, lost = int(((one == 1) & (two == 0)).sum()), int(((one == 0) & (two == 1)).sum())
    n = {"pairs": len(one), "first only": gained, "second only": lost, "missing": missing}
    method = say("method.mcnemar")
    difference = risk_difference(gained, lost, len(one), level=level)
    if not len(one):
        return PairedTest(
            difference=difference, statistic=None, p_value=None, method=method, n=n, reason=say("reason.no_pairs")
        )
    from scipy.special import bdtr

    discordant = gained + lost
    p_value = min(1.0, 2 * float(bdtr(min(gained, lost), discordant, 0.5))) if discordant else 1.0
    return PairedTest(difference=difference, statistic=float(gained), p_value=p_value, method=method, n=n)


def _clustered_shares(first: ArrayLike, second: ArrayLike, clusters: ArrayLike, level: float) -> PairedTest:
    one, two, codes = as_floats(first).ravel(), as_floats(second).ravel(), encode(clusters)[1]
    differences = paired_differences(one, two)
    estimate = clustered_mean(differences, clusters, level=level)
    there = ~np.isnan(differences) & (codes >= 0)
    _require_binary(one[there], two[there])
    gained, lost = int((differences[there] > 0).sum()), int((differences[there] < 0).sum())
    pairs = int(there.sum())
    n = {
        "pairs": pairs, "first only": gained, "second only": lost, "clusters": estimate.n["clusters"],
        "missing": len(one) - pairs,
    }  # fmt: skip
    if estimate.low is not None and estimate.high is not None:
        estimate = replace(estimate, low=max(-1.0, estimate.low), high=min(1.0, estimate.high))
    method = say("method.mcnemar_clustered")
    if not pairs:
        return PairedTest(
            difference=estimate, statistic=None, p_value=None, method=method, n=n, reason=say("reason.no_pairs")
        )
    ahead = np.bincount(codes[there], weights=differences[there])
    ahead = ahead[ahead != 0]
    sizes, positive = np.abs(ahead), float(ahead[ahead > 0].sum())
    if len(sizes) * float(sizes.sum()) <= _EXACT_STEPS:
        p_value = exact_two_sided(sizes, positive)
    else:
        method, p_value = (
            say("method.mcnemar_clustered_normal"), normal_two_sided(float(ahead.sum()) / math.sqrt(ahead @ ahead))
        )  # fmt: skip
    return PairedTest(difference=estimate, statistic=positive, p_value=p_value, method=method, n=n)


def risk_difference(first_only: int, second_only: int, pairs: int, *, level: float = 0.95) -> Estimate:
    """Give the difference of two paired shares from the discordant counts, with Agresti & Min's interval."""
    require_level(level)
    for name, count in (("first_only", first_only), ("second_only", second_only), ("pairs", pairs)):
        require_count(name, count)
    if first_only + second_only > pairs:
        raise UsageError("error.stats.discordant", found=first_only + second_only, pairs=pairs)
    method = say("method.risk_difference")
    n = {"pairs": pairs, "first only": first_only, "second only": second_only}
    if pairs < 1:
        return Estimate.unknown(method, say("reason.no_pairs"), n=n)
    value = (first_only - second_only) / pairs
    error = math.sqrt(max(0.0, first_only + second_only - pairs * value**2)) / pairs
    if pairs == 1:
        return Estimate(value=value, method=method, n=n, reason=say("reason.one_pair"))
    centre = (first_only - second_only) / (pairs + 2)
    spread = math.sqrt(first_only + second_only + 1 - (pairs + 2) * centre**2) / (pairs + 2)
    margin = normal_quantile(level) * spread
    return Estimate(
        value=value, low=max(-1.0, min(centre - margin, value)), high=min(1.0, max(centre + margin, value)),
        level=level, standard_error=error, method=method, n=n,
    )  # fmt: skip


def _require_binary(*arrays: NDArray[Any]) -> None:
    for array in arrays:
        if not np.isin(array, (0.0, 1.0)).all():
            raise UsageError("error.stats.not_binary")


def _all_flips(sizes: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _random_flips(sizes: FloatArray, observed: float, generator: np.random.Generator, resamples: int) -> int:
    # Equal sizes flip together as one binomial count, so that differences on a short scale cost next to nothing.
    distinct, counts = np.unique(sizes, return_counts=True)
    beyond = 0
    at_once = max(1, _DRAWS_AT_ONCE // len(distinct))
    for start in range(0, resamples, at_once):
        size = (min(at_once, resamples - start), len(distinct))
        if len(distinct) == len(sizes):
            heads = generator.integers(0, 2, size=size, dtype=np.int8).astype(np.float64)
        else:
            heads = generator.binomial(counts, 0.5, size=size).astype(np.float64)
        sums = 2 * (heads @ distinct) - float(sizes.sum())
        beyond += int((np.abs(sums) >= observed).sum())
    return beyond


def signed_ranks(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ranks and signs of all differences that are there and not 0; ties share their mean rank."""
    there = differences[~np.isnan(differences) & (differences != 0)]
    _, inverse, counts = np.unique(np.abs(there), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = last - (counts - 1) / 2
    return mean_ranks[inverse].astype(np.float64), np.sign(there)


def exact_two_sided(ranks: FloatArray, positive_sum: float) -> float:
    """Return the exact two-sided p value of a sum of positive ranks when every sign is a fair coin.

    Mean ranks of ties are halves, so the ranks are doubled and the number of sign patterns for each sum is counted by
    adding one rank after another.
    """
    doubled = np.rint(2 * ranks).astype(np.intp)
    total = int(doubled.sum())
    probabilities = np.zeros(total + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(probabilities)
        shifted[rank:] = probabilities[: total + 1 - rank]
        probabilities = (probabilities + shifted) / 2
    reached = round(2 * positive_sum)
    tail = min(float(probabilities[: reached + 1].sum()), float(probabilities[reached:].sum()))
    return min(1.0, 2 * tail)
