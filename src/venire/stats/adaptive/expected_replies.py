"""What a judge is expected to reply to an ask that is still open, and how far off that may be.

A judge's reply is regressed on what the first judges said of the output and, where it spoke of the output before, on
its own earlier replies. How far off replies were is looked at in nine kinds of outputs: by how far the first judges lie
apart, and by how high they score. Nothing here has to be right for an estimate to be valid: a poor expectation only
makes its interval wider (the difference estimator of Särndal, Swensson & Wretman 1992).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from venire.stats.adaptive.jury_asks import JuryAsks
    from venire.stats.observations import FloatArray, IntArray

FEWEST = 8
"""How many replies a regression needs; with fewer the first judges' mean is what is expected."""
PRIOR_REPLIES = 5.0
"""How many replies the spread of all outputs counts for in the spread of one kind of them."""
PRIOR_SPREAD = 1 / 6
"""How far off replies are thought to be before there are any, as a share of the scale."""
LEAST_SPREAD = 0.02
"""How far off a reply may always be, as a share of the scale: few equal replies do not prove that all are."""
DIGITS = 6
"""To how many digits expectations are rounded, so that another machine finds the same."""


class ExpectedReplies(NamedTuple):
    """Of each ask the reply that is expected and the standard deviation around it; outputs by asks."""

    means: FloatArray
    """The scores that are expected."""
    spreads: FloatArray
    """How far replies lie around them."""


def expected_replies(asks: JuryAsks) -> ExpectedReplies:
    """Return what is expected of each ask beyond the first ones, from all replies so far."""
    kinds = _kinds(asks)
    means, spreads = np.zeros_like(asks.values), np.zeros_like(asks.values)
    for judge in np.unique(asks.judges[asks.start :]):
        columns = np.flatnonzero(asks.judges == judge)
        one_means, one_spreads = _of_judge(asks, asks.values[:, columns], kinds)
        later = columns[columns >= asks.start]
        means[:, later], spreads[:, later] = one_means[:, None], one_spreads[:, None]
    return ExpectedReplies(np.round(means, DIGITS), np.round(spreads, DIGITS))


def _of_judge(asks: JuryAsks, replies: FloatArray, kinds: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return what a judge is expected to reply next to each output, and how far off that may be."""
    there = ~np.isnan(replies)
    count = there.sum(axis=1)
    kept = np.where(there, replies, 0.0)
    own = np.divide(kept.sum(axis=1), count, out=np.zeros(len(kept)), where=count > 0)
    first = kept[np.arange(len(kept)), there.argmax(axis=1)]
    last = kept[np.arange(len(kept)), there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)]
    before = np.divide(kept.sum(axis=1) - last, count - 1, out=np.zeros(len(kept)), where=count > 1)
    base = asks.base
    fresh, fresh_spread = _fit(np.column_stack([base]), first, count > 0, kinds, asks.span, None)
    again, again_spread = _fit(np.column_stack([base, before]), last, count > 1, kinds, asks.span, fresh_spread)
    spoke = count > 0
    expected = np.where(spoke, _line(again, np.column_stack([base, own])), _line(fresh, np.column_stack([base])))
    return expected, np.where(spoke, again_spread, fresh_spread)


def _fit(
    given: FloatArray, said: FloatArray, known: FloatArray, kinds: IntArray, span: float, unknown: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of a least squares fit, and how far off it is for each output by its kind."""
    slopes: FloatArray = np.full(given.shape[1] + 1, 1 / given.shape[1])
    slopes[0] = 0.0
    prior = np.full(len(said), PRIOR_SPREAD * span)
    rows = np.flatnonzero(known)
    if len(rows) < FEWEST:
        return slopes, prior if unknown is None else unknown
    design = np.column_stack([np.ones(len(rows)), given[rows]])
    # Two outputs' worth of the plain rule keep the fit steady where all that is given is alike.
    damped = design.T @ design + 2.0 * np.eye(design.shape[1])
    slopes = np.linalg.solve(damped, design.T @ said[rows] + 2.0 * slopes).astype(np.float64, copy=False)
    squares: FloatArray = (said[rows] - _line(slopes, given[rows])) ** 2
    pooled = float(squares.sum()) / max(1, len(rows) - design.shape[1])
    counts = np.bincount(kinds[rows], minlength=9)
    sums = np.bincount(kinds[rows], weights=squares, minlength=9)
    variances = (sums + PRIOR_REPLIES * pooled) / (counts + PRIOR_REPLIES)
    return slopes, np.maximum(np.sqrt(variances), LEAST_SPREAD * span)[kinds]


def _line(slopes: FloatArray, given: FloatArray) -> FloatArray:
    line: FloatArray = slopes[0] + given @ slopes[1:]
    return line


def _kinds(asks: JuryAsks) -> IntArray:
    """Return which of nine kinds each output is of."""
    return 3 * _thirds(asks.apart) + _thirds(asks.base)


def _thirds(values: FloatArray) -> IntArray:
    low, high = np.quantile(values, [1 / 3, 2 / 3]) if len(values) else (0.0, 0.0)
    found: IntArray = (values > low + 1e-9).astype(np.intp) + (values > high + 1e-9)
    return found
