"""Intraclass correlations: the share of the variance of scores that belongs to the units.

Shrout, P. E. & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater reliability. Psychological
Bulletin 86, 420–428. The forms are named as there: 1 for raters that differ from unit to unit, 2 for a random sample
of raters that all rated all units (absolute agreement), 3 for exactly these raters (consistency); then 1 for a single
rating or k for the mean of all raters'.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.agreement.mean_squares import LeftSquares, MeanSquares
from venire.stats.agreement.variance_components import RaterEffect, variance_components
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import (
    JackknifeGroups,
    cluster_codes_of,
    jackknife_groups,
    with_jackknives,
)
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import IntArray
    from venire.stats.ratings.source import Array

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""The six forms of Shrout and Fleiss."""

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
"""All forms, single ratings first."""

Missing = Literal["exclude", "mixed model"]
"""`exclude` leaves out units with a gap and counts them; `mixed model` keeps every rating."""

ROUGH_BELOW = 10
"""Below so many units or clusters an interval was seen to cover less than 93 of 100 in simulation."""

_RATER_EFFECTS: dict[str, RaterEffect] = {"1": "none", "2": "random", "3": "fixed"}


def icc(
    ratings: object,
    form: Form = "2,1",
    *,
    missing: Missing = "exclude",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return an intraclass correlation of units × raters.

    With `exclude` it comes from mean squares of the units that all raters rated, with the wider of the F-based interval
    of Shrout and Fleiss, which is exact for normal scores, and that of a jackknife over units. `clusters` names the
    cluster of each unit (such as its question); the jackknife then leaves out whole clusters. With `mixed model` it
    comes from variance components by restricted maximum likelihood over all ratings; these are never negative, and
    there is no interval. It is not known for fewer than two units or raters, or where all scores are equal ("no
    variation").

    >>> round(icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).value, 2)
    0.29
    """
    if form not in FORMS:
        raise UsageError("error.stats.icc_form", known="; ".join(FORMS), found=form)
    return icc_forms(ratings, (form,), missing=missing, clusters=clusters, level=level)[form]


def icc_forms(
    ratings: object,
    forms: Sequence[Form] = FORMS,
    *,
    missing: Missing = "exclude",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> dict[Form, Estimate]:
    """Return several intraclass correlations, all six by default, of which the sums are computed once."""
    if missing not in {"exclude", "mixed model"}:
        raise UsageError("error.stats.icc_missing", found=missing)
    require_level(level)
    matrix = rating_matrix(ratings)
    matrix.require("interval")
    scores = matrix.scores
    codes = cluster_codes_of(clusters, len(scores))
    if missing == "mixed model":
        return {form: _by_components(scores, form) for form in forms}
    complete = ~np.isnan(scores).any(axis=1)
    whole = bool(complete.all())
    kept, codes = (scores, codes) if whole else (scores[complete], None if codes is None else codes[complete])
    return _by_mean_squares(kept, forms, codes, left_out=int((~complete).sum()), level=level)


def _by_mean_squares(
    scores: Array, forms: Sequence[Form], clusters: IntArray | None, *, left_out: int, level: float
) -> dict[Form, Estimate]:
    units, raters = scores.shape
    n = {"units": units, "raters": raters, "ratings": units * raters, "units left out": left_out}
    reason = ""
    if raters < 2:
        reason = say("reason.two_raters")
    elif units < 2:
        reason = say("reason.two_units_all")
    squares = MeanSquares.of(scores) if not reason else None
    if squares is not None and squares.total == 0:
        reason = say("reason.no_variation")
    if squares is None or reason:
        return {form: Estimate.unknown(_method(form), reason, n=n) for form in forms}
    groups = jackknife_groups(units, clusters)
    drafts = {form: _draft(squares, form, n) for form in forms}
    known = [form for form in forms if drafts[form].known]
    if groups.size > 2 and known:
        left = LeftSquares.of(scores, groups.group, groups.size)
        single = np.array([[1 if form.endswith("k") else raters] for form in known])
        drafts |= zip(known, with_jackknives(
            [drafts[form] for form in known], left.values(known), groups, level=level, scale="intraclass",
            raters=single, rough_below=ROUGH_BELOW,
        ), strict=True)  # fmt: skip
    return {form: _with_f_interval(squares, drafts[form], groups, form, level) for form in forms}


@cache
def _method(form: Form) -> str:
    return say("method.icc_mean_squares", form=form)


def _draft(squares: MeanSquares, form: Form, n: dict[str, int]) -> Estimate:
    method, value = _method(form), squares.value(form)
    if value is None:
        return Estimate.unknown(method, say("reason.chance_units"), n=n)
    return Estimate(value=value, method=method, n=n)


def _with_f_interval(
    squares: MeanSquares, found: Estimate, groups: JackknifeGroups, form: Form, level: float
) -> Estimate:
    """Widen the jackknife's interval to the F-based one, which stands alone where there is no other."""
    if found.value is None:
        return found
    ends = squares.interval(form, level)
    if ends is None:
        return Estimate(
            value=found.value, method=_method(form), n=found.n,
            reason=say("reason.no_interval.little_variance"),
        )  # fmt: skip
    if found.low is None or found.high is None:
        if groups.clusters is None:
            by_f = say("method.with_f_interval", method=found.method)
            return replace(found, low=ends[0], high=ends[1], level=level, method=by_f, reason="")
        return replace(found, reason=found.reason or say("reason.no_interval.two_clusters"))
    # Scores that are not normal, and questions, make the F-based interval too short.
    return replace(found, low=min(found.low, ends[0]), high=max(found.high, ends[1]))


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
