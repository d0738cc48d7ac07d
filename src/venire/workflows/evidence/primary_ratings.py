"""Chooses the ratings that a report counts: one protocol, one version of each judge, one scale."""

from __future__ import annotations

from typing import Any

import msgspec

from venire.errors import PoolingError, UsageError
from venire.reports.report import Choices
from venire.stats.ratings.columns import further_factors, offered_factors
from venire.stats.ratings.panel_scores import normalise
from venire.stats.ratings.table import PrimarySet, RatingsTable
from venire.words.said import say


def choose_primary(table: RatingsTable, choices: Choices) -> tuple[RatingsTable, PrimarySet, bool]:
    """Return the chosen ratings, those that count, and whether they had to be brought to a common scale.

    Raises `PoolingError` where several protocols, profiles or versions of a judge would be mixed.
    """
    known = further_factors(table.frame)
    offered = offered_factors(table.frame)
    strange = [name for name in choices.factors if name not in known]
    if strange and len(table):
        raise UsageError("error.evidence.no_factor", found=strange[0], known=(*known, *offered) or say("problem.none"))
    chosen = table.only(profile=choices.profile or None, judge_versions=choices.judge_versions)
    try:
        primary = chosen.primary(count_recovered=choices.count_recovered, include_self=choices.include_self)
    except PoolingError as error:
        raise PoolingError(error.message, hint="error.evidence.not_pooled.hint") from None
    scales = primary.table.frame.select("overall_minimum", "overall_maximum").drop_nulls().unique()
    if scales.height < 2:
        return chosen, primary, False
    return chosen, msgspec.structs.replace(primary, table=_on_ten(primary.table)), True


def _on_ten(table: RatingsTable) -> RatingsTable:
    """Bring all scores to 0–10, so that judges with different scales can be averaged."""
    import polars as pl

    frame = table.frame
    columns: dict[str, Any] = {}
    for score, low, high in (("score", "minimum", "maximum"), ("overall", "overall_minimum", "overall_maximum")):
        columns[score] = pl.Series(normalise(frame[score], frame[low], frame[high])).fill_nan(None)
        columns[low] = pl.when(pl.col(low).is_not_null()).then(0.0)
        columns[high] = pl.when(pl.col(high).is_not_null()).then(10.0)
    return RatingsTable(frame.with_columns(**columns))
