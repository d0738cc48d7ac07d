"""Test–retest from the ratings table: first replies beside their consistency checks, judge by judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.judgement import Status
from venire.stats.judges.retest_reliability import RetestReliability, retest_reliability
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.pooling import require_one_version
from venire.stats.ratings.rating import FIRST_TIME

if TYPE_CHECKING:
    import polars as pl

    from venire.stats.ratings.table import RatingsTable

RETEST = "retest-"
"""What the repeat of a consistency check begins with."""


class JudgeRetest(msgspec.Struct, frozen=True, kw_only=True):
    """How well a judge repeats itself."""

    judge: str
    """The judge."""
    overall: RetestReliability
    """Over overall scores."""
    dimensions: dict[str, RetestReliability]
    """Over the scores of each dimension."""
    lost: int
    """How many consistency checks have no valid first reply, or are not valid themselves."""


def judge_retests(
    table: RatingsTable, *, count_recovered: bool = False, level: float = 0.95
) -> tuple[JudgeRetest, ...]:
    """Compare each judge's first answers with its answers to consistency checks; each check is a pair of its own.

    Judges without a check are left out. Raises `PoolingError` if versions of a judge would be mixed.
    """
    import polars as pl

    frame = table.frame
    require_one_version(frame)
    repeat = pl.col("repeat").cast(pl.String)
    checks = frame.filter(repeat.str.starts_with(RETEST))
    counted = [Status.VALID.value] + [Status.RECOVERED.value] * count_recovered
    usable = pl.col("status").cast(pl.String).is_in(counted)
    key = ["unit", "rater", "dimension"]
    columns = [*key, "score", "overall", "judgement", "question_id"]
    first = frame.filter((repeat == FIRST_TIME) & usable).unique(key, keep="last", maintain_order=True).select(columns)
    second = checks.filter(usable).unique([*key, "repeat"], keep="last", maintain_order=True).select(columns)
    pairs = first.join(second, on=key, how="inner", suffix="_again", maintain_order="right")
    results = []
    for judge in checks["rater"].unique(maintain_order=True).cast(str):
        mine = pairs.filter(pl.col("rater") == judge)
        asked = checks.filter(pl.col("rater") == judge)["judgement"].n_unique()
        once = mine.unique("judgement_again", keep="first", maintain_order=True)
        results.append(
            JudgeRetest(
                judge=judge,
                overall=_compared(once, "overall", level),
                dimensions={
                    name: _compared(mine.filter(pl.col("dimension") == name), "score", level)
                    for name in mine["dimension"].unique(maintain_order=True).cast(str)
                    if name
                },
                lost=asked - once.height,
            )
        )
    return tuple(results)


def _compared(pairs: pl.DataFrame, column: str, level: float) -> RetestReliability:
    questions = cluster_codes(pairs)
    return retest_reliability(
        pairs[column].to_numpy(), pairs[f"{column}_again"].to_numpy(), level=level,
        clusters=questions if len(np.unique(questions)) > 1 else None,
    )  # fmt: skip
