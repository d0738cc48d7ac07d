"""The overall score of a table that has dimensions only: made of them by a rule that a report can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

OVERALL_RULES = ("mean", "present", "sum")
"""The mean of all dimensions, the mean of those that have a score, and the sum of all; a dimension is a rule too."""

_OVERALL_DIMENSION = "overall"


def with_overall(table: pl.DataFrame, rule: str = "") -> pl.DataFrame:
    """Return the rows of a table with dimensions with an overall score, made by a rule; without one, their mean.

    Rows without a dimension, or with one called `overall`, hold the overall score itself; where there are some, nothing
    is derived. The mean is taken on the dimensions' common scale, or on 0–10 if their scales differ. By `mean` and
    `sum` a judgement that lacks a dimension has no overall score: what is missing is not filled in. Raises `UsageError`
    for a rule that is neither one of `OVERALL_RULES` nor a dimension, and if overall scores are given where a rule is
    named.
    """
    import polars as pl

    if gives_overall(table):
        if rule:
            raise UsageError("error.stats.overall_given", rule=rule)
        return _taken_over(table, _is_overall())
    dimensions = [each for each in table["dimension"].unique(maintain_order=True).cast(pl.String) if each]
    if not dimensions:
        return table
    if rule and rule not in (*OVERALL_RULES, *dimensions):
        raise UsageError("error.stats.overall_rule", found=rule, known=OVERALL_RULES, dimensions=tuple(dimensions))
    if rule in dimensions and rule not in OVERALL_RULES:
        return _taken_over(table, pl.col("dimension") == rule)
    return _combined(table, rule or OVERALL_RULES[0], len(dimensions))


def gives_overall(table: pl.DataFrame) -> bool:
    """Tell whether some rows of a table with dimensions hold an overall score."""
    import polars as pl

    return bool(table.select((_is_overall() & pl.col("score").is_not_null()).any()).item())


def _is_overall() -> pl.Expr:
    import polars as pl

    return pl.col("dimension").cast(pl.String).str.to_lowercase().is_in(["", _OVERALL_DIMENSION])


def _taken_over(table: pl.DataFrame, chosen: pl.Expr) -> pl.DataFrame:
    """Take the score of one row of each judgement as its overall score."""
    import polars as pl

    only = {"overall": "score", "overall_minimum": "minimum", "overall_maximum": "maximum"}
    taken = table.with_columns(
        pl.when(chosen).then(pl.col(column)).max().over("judgement").alias(field) for field, column in only.items()
    )
    return taken.with_columns(
        pl.when(_is_overall())
        .then(pl.lit("", dtype=pl.Categorical()))
        .otherwise(pl.col("dimension"))
        .alias("dimension")
    )


def _combined(table: pl.DataFrame, rule: str, count: int) -> pl.DataFrame:
    import polars as pl

    score, low, high = pl.col("score"), pl.col("minimum"), pl.col("maximum")
    scales = table.filter(score.is_not_null()).select("minimum", "maximum").unique()
    if rule != "sum" and scales.height > 1:
        # Scores of different scales are averaged on 0–10; one whose scale is not known cannot be.
        score = (score - low) / (high - low) * 10
        low, high = (pl.when(score.is_not_null()).then(end) for end in (0.0, 10.0))
    there = score.is_not_null().sum().over("judgement")
    enough = (there > 0) if rule == "present" else (there == count)
    combined = {"overall": score, "overall_minimum": low, "overall_maximum": high}
    return table.with_columns(
        pl.when(enough & each.is_not_null().any().over("judgement"))
        .then((each.sum() if rule == "sum" else each.mean()).over("judgement"))
        .alias(field)
        for field, each in combined.items()
    )
