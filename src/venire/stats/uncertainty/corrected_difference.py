"""The difference of two means that people would give, from few labels and many judges' scores, clustered by question.

Prediction-powered inference (Angelopoulos, Duchi & Zrnic 2023) for a difference: the judges' difference over all
outputs plus the labelled outputs' correction of it. Outputs to one question are summed before squaring, so that
two models that answered the same questions are compared in pairs. Labels drawn with unequal probabilities are weighted
by their inverses (Zrnic & Candès 2024, Active statistical inference).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.cluster_robust import RobustError, combine_clusters
from venire.stats.uncertainty.intervals import NO_VARIATION, require_level
from venire.stats.uncertainty.quantile import t_quantile, t_two_sided
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import FloatArray, IntArray

FEWEST_LABELS = 10
"""How many labelled outputs a side needs; with fewer the interval is marked rough."""

FEWEST_CLUSTERS = 10
"""How many questions with labels an interval needs; with fewer it is marked rough."""


class CorrectedDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference corrected by people's labels, beside what the judges alone and the labels alone would say."""

    corrected: Estimate
    """First minus second, as people would score all outputs."""
    p_value: float | None
    """The two-sided p value of no difference; None if it is not known."""
    naive: Estimate
    """First minus second of the judges' scores; its interval knows nothing of their bias."""
    labels_only: Estimate
    """First minus second of the labels alone."""
    judge_bias: Estimate
    """How much more the judges favour the first side than people do, from the outputs that both scored."""
    tuning: float | None
    """The weight λ of the judges: 1 is plain PPI, 0 leaves them out; None if not known."""
    labelled: tuple[int, int]
    """How many outputs of either side are labelled."""

    @property
    def parts(self) -> bool | None:
        """Whether judges and people part: the judges' bias differs between the sides; None if that is not known."""
        bias = self.judge_bias
        return None if bias.low is None or bias.high is None else not bias.low <= 0 <= bias.high


def corrected_difference(
    labels: ArrayLike,
    judged: ArrayLike,
    is_first: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    tuning: float | None = None,
    level: float = 0.95,
) -> CorrectedDifference:
    """Estimate how much higher people would score the first side, from outputs that judges scored and some people did.

    All lists have an entry for each output; `labels` is missing where nobody labelled it. λ minimises the clustered
    variance and is kept within 0 and 1; errors are CR2 with Satterthwaite's degrees of freedom. Labelled outputs must
    be a random part of all, or `probabilities` must say how likely each was to be chosen. `tuning` sets λ by hand.
    Where all outputs are of the first side, the difference is its mean.
    """
    require_level(level)
    if tuning is not None and not 0 <= tuning <= 1:
        raise UsageError("error.stats.tuning", found=tuning)
    data = _Outputs.read(labels, judged, is_first, clusters, probabilities)
    method = say("method.corrected_difference")
    there = ~np.isnan(data.labels)
    labelled = (int((there & data.first).sum()), int((there & ~data.first).sum()))
    n = {"labelled": sum(labelled), "judged": len(data.labels)}
    naive = data.difference(data.judged, there | True, say("method.judge_difference"), level)
    alone = data.difference(data.labels, there, say("method.labels_difference"), level)
    bias = data.difference(data.judged - data.labels, there, say("method.bias_difference"), level)

    def result(corrected: Estimate, p_value: float | None = None, weight: float | None = None) -> CorrectedDifference:
        return CorrectedDifference(
            corrected=corrected, p_value=p_value, naive=naive, labels_only=alone, judge_bias=bias, tuning=weight,
            labelled=labelled,
        )  # fmt: skip

    fewest = labelled[0] if data.first.all() else min(labelled)
    if fewest < 2:
        return result(Estimate.unknown(method, say("reason.two_labelled_each", found=fewest), n=n))
    groups = len(np.unique(data.codes[there]))
    n["clusters"] = groups
    truth, stated, all_stated = (
        data.strata(values, inside)
        for values, inside in ((data.labels, there), (data.judged, there), (data.judged, there | True))
    )
    pull = stated.sums.sum(axis=0) - all_stated.sums.sum(axis=0)
    square = float(pull @ pull)
    fitted = min(1.0, max(0.0, float(truth.sums.sum(axis=0) @ pull) / square)) if square > 0 else 0.0
    weight = fitted if tuning is None else tuning
    value = truth.value + weight * (all_stated.value - stated.value)
    error = _error(data, there, weight, groups)
    if not math.isfinite(error.error):
        return result(Estimate(value=value, method=method, n=n, reason=say("reason.one_cluster_side")), None, weight)
    if error.error <= 1e-12 * max(1.0, abs(value)):
        return result(Estimate(value=value, method=method, n=n, reason=NO_VARIATION), None, weight)
    margin = t_quantile(level, error.degrees) * error.error
    corrected = Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error.error, method=method,
        n=n, note=_rough(fewest, groups),
    )  # fmt: skip
    return result(corrected, t_two_sided(value / error.error, error.degrees), weight)


class _Strata(NamedTuple):
    """The signed means of both sides: their sum, and what each cluster adds to either."""

    value: float
    sums: FloatArray
    sizes: FloatArray
    spread: FloatArray


class _Outputs(NamedTuple):
    """Outputs that judges scored, with the label where there is one, the side, the cluster and the weight of each."""

    labels: FloatArray
    judged: FloatArray
    first: NDArray[np.bool_]
    codes: IntArray
    weights: FloatArray

    @classmethod
    def read(
        cls, labels: ArrayLike, judged: ArrayLike, is_first: ArrayLike, clusters: ArrayLike | None,
        probabilities: ArrayLike | None,
    ) -> _Outputs:  # fmt: skip
        given, stated = as_floats(labels).ravel(), as_floats(judged).ravel()
        first = np.asarray(is_first).ravel()
        require_same_length("values", given, "values_to_pair_them_with", stated)
        require_same_length("values", given, "values_to_pair_them_with", first)
        if first.dtype != np.bool_:
            raise UsageError("error.stats.sides", found=str(first.dtype))
        codes = np.arange(len(given)) if clusters is None else encode(np.asarray(clusters, dtype=object).ravel())[1]
        require_same_length("values", given, "clusters", codes)
        weights = np.ones(len(given))
        if probabilities is not None:
            chances = as_floats(probabilities).ravel()
            require_same_length("values", given, "values_to_pair_them_with", chances)
            wrong = ~np.isnan(given) & ~((chances > 0) & (chances <= 1))
            if wrong.any():
                raise UsageError("error.stats.sampling_probability", found=f"{chances[wrong][0]:g}")
            weights = 1 / np.where(np.isnan(given), 1.0, chances)
        there = ~np.isnan(stated) & (codes >= 0)
        return cls(given[there], stated[there], first[there], codes[there], weights[there])

    def strata(self, values: FloatArray, inside: NDArray[np.bool_]) -> _Strata:
        """Return what each cluster adds to the mean of the first side, and less to that of the second."""
        bound = 1 + int(self.codes.max(initial=-1))
        sums, sizes, spread = np.zeros((2, bound)), np.zeros((2, bound)), np.zeros(2)
        value = 0.0
        for place, (side, sign) in enumerate(((self.first, 1.0), (~self.first, -1.0))):
            own = inside & side
            weights = self.weights[own] if not inside.all() else np.ones(int(own.sum()))
            total = weights.sum()
            if not total:
                continue
            mean = float(weights @ values[own] / total)
            apart = values[own] - mean
            value += sign * mean
            sums[place] = sign * np.bincount(self.codes[own], weights=weights * apart, minlength=bound) / total
            sizes[place] = np.bincount(self.codes[own], weights=weights, minlength=bound) * len(apart) / total
            spread[place] = float(weights @ apart**2 / total)
        there = sizes.any(axis=1)
        return _Strata(value, sums[there], sizes[there], spread[there])

    def difference(self, values: FloatArray, inside: NDArray[np.bool_], method: str, level: float) -> Estimate:
        """Return the difference of the two sides' means with an error clustered over both together."""
        counts = [int((inside & side).sum()) for side in (self.first, ~self.first)]
        n = {"first": counts[0], "second": counts[1]}
        if counts[0] < 1 or (counts[1] < 1 and not self.first.all()):
            return Estimate.unknown(method, say("reason.no_observations"), n=n)
        found = self.strata(values, inside)
        used = found.sizes.any(axis=0)
        error = combine_clusters(found.sums[:, used], found.sizes[:, used], found.spread, "CR2")
        if not math.isfinite(error.error):
            return Estimate(value=found.value, method=method, n=n, reason=say("reason.one_cluster_side"))
        if error.error <= 1e-12 * max(1.0, abs(found.value)):
            return Estimate(value=found.value, method=method, n=n, reason=NO_VARIATION)
        margin = t_quantile(level, error.degrees) * error.error
        return Estimate(
            value=found.value, low=found.value - margin, high=found.value + margin, level=level,
            standard_error=error.error, method=method, n=n | {"clusters": error.clusters},
        )  # fmt: skip


def _error(data: _Outputs, there: NDArray[np.bool_], tuning: float, groups: int) -> RobustError:
    """Return the error of the corrected difference; a tuned weight costs two degrees of freedom.

    It is fitted, and fitted to make this very error small; by simulation one is not enough (`bench.stats.corrected`).
    """
    corrected = data.strata(data.labels - tuning * data.judged, there)
    parts = [corrected]
    if tuning and not there.all():
        parts.append(data.strata(tuning * data.judged, there | True))
    sums, sizes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("sums", "sizes"))
    used = sizes.any(axis=0)
    found = combine_clusters(
        sums[:, used], sizes[:, used], np.concatenate([part.spread for part in parts]), "CR2"
    )  # fmt: skip
    spent = (groups - 1) / (groups - 3) if tuning and groups > 3 else 1.0
    degrees = min(found.degrees, groups - 3.0) if tuning else found.degrees
    return RobustError(found.error * math.sqrt(spent), max(degrees, 1.0), found.clusters)


def _rough(fewest: int, groups: int) -> str:
    if fewest < FEWEST_LABELS:
        return say("note.rough_labelled", found=fewest, least=FEWEST_LABELS)
    return say("note.rough_clusters_labelled", found=groups, least=FEWEST_CLUSTERS) if groups < FEWEST_CLUSTERS else ""
