"""Prompt drift: what each slice of the outputs scores, breaks and fails, and which slices are worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import require_count
from venire.stats.ratings.columns import column_of
from venire.stats.ratings.grouping import cluster_codes, first_of_each, number_groups, partition
from venire.stats.ratings.table import RatingsTable
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.ratings.table import PrimarySet

SMALLEST_SLICE = 5
"""How many judgements a slice needs to be called one of the worst."""


class SliceMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """The drift metrics of one slice."""

    where: dict[str, str]
    """The factors that make the slice; `PrimarySet.rows_behind(where)` gives the judgements behind every number."""
    judgements: int
    """How many judgements are in the slice."""
    samples: int
    """How many samples were judged."""
    clustered_by: Literal["question", "sample"]
    """What errors are clustered by: questions, or samples in a slice of a single question."""
    mean_total: Estimate
    """The mean overall score, on the protocol's own scale."""
    hard_break_rate: Estimate
    """The share of judgements whose structure dimension has the lowest score."""
    dimension_means: dict[str, Estimate]
    """The mean score of each dimension, on its own scale; empty if numbers by dimension were not asked for."""
    failure_rates: dict[str, Estimate]
    """The share of judgements below the highest score, by dimension; empty likewise."""


def slice_metrics(
    primary: PrimarySet,
    by: Sequence[str] = (),
    *,
    structure_dimension: str | None = None,
    by_dimension: bool = True,
    level: float = 0.95,
) -> tuple[SliceMetrics, ...]:
    """Give the metrics of every slice, in the order in which slices first appear; no factors give one slice of all.

    Factors are `question_id`, `prompt_variant`, `target_model`, `rater` or any further factor. Without a structure
    dimension the hard-break rate is not known. Numbers by dimension take most of the time; `by_dimension=False` leaves
    them out. Raises `UsageError` for a factor or dimension that the table lacks.
    """
    marked, keys = _mark(primary, by)
    if marked.table.frame.is_empty():
        return ()
    dimensions = marked.dimensions
    if structure_dimension is not None and structure_dimension not in dimensions:
        raise UsageError("error.stats.structure_dimension", known=dimensions, found=structure_dimension)
    count = max(keys.height, 1)
    totals = _Cut(marked.scores(), count)
    cuts = {
        name: _Cut(marked.scores(name), count) for name in dimensions if by_dimension or name == structure_dimension
    }
    rows = first_of_each(marked.table.frame, ["unit", "rater"])
    everything = _Cut(rows, count)
    result = []
    for number in range(count):
        inside = everything.slice(number)
        by_question = len(np.unique(inside.questions)) > 1
        parts = {dimension: cut.slice(number) for dimension, cut in cuts.items()}
        structure = parts.get(structure_dimension) if structure_dimension else None
        apart = parts if by_dimension else {}
        result.append(
            SliceMetrics(
                where={factor: str(name) for factor, name in zip(by, keys.row(number), strict=True)} if by else {},
                judgements=len(inside.scores),
                samples=len(np.unique(inside.units)),
                clustered_by="question" if by_question else "sample",
                mean_total=_mean(totals.slice(number), by_question, level),
                hard_break_rate=_share(structure, "lowest", by_question, level),
                dimension_means={name: _mean(part, by_question, level) for name, part in apart.items()},
                failure_rates={name: _share(part, "below highest", by_question, level) for name, part in apart.items()},
            )
        )
    return tuple(result)


def worst_slices(
    slices: Iterable[SliceMetrics],
    k: int = 5,
    *,
    by: Literal["mean_total", "hard_break_rate"] = "mean_total",
    smallest: int = SMALLEST_SLICE,
) -> tuple[SliceMetrics, ...]:
    """Return the k worst slices, worst first; slices with fewer than `smallest` judgements are left out.

    A slice of two judgements is often the worst by chance alone. Slices whose number is not known are left out too.
    """
    require_count("k", k)
    require_count("smallest", smallest)
    sign = 1.0 if by == "mean_total" else -1.0
    known = [
        (sign * estimate.value, place, each)
        for place, each in enumerate(slices)
        if each.judgements >= smallest and (estimate := getattr(each, by)).value is not None
    ]
    return tuple(each for _, _, each in sorted(known, key=lambda entry: entry[:2])[:k])


class _SliceRows(NamedTuple):
    """The rows of one slice, column by column."""

    scores: FloatArray
    minimum: FloatArray
    maximum: FloatArray
    questions: IntArray
    units: IntArray


class _Cut:
    """A frame of scores cut into slices once, so that each slice is a view."""

    def __init__(self, frame: pl.DataFrame, count: int) -> None:
        order, self._bounds = partition(frame["__slice"].to_numpy(), count)
        names = ("score", "minimum", "maximum", "__question", "__unit")
        self._columns = [frame[name].to_numpy()[order] for name in names]

    def slice(self, number: int) -> _SliceRows:
        start, stop = self._bounds[number]
        return _SliceRows(*(column[start:stop] for column in self._columns))


def _mark(primary: PrimarySet, by: Sequence[str]) -> tuple[PrimarySet, pl.DataFrame]:
    import polars as pl

    frame = primary.table.frame
    keys, slices = number_groups(frame, [column_of(frame, factor) for factor in by])
    marked = frame.with_columns(
        pl.Series("__slice", slices),
        pl.Series("__question", cluster_codes(frame)),
        pl.Series("__unit", number_groups(frame, ["unit"])[1]),
    )
    return msgspec.structs.replace(primary, table=RatingsTable(marked)), keys


def _mean(part: _SliceRows, by_question: bool, level: float) -> Estimate:
    if by_question:
        return clustered_mean(part.scores, part.questions, level=level)
    return by_output(clustered_mean(part.scores, part.units, level=level))


def by_output(found: Estimate) -> Estimate:
    """Say with the method that outputs of one question stand for themselves."""
    return msgspec.structs.replace(found, method=say("method.with_one_question", method=found.method))


def _share(
    part: _SliceRows | None, which: Literal["lowest", "below highest"], by_question: bool, level: float
) -> Estimate:
    if part is None:
        return Estimate.unknown("share", say("reason.no_structure_dimension"))
    if which == "lowest":
        # Where the scale is not known, a broken structure is a score of 0, as the protocols define it.
        hits = part.scores <= np.where(np.isnan(part.minimum), 0.0, part.minimum)
    else:
        hits = part.scores < part.maximum
        if np.isnan(part.maximum).any():
            return Estimate.unknown("share", say("reason.no_scale"), n={"values": len(part.scores)})
    if by_question:
        return clustered_share(hits.astype(np.float64), part.questions, level=level)
    return by_output(clustered_share(hits.astype(np.float64), part.units, level=level))
