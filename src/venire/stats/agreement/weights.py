"""How much credit two ratings get that are not equal: 1 for equal ones, less the further they lie apart."""

from __future__ import annotations

from typing import Literal

import numpy as np

from venire.errors import UsageError
from venire.stats.ratings.source import Array
from venire.words.said import say

WeightKind = Literal["identity", "linear", "quadratic", "ordinal"]
"""`identity` credits equal ratings only, `linear` and `quadratic` by distance, `ordinal` by ranks between."""

WEIGHT_KINDS = ("identity", "linear", "quadratic", "ordinal")
"""The weights that are known by name."""


def agreement_weights(categories: Array, weights: object = "identity") -> Array:
    """Return categories × categories of agreement weights from 0 to 1, by name or as given.

    Linear weights are 1 − |a − b| / range and quadratic ones 1 − (a − b)² / range² (Cicchetti & Allison 1971; Fleiss &
    Cohen 1973). Ordinal weights are 1 − C(|i − j| + 1, 2) / C(q, 2) of the ranks i and j among q categories (Gwet 2014,
    Handbook of Inter-Rater Reliability, §3.5). Given weights need ones on the diagonal and nothing above 1.

    >>> agreement_weights(np.array([1.0, 2.0, 3.0]), "quadratic").tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]]
    """
    count = len(categories)
    if not isinstance(weights, str):
        return _given(weights, count)
    if _known(weights) == "identity" or count < 2:
        return np.eye(count)
    if weights == "ordinal":
        steps = np.abs(np.arange(count)[:, None] - np.arange(count))
        return np.asarray(1 - steps * (steps + 1) / (count * (count - 1)))
    # Halves keep the range of very large values finite.
    distance = np.abs(categories[:, None] / 2 - categories / 2) / (categories[-1] / 2 - categories[0] / 2)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))


def needed_metric(weights: object) -> Literal["nominal", "ordinal", "interval"]:
    """Return what ratings must be for weights to make sense: labels have no distances."""
    if weights in {"linear", "quadratic"} if isinstance(weights, str) else False:
        return "interval"
    return "nominal" if isinstance(weights, str) and weights == "identity" else "ordinal"


def weights_name(weights: object) -> str:
    """Return how a method names its weights."""
    return say(f"method.weights.{_known(weights) if isinstance(weights, str) else 'given'}")


def _known(weights: str) -> str:
    if weights not in WEIGHT_KINDS:
        raise UsageError("error.stats.weight_kind", known=WEIGHT_KINDS, found=weights)
    return weights


def _given(weights: object, count: int) -> Array:
    try:
        table = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("error.stats.weight_table", found=repr(weights)) from None
    if table.shape != (count, count):
        raise UsageError("error.stats.weight_shape", count=count, shape=str(table.shape))
    if not (np.diag(table) == 1).all() or not (table <= 1).all():
        raise UsageError("error.stats.weight_values")
    return table
