"""Intraclass correlations: the share of the variance of scores that belongs to the units.

Shrout, P. E. & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater reliability. Psychological
Bulletin 86, 420–428. The forms are named as there: 1 for raters that differ from unit to unit, 2 for a random sample
of raters that all rated all units (absolute agreement), 3 for exactly these raters (consistency); then 1 for a single
rating or k for the mean of all raters'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from venire.errors import UsageError
from venire.stats.agreement.mean_squares import MeanSquares
from venire.stats.agreement.variance_components import RaterEffect, variance_components
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.source import Array

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""The six forms of Shrout and Fleiss."""

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
"""All forms, single ratings first."""

Missing = Literal["exclude", "mixed model"]
"""`exclude` leaves out units with a gap and counts them; `mixed model` keeps every rating."""

_RATER_EFFECTS: dict[str, RaterEffect] = {"1": "none", "2": "random", "3": "fixed"}


def icc(ratings: object, form: Form = "2,1", *, missing: Missing = "exclude", level: float = 0.95) -> Estimate:
    """Return an intraclass correlation of units × raters.

    With `exclude` it comes from mean squares of the units that all raters rated, with the F-based interval of Shrout
    and Fleiss. With `mixed model` it comes from variance components by restricted maximum likelihood over all ratings;
    these are never negative, and there is no interval. It is not known for fewer than two units or raters, or where
    all scores are equal ("no variation").

    >>> round(icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).value, 2)
    0.29
    """
    if form not in FORMS:
        raise UsageError("error.stats.icc_form", known="; ".join(FORMS), found=form)
    if missing not in {"exclude", "mixed model"}:
        raise UsageError("error.stats.icc_missing", found=missing)
    require_level(level)
    matrix = rating_matrix(ratings)
    matrix.require("interval")
    scores = matrix.scores
    if missing == "mixed model":
        return _by_components(scores, form)
    complete = ~np.isnan(scores).any(axis=1)
    kept = scores if complete.all() else scores[complete]
    return _by_mean_squares(kept, form, left_out=int((~complete).sum()), level=level)


def _by_mean_squares(scores: Array, form: Form, *, left_out: int, level: float) -> Estimate:
    units, raters = scores.shape
    method = say("method.icc_mean_squares", form=form)
    n = {"units": units, "raters": raters, "ratings": units * raters, "units left out": left_out}
    if raters < 2:
        return Estimate.unknown(method, say("reason.two_raters"), n=n)
    if units < 2:
        return Estimate.unknown(method, say("reason.two_units_all"), n=n)
    squares = MeanSquares.of(scores)
    if squares.total == 0:
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    value = squares.value(form)
    if value is None:
        return Estimate.unknown(method, say("reason.chance_units"), n=n)
    ends = squares.interval(form, level)
    if ends is None:
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_interval.little_variance"))
    return Estimate(
        value=value, low=ends[0], high=ends[1], level=level, method=say("method.with_f_interval", method=method), n=n
    )


def _by_components(scores: Array, form: Form) -> Estimate:
    method = say("method.icc_mixed_model", form=form)
    rated = ~np.isnan(scores)
    raters = int(rated.any(axis=0).sum())
    n = {"units": int(rated.any(axis=1).sum()), "raters": raters, "ratings": int(rated.sum())}
    if raters < 2:
        return Estimate.unknown(method, say("reason.two_raters"), n=n)
    if n["units"] < 2:
        return Estimate.unknown(method, say("reason.two_units"), n=n)
    parts = variance_components(scores[:, rated.any(axis=0)], raters=_RATER_EFFECTS[form[0]])
    if isinstance(parts, str):
        return Estimate.unknown(method, parts, n=n)
    noise = parts.residual + (parts.rater if form[0] == "2" else 0.0)
    noise /= raters if form.endswith("k") else 1
    if parts.unit + noise == 0:
        return Estimate.unknown(method, say("reason.no_variation_units"), n=n)
    reason = say("reason.no_interval.incomplete")
    return Estimate(value=parts.unit / (parts.unit + noise), method=method, n=n, reason=reason)
