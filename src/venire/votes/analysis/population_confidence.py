"""How sure the majority of a finite population is, from those who have voted so far.

Let N people be asked, n have voted, k of them in favour. With every split of the population equally likely beforehand,
the number in favour among the N − n others is beta-binomial with k + 1 and n − k + 1 (Laplace's rule of succession for
finite populations). The confidence is the probability that the side that leads among the votes also leads in the whole
population, half of it counted where the population is tied. It is 1 once everyone has voted, and 1/2 if nobody has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import as_names, cast_ballots

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class PopulationConfidence(msgspec.Struct, frozen=True, eq=False):
    """How sure the leading side of each inference is."""

    frame: pl.DataFrame
    """One row for each inference: `inference_id`, `voted`, `population`, `in_favour`, `share`, `leader` (accept, reject
    or tie) and `confidence`."""
    overall: float | None
    """The mean confidence over inferences; None if there are none."""
    population: int
    """How many people are asked."""
    threshold: float
    """From above which number a vote is in favour."""


def population_confidence(
    votes: pl.DataFrame,
    voters: Iterable[object],
    inferences: Iterable[object] | None = None,
    *,
    threshold: float = 0.5,
) -> PopulationConfidence:
    """Tell how sure the majority among all of the listed voters is, from those who voted.

    The last vote of each voter on an inference counts; a vote of exactly the threshold is half in favour. Votes of
    others than the listed voters are left out.
    """
    names = as_names(voters)
    if not names:
        raise UsageError("error.votes.no_population")
    ballots = cast_ballots(votes, voters=names, inferences=inferences)
    in_favour = pl.when(pl.col("vote") > threshold).then(1.0).when(pl.col("vote") == threshold).then(0.5).otherwise(0.0)
    counted = ballots.group_by("inference_id", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("voted"), in_favour.sum().alias("in_favour")
    )
    seen = votes["inference_id"].unique(maintain_order=True).cast(pl.String)
    wanted = pl.DataFrame(
        {"inference_id": pl.Series(as_names(seen if inferences is None else inferences), dtype=pl.String)}
    )
    frame = wanted.join(counted, on="inference_id", how="left", maintain_order="left").with_columns(
        pl.col("voted").fill_null(0),
        pl.col("in_favour").fill_null(0.0),
        pl.lit(len(names), pl.Int64).alias("population"),
    )
    confidence, leads = _confidence(frame["voted"].to_numpy(), frame["in_favour"].to_numpy(), len(names))
    frame = frame.with_columns(
        pl.when(pl.col("voted") > 0).then(pl.col("in_favour") / pl.col("voted")).alias("share"),
        pl.Series("leader", np.array(["reject", "tie", "accept"])[leads + 1], dtype=pl.String),
        pl.Series("confidence", confidence),
    )
    overall = float(confidence.mean()) if len(confidence) else None
    return PopulationConfidence(frame, overall, len(names), threshold)


def _confidence(
    voted: NDArray[np.int64], in_favour: NDArray[np.float64], population: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from scipy.stats import betabinom

    if not len(voted):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    leads = np.sign(2 * in_favour - voted).astype(np.int64)
    # A half vote in favour, such as 0.5, counts as half a vote on either side.
    others = population - voted
    need = population / 2 - in_favour  # so many of the others make a tie
    alpha, beta = in_favour + 1, voted - in_favour + 1
    below = np.ceil(need) - 1
    less = np.where(others > 0, betabinom.cdf(below, np.maximum(others, 1), alpha, beta), (need > 0).astype(float))
    is_whole = need == np.floor(need)
    tie_chance = betabinom.pmf(np.floor(need), np.maximum(others, 1), alpha, beta)
    tie = np.where(is_whole, np.where(others > 0, tie_chance, (need == 0).astype(float)), 0.0)
    more = 1.0 - less - tie
    accept = np.clip(more + tie / 2, 0.0, 1.0)
    return np.where(leads >= 0, np.where(leads == 0, np.maximum(accept, 1 - accept), accept), 1.0 - accept), leads
