"""Prediction-powered inference by slices: each slice has a weight λ of its own, as judges err differently in each.

Fisch, Maynez, Hofer, Dhingra, Globerson & Cohen 2024, Stratified prediction-powered inference for hybrid language model
evaluation. Slices count by their share of all outputs, which is taken as given.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.cluster_robust import robust_error
from venire.stats.uncertainty.intervals import NO_VARIATION, require_level
from venire.stats.uncertainty.prediction_powered import moments, power_tuning
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.observations import IntArray

FEWEST_IN_SLICE = 10
"""How many labelled outputs, and how many others, every slice needs."""


class StratifiedMean(NamedTuple):
    """A mean corrected slice by slice."""

    corrected: Estimate
    """The mean that people would give."""
    tuning: dict[object, float]
    """The weight λ of the judge in each slice; empty if the mean is not known."""


def stratified_mean(
    labels: ArrayLike, judged: ArrayLike, slices: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> StratifiedMean:
    """Estimate the mean of people's labels over all outputs, corrected in each slice by itself.

    All lists have an entry for each output; `labels` is missing where nobody labelled it. Not known where a slice has
    fewer than ten labelled outputs or ten others. Each fitted λ costs two degrees of freedom.
    """
    require_level(level)
    given, stated = as_floats(labels).ravel(), as_floats(judged).ravel()
    names, slice_codes = encode(np.asarray(slices, dtype=object).ravel())
    groups = np.arange(len(given)) if clusters is None else encode(np.asarray(clusters, dtype=object).ravel())[1]
    for other in (stated, slice_codes):
        require_same_length("values", given, "values_to_pair_them_with", other)
    require_same_length("values", given, "clusters", groups)
    there = ~np.isnan(stated) & (slice_codes >= 0) & (groups >= 0)
    given, stated, slice_codes, groups = given[there], stated[there], slice_codes[there], groups[there]
    has_label = ~np.isnan(given)
    method = say("method.ppi_stratified")
    n = {"labelled": int(has_label.sum()), "judged only": int((~has_label).sum()), "slices": len(names)}
    counts = [(int((has_label & own).sum()), int((~has_label & own).sum())) for own in _each(slice_codes, len(names))]
    if not counts or min(min(pair) for pair in counts) < FEWEST_IN_SLICE:
        fewest = min((min(pair) for pair in counts), default=0)
        reason = say("reason.few_in_slice", found=fewest, least=FEWEST_IN_SLICE)
        return StratifiedMean(Estimate.unknown(method, reason, n=n), {})
    value, parts, tuning = 0.0, [], {}
    for name, own in zip(names, _each(slice_codes, len(names)), strict=True):
        share = float(own.mean())
        seen, rest = own & has_label, own & ~has_label
        weight = power_tuning(given[seen], stated[seen], moments(stated[rest]))
        rectifier = given[seen] - weight * stated[seen]
        value += share * (float(rectifier.mean()) + weight * float(stated[rest].mean()))
        parts.append((share * rectifier, groups[seen]))
        if weight:
            parts.append((share * weight * stated[rest], groups[rest]))
        tuning[name] = weight
    found = robust_error(parts)
    free = n["labelled"] - len(counts)
    error = found.error * math.sqrt(free / (free - 2 * len(counts)))
    if error <= 1e-12 * max(1.0, abs(value)) or not math.isfinite(error):
        return StratifiedMean(Estimate(value=value, method=method, n=n, reason=NO_VARIATION), tuning)
    margin = t_quantile(level, max(min(found.degrees, free - 2.0 * len(counts)), 1.0)) * error
    return StratifiedMean(
        Estimate(
            value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method,
            n=n | {"clusters": found.clusters},
        ),
        tuning,
    )  # fmt: skip


def _each(codes: IntArray, count: int) -> list[NDArray[np.bool_]]:
    return [codes == number for number in range(count)]
