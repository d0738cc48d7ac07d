"""Score compression: how much of its scale a judge uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, measured, silent
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.ratings.panel_scores import normalise
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray
    from venire.stats.ratings.table import PrimarySet

SMALLEST = 20
"""How many scores a judge must have given."""

NEARLY_CONSTANT = 0.95
"""From which share of one and the same score on a judge is said to give it to everything."""

_MEANING = say("meaning.score_compression")


def score_compression(primary: PrimarySet, *, dimension: str | None = None, level: float = 0.95) -> tuple[Bias, ...]:
    """Give the share of each judge's most frequent score, with how it spreads over the scale.

    Details: the most frequent score, the number of distinct scores, how many equally frequent scores would carry as
    much information (2 to the power of the entropy), the standard deviation on 0–10 and its ratio to the mean of the
    other judges', and whether the judge is nearly constant (1) or not (0).
    """
    frame = primary.scores(dimension)
    if frame.is_empty():
        return (
            silent(say("method.bias.score_compression"), say("reason.no_scores"), smallest=SMALLEST, meaning=_MEANING),
        )
    judges, judge = number_groups(frame, ["rater"])
    scores = frame["score"].to_numpy()
    scaled = normalise(*(frame[name] for name in ("score", "minimum", "maximum")))
    clusters = cluster_codes(frame)
    spreads = [_deviation(scaled[judge == place]) for place in range(judges.height)]
    found = []
    for place, name in enumerate(judges["rater"].cast(str)):
        rows = judge == place
        levels, counts = np.unique(np.round(scores[rows], 12), return_counts=True)
        mode = float(levels[counts.argmax()])
        estimate = clustered_share(np.round(scores[rows], 12) == mode, clusters[rows], level=level)
        shares = counts / counts.sum()
        details = {
            "most frequent score": mode,
            "distinct scores": float(len(levels)),
            "effective scores": float(2 ** -(shares @ np.log2(shares))),
            "nearly constant": float((estimate.value or 0.0) >= NEARLY_CONSTANT),
        }
        others = [spread for other, spread in enumerate(spreads) if other != place and spread is not None]
        spread = spreads[place]
        if spread is not None:
            details["standard deviation"] = spread
            if others and np.mean(others) > 0:
                details["ratio to other judges"] = spread / float(np.mean(others))
        found.append(
            measured(
                "score compression", name, estimate, observations=int(rows.sum()), smallest=SMALLEST, meaning=_MEANING,
                details=details,
            )
        )  # fmt: skip
    return tuple(found)


def _deviation(scores: FloatArray) -> float | None:
    there = scores[~np.isnan(scores)]
    return float(there.std(ddof=1)) if len(there) > 1 else None
