"""Which repeat of a task counts: the first reply, or, where its reply was not valid, the first valid one after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.stats.ratings.rating import FIRST_TIME

if TYPE_CHECKING:
    import polars as pl

REASK = "reask-"
"""What the repeat of a further try after an invalid reply begins with; its number follows."""

ONE_TASK = ["unit", "rater", "rater_version", "prompt_version", "protocol", "profile"]
"""The columns that tell tasks apart, whatever the repeat."""


def is_counted_repeat(frame: pl.DataFrame, usable: pl.Expr) -> pl.Expr:
    """Return whether each usable row belongs to the repeat of its task that counts.

    That is the lowest number among usable first replies (0) and further tries (1, 2…). A consistency check never is.
    """
    import polars as pl

    repeat = pl.col("repeat").cast(pl.String)
    if not frame["repeat"].unique().cast(pl.String).str.starts_with(REASK).any():
        return pl.col("repeat") == FIRST_TIME
    number = (
        pl.when(repeat == FIRST_TIME)
        .then(0)
        .otherwise(repeat.str.extract(rf"^{REASK}(\d+)$").cast(pl.Int64, strict=False))
    )
    return (number == pl.when(usable).then(number).min().over(ONE_TASK)).fill_null(value=False)
