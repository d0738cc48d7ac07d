"""Stages that decide what they are sure of, with a guarantee of agreement with people, and pass on the rest.

Of each stage the threshold of confidence is found by fixed-sequence testing (Bauer 1991; Jung, Brahman & Choi 2024 for
judges): from the surest labelled outputs on, ever more of them are tested for whether people agree with more than the
wanted share of verdicts, each test at the stage's whole level, until one does not show it. The order of tests follows
from confidences alone, never from labels. A level of delta over the number of stages for each makes delta the most that
the whole cascade may miss its share by (Bonferroni), as each stage has labels of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.stats.qualification.binomial_bounds import exceeding_p

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray

TESTS = 12
"""How many thresholds are tested at most."""
ROOM = 3
"""With how many times the fewest outputs that could pass the first test is made, so that one error does not end all;
with half of the outputs if that is fewer."""
DIGITS = 6
"""To how many digits confidences are rounded."""


class ThresholdTest(NamedTuple):
    """One tested threshold."""

    threshold: float
    """The confidence."""
    outputs: int
    """How many labelled outputs are at least so sure."""
    agreeing: int
    """With how many of their verdicts people agree."""
    p_value: float
    """How likely so much agreement is if the true share is only the wanted one."""
    holds: bool
    """Whether the threshold was accepted."""


def fewest_labels(level: float, delta: float) -> int:
    """Return how many labelled outputs a stage needs at least: with fewer not even full agreement would show it.

    >>> fewest_labels(0.85, 0.05)
    19
    """
    return math.ceil(math.log(delta) / math.log(level) - 1e-9)


def try_thresholds(
    confidences: FloatArray, agrees: NDArray[np.bool_], *, level: float, delta: float
) -> tuple[ThresholdTest, ...]:
    """Test thresholds from the surest outputs on, until one fails; the last that holds is the stage's threshold."""
    order = np.argsort(-confidences, kind="stable")
    fewest = fewest_labels(level, delta)
    if len(order) < fewest:
        return ()
    first = min(ROOM * fewest, max(fewest, len(order) // 2))
    sizes = np.unique(np.round(np.linspace(first, len(order), TESTS)).astype(int))
    found: list[ThresholdTest] = []
    for threshold in dict.fromkeys(float(confidences[order[size - 1]]) for size in sizes):
        sure = confidences >= threshold
        outputs, agreeing = int(sure.sum()), int(agrees[sure].sum())
        p_value = exceeding_p(agreeing, outputs, level)
        found.append(ThresholdTest(threshold, outputs, agreeing, p_value, p_value <= delta))
        if not found[-1].holds:
            break
    return tuple(found)


def score_and_confidence(
    scores: FloatArray, weights: FloatArray, bounds: tuple[float, float], span: float
) -> tuple[FloatArray, FloatArray]:
    """Return the mean score of each output, and how sure its verdict is; both NaN where no score is valid.

    An output is the surer, the further its mean lies from the nearest score at which the verdict changes, and the less
    its judges lie apart. No verdict is favoured: what fails and what passes is asked again by the same rule.
    """
    there = ~np.isnan(scores)
    total = there @ weights
    known = total > 0
    kept = np.where(there, scores, 0.0)
    means = np.divide(kept @ weights, total, out=np.full(len(scores), np.nan), where=known)
    off = np.where(there, scores - means[:, None], 0.0) ** 2 @ weights
    apart = np.sqrt(np.divide(off, total, out=np.zeros(len(scores)), where=known))
    fails, passes = bounds
    margin = np.where(
        means <= fails,
        fails - means,
        np.where(means >= passes, means - passes, np.minimum(means - fails, passes - means)),
    )
    return means, np.round((margin - apart / 2) / span, DIGITS)
