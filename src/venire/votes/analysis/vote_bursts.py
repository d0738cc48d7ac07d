"""Sudden bursts of votes: more of them in a short while than the same voter or inference has at other times.

For each voter (or inference) with n votes between its first and its last, the votes of a window of time are compared
with a Poisson number of the mean n·window/span. A window is a burst if so many votes or more would come by chance with
a probability below `level`, divided by the number of windows looked at (Bonferroni). It is a reason to look, no proof:
people also vote in sittings.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.stats.observations import require_count
from venire.stats.uncertainty.intervals import require_level


class VoteBursts(msgspec.Struct, frozen=True, eq=False):
    """Windows of time with too many votes."""

    frame: pl.DataFrame
    """One row for each burst, the least likely first: the name, `start`, `votes`, `usual` (the expected number) and
    `p_value` (corrected)."""
    window_seconds: float
    """How long a window is."""
    windows: int
    """How many windows were looked at."""
    level: float
    """The level of significance over all windows."""


def vote_bursts(
    votes: pl.DataFrame,
    *,
    of: Literal["voter_id", "inference_id"] = "voter_id",
    window_seconds: float = 60.0,
    least_votes: int = 5,
    level: float = 0.01,
) -> VoteBursts:
    """Find bursts of voters, or on inferences; windows with fewer than `least_votes` votes are none.

    A voter whose votes all lie within one window has no other times to compare with; all voters' votes over the whole
    table then are the comparison.
    """
    from scipy.stats import poisson

    require_level(level)
    require_count("least_votes", least_votes)
    if not 1e-6 <= window_seconds < math.inf:
        raise UsageError("error.votes.burst_window", found=window_seconds)
    length = round(window_seconds * 1e6)
    cast = votes.lazy().filter(pl.col("vote").is_not_null()).with_columns(pl.col(of).cast(pl.String))
    moment = pl.col("vote_time").to_physical()
    windows = cast.group_by(of, (moment // length).alias("window")).agg(pl.len().alias("votes")).collect()
    totals = windows.group_by(of).agg(
        pl.col("votes").sum().alias("total"), (pl.col("window").max() - pl.col("window").min() + 1).alias("span")
    )
    if not windows.height:
        empty = {of: pl.String(), "start": pl.Datetime("us", "UTC"), "votes": pl.Int64(), "usual": pl.Float64()}
        return VoteBursts(pl.DataFrame(schema={**empty, "p_value": pl.Float64()}), window_seconds, 0, level)
    all_spans = int(windows["window"].max()) - int(windows["window"].min()) + 1  # type: ignore[arg-type]
    everyone = windows["votes"].sum() / totals.height / all_spans
    rate = pl.when(pl.col("span") > 1).then(pl.col("total") / pl.col("span")).otherwise(everyone)
    candidates = windows.filter(pl.col("votes") >= least_votes).join(totals, on=of).with_columns(rate.alias("usual"))
    chances = poisson.sf(candidates["votes"].to_numpy() - 1, candidates["usual"].to_numpy())
    looked_at = int(totals["span"].sum())
    frame = (
        candidates.with_columns(pl.Series("p_value", np.minimum(chances * looked_at, 1.0), dtype=pl.Float64))
        .filter(pl.col("p_value") < level)
        .sort("p_value", of, "window")
        .select(
            of,
            (pl.col("window") * length).cast(pl.Datetime("us", "UTC")).alias("start"),
            pl.col("votes").cast(pl.Int64),
            "usual",
            "p_value",
        )
    )
    return VoteBursts(frame, window_seconds, looked_at, level)
