"""Weights of judges learnt from their reliability, as a record that a weights file can hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import (
    LARGEST,
    as_floats,
    require_count,
    require_finite,
    require_same_length,
    scores_by_judge,
)
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike


class JudgeError(msgspec.Struct, frozen=True):
    """How far a judge's scores scatter around what they should be."""

    variance: float | None
    """The variance of the errors, the judge's constant bias aside; None means "not known"."""
    scores: int
    """How many scores it rests on."""


class LearntWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Weights for the judges of a panel that sum to 1, and what they were learnt from."""

    weights: dict[str, float]
    """The weight of each judge; empty if none could be learnt."""
    errors: dict[str, JudgeError]
    """The error variance of each judge, before shrinking."""
    method: str
    """How weights follow from errors."""
    prior_scores: float
    """How many scores' worth the pooled variance counts in each judge's."""
    reason: str = ""
    """Why weights are equal or missing; empty if they were learnt."""


def inverse_variance_weights(errors: Mapping[str, JudgeError], *, prior_scores: float = 4.0) -> LearntWeights:
    """Weigh each judge by one over its error variance, which is best for judges whose errors are independent.

    Each variance is first shrunk towards the pooled one as if that rested on `prior_scores` further scores, so that a
    judge with few scores, or with none in error, does not take the whole weight. A judge of unknown variance gets the
    pooled one. If no judge has an error, the weights are equal. Raises `UsageError` for a variance below 0 or not
    finite, and for `prior_scores` that are not above 0.

    >>> errors = {"a": JudgeError(1.0, 10**9), "b": JudgeError(3.0, 10**9)}
    >>> {judge: round(weight, 6) for judge, weight in inverse_variance_weights(errors).weights.items()}
    {'a': 0.75, 'b': 0.25}
    """
    require_finite("prior_scores", prior_scores)
    if prior_scores <= 0:
        raise UsageError("error.stats.prior_scores", found=prior_scores)
    for judge, error in errors.items():
        require_count("scores", error.scores)
        if error.variance is not None and not 0 <= error.variance <= LARGEST:
            raise UsageError("error.stats.variance", judge=judge, found=error.variance)
    method = say("method.inverse_variance", scores=prior_scores)
    known = {judge: error for judge, error in errors.items() if error.variance is not None and error.scores > 1}
    degrees = {judge: error.scores - 1 for judge, error in known.items()}

    def result(weights: dict[str, float], reason: str = "") -> LearntWeights:
        return LearntWeights(
            weights=weights, errors=dict(errors), method=method, prior_scores=prior_scores, reason=reason
        )

    if not known:
        return result({}, say("reason.no_judge_error"))
    pooled = sum(degrees[judge] * (error.variance or 0.0) for judge, error in known.items()) / sum(degrees.values())
    if pooled <= 0:
        return result(_to_one(dict.fromkeys(errors, 1.0)), say("reason.no_error"))
    shrunk = {
        judge: (degrees.get(judge, 0) * (error.variance or 0.0) + prior_scores * pooled)
        / (degrees.get(judge, 0) + prior_scores)
        for judge, error in errors.items()
    }
    return result(_to_one({judge: pooled / variance for judge, variance in shrunk.items()}))


def errors_against_reference(scores: ArrayLike, reference: ArrayLike, judges: Sequence[str]) -> dict[str, JudgeError]:
    """Measure each judge's error variance against reference scores, from a table of units × judges."""
    table, truth = scores_by_judge(scores, judges), as_floats(reference).ravel()
    require_same_length("rows_of_scores", table, "reference_values", truth)
    found = {}
    for column, judge in zip(table.T, judges, strict=True):
        errors = column - truth
        errors = errors[~np.isnan(errors)]
        variance = float(errors.var(ddof=1)) if len(errors) > 1 else None
        found[judge] = JudgeError(variance, len(errors))
    return found


def _to_one(raw: dict[str, float]) -> dict[str, float]:
    total = math.fsum(raw.values())
    return {judge: value / total for judge, value in raw.items()}
