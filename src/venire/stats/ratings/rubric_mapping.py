"""Scores of a finer rubric mapped onto a coarser one, by the table that the protocol declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from venire.stats.ratings.table import PrimarySet, RatingsTable

if TYPE_CHECKING:
    from venire.domain.protocol import RubricMapping


def map_ratings(primary: PrimarySet, mapping: RubricMapping) -> PrimarySet:
    """Return the ratings with the dimensions, overall scores and verdicts of the coarser rubric.

    A dimension that lacks one of the scores that make it up is missing, and so then are sum and verdict.
    """
    import polars as pl

    frame, onto = primary.table.frame, mapping.onto
    coarser = {finer: name for name, finers in mapping.dimensions.items() for finer in finers}
    parts = {name: len(finers) for name, finers in mapping.dimensions.items()}
    combined = pl.col("score").min() if mapping.rule == "lowest" else pl.col("score").mean()
    is_complete = pl.col("score").count() == pl.col("dimension").first().cast(pl.String).replace_strict(parts)
    own = {"score", "overall", "verdict", "overall_minimum", "overall_maximum", "dimension", "judgement"}
    kept = [pl.col(name).first() for name in frame.columns if name not in own]
    mapped = (
        frame.with_columns(pl.col("dimension").cast(pl.String))
        .filter(pl.col("dimension").is_in(list(coarser)))
        .with_columns(pl.col("dimension").replace_strict(coarser))
        .group_by("judgement", pl.col("dimension").alias("mapped"), maintain_order=True)
        .agg(*kept, pl.when(is_complete).then(combined).alias("score"))
        .rename({"mapped": "dimension"})
    )
    total = pl.when(pl.col("score").count() == len(parts)).then(pl.col("score").sum()).over("judgement")
    mapped = mapped.with_columns(
        total.alias("overall"),
        pl.lit(onto.minimum * len(parts)).alias("overall_minimum"),
        pl.lit(onto.maximum * len(parts)).alias("overall_maximum"),
        pl.lit(None, pl.String).alias("verdict"),
    )
    if onto.verdict:
        decided = pl.col("overall").map_elements(onto.verdict.verdict, return_dtype=pl.String)
        mapped = mapped.with_columns(decided.alias("verdict"))
    columns = mapped.select(pl.col(name).cast(frame.schema[name]) for name in frame.columns)
    return msgspec.structs.replace(primary, table=RatingsTable(columns))
