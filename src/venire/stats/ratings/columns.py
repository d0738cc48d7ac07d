"""The columns of the ratings table, and how rows become them a chunk at a time."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from venire.errors import UsageError
from venire.stats.ratings.rating import Rating

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import polars as pl


FACTOR_PREFIX = "factor."
"""What the column of a further factor begins with, so that a factor may be called like any other column."""

NOTE_PREFIX = "note."
"""What the column of a note begins with that is offered as a factor: slices are made of it, but never pairs."""

NAMES = (
    "unit", "rater", "rater_version", "protocol", "profile", "prompt_version", "dimension", "repeat", "status",
    "method", "verdict", "question_id", "prompt_variant", "target_model",
)  # fmt: skip
"""The columns that hold names."""

NUMBERS = ("score", "minimum", "maximum", "overall", "overall_minimum", "overall_maximum", "weight")
"""The columns that hold numbers."""

WHOLE_NUMBERS = ("length", "sequence")
"""The columns that hold whole numbers."""

SLICED_BY = ("question_id", "prompt_variant", "target_model", "rater", "verdict", "method", "unit")
"""The columns beside further factors that slices can be made of."""

_OWN = {*NAMES, *NUMBERS, *WHOLE_NUMBERS, "judgement"}
_ROWS_AT_ONCE = 65_536

MOST_LEVELS = 20
"""How many levels an offered factor has at most."""

LONGEST_LEVEL = 60
"""How many characters a level has at most; anything longer is free text."""

_MEASURED = re.compile(
    r"(?:^|_)(?:latency|duration|elapsed|time|timestamp|ms|millis|s|secs?|seconds|minutes|tokens?|costs?|prices?|usd|eur"
    r"|cny|lengths?|chars?|characters|words?|bytes|size)(?:_|$)"
)
"""Words in the name of a column that say that its numbers were measured."""


def schema() -> dict[str, Any]:
    """Return the columns of an empty table with their types; names are kept once each."""
    import polars as pl

    return {
        **dict.fromkeys(NAMES, pl.Categorical()),
        **dict.fromkeys(NUMBERS, pl.Float64()),
        **dict.fromkeys(WHOLE_NUMBERS, pl.Int64()),
        "judgement": pl.String(),
    }


def frame_of(rows: Iterable[Rating], factors: Collection[str] = (), sliced_by: Collection[str] = ()) -> pl.DataFrame:
    """Read rows into columns, a chunk at a time: beside the columns, only one chunk of rows is held.

    Notes in `factors` become factors. Of the others only those are kept that are offered as factors or in `sliced_by`.
    """
    import polars as pl

    remaining = iter(rows)
    chunks = [pl.DataFrame(schema=schema())]
    left_out: set[str] = set()
    while chunk := list(itertools.islice(remaining, _ROWS_AT_ONCE)):
        chunks.append(_chunk(chunk, factors, sliced_by, left_out))
    frame = pl.concat(chunks, how="diagonal")
    return only_offered(frame.drop([NOTE_PREFIX + name for name in left_out], strict=False), sliced_by)


def only_offered(frame: pl.DataFrame, sliced_by: Collection[str] = ()) -> pl.DataFrame:
    """Return the table without the notes that are neither offered as factors nor in `sliced_by`."""
    samples = frame["unit"].n_unique()
    dropped = []
    for name in offered_factors(frame):
        levels = frame[NOTE_PREFIX + name].drop_nulls().unique().cast(str).to_list()
        if name in _OWN or not (name in sliced_by or is_offered(name, levels, samples)):
            dropped.append(NOTE_PREFIX + name)
    return frame.drop(dropped)


def _chunk(
    rows: Sequence[Rating], factors: Collection[str], sliced_by: Collection[str], left_out: set[str]
) -> pl.DataFrame:
    import polars as pl

    series = [
        pl.Series(name, [getattr(row, name) for row in rows], dtype=kind, strict=False)
        for name, kind in schema().items()
    ]
    for factor in dict.fromkeys(itertools.chain.from_iterable(row.factors for row in rows)):
        values = [row.factors.get(factor) for row in rows]
        series.append(pl.Series(FACTOR_PREFIX + factor, values, dtype=pl.Categorical()))
    for note in dict.fromkeys(itertools.chain.from_iterable(row.notes for row in rows)):
        found = [row.notes.get(note) for row in rows]
        levels = {level for level in found if level is not None}
        if note in factors:
            series.append(pl.Series(FACTOR_PREFIX + note, found, dtype=pl.Categorical()))
        elif note in sliced_by or (note not in left_out and may_be_offered(levels)):
            series.append(pl.Series(NOTE_PREFIX + note, found, dtype=pl.Categorical()))
        else:
            left_out.add(note)
    frame = pl.DataFrame(series)
    # A number that is not finite is no number: missing is missing.
    return frame.with_columns(pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in NUMBERS)


def in_order_of_names(frame: pl.DataFrame, raters: Sequence[str]) -> pl.DataFrame:
    """Sort rows by rater, question, variant, model, unit and repeat; see `RatingsTable.in_order`."""
    import polars as pl

    ranks = []
    for name in ("rater", "question_id", "prompt_variant", "target_model", "unit", "repeat"):
        found = frame[name].unique().cast(pl.String).drop_nulls().to_list()
        first = [rater for rater in raters if rater in set(found)] if name == "rater" else []
        names = [*first, *sorted(set(found) - set(first), key=_with_numbers)]
        rank = pl.Series(range(len(names)), dtype=pl.UInt32)
        ranks.append(pl.col(name).cast(pl.String).replace_strict(pl.Series(names, dtype=pl.String), rank))
    return frame.sort(ranks, maintain_order=True)


def _with_numbers(name: str) -> list[tuple[int, str]]:
    """Make a key by which q2 stands before q10."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part) if place % 2 else 0, part) for place, part in enumerate(parts)]


def column_of(frame: pl.DataFrame, factor: str) -> str:
    """Return the column that a factor stands in; raises `UsageError` with the factors there are."""
    for prefix in (FACTOR_PREFIX, NOTE_PREFIX):
        if prefix + factor in frame.columns:
            return prefix + factor
    if factor in SLICED_BY:
        return factor
    raise UsageError(
        "error.stats.factor", found=factor, known=(*SLICED_BY, *further_factors(frame), *offered_factors(frame))
    )


def further_factors(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the names of the further factors, in the order in which they first appeared."""
    return tuple(name.removeprefix(FACTOR_PREFIX) for name in frame.columns if name.startswith(FACTOR_PREFIX))


def offered_factors(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the names of the notes that slices can be made of, in the order in which they first appeared."""
    return tuple(name.removeprefix(NOTE_PREFIX) for name in frame.columns if name.startswith(NOTE_PREFIX))


def may_be_offered(levels: Collection[str]) -> bool:
    """Tell whether a note with these levels could still be a factor; more levels never make it one again."""
    return len(levels) <= MOST_LEVELS and all(len(level) <= LONGEST_LEVEL and "\n" not in level for level in levels)


def is_offered(name: str, levels: Collection[str], samples: int) -> bool:
    """Tell whether a note is offered as a factor: few levels, fewer than half the samples, and no measurement.

    >>> is_offered("language", {"en", "zh"}, 40), is_offered("latency_ms", {"312", "480"}, 40)
    (True, False)
    """
    if not 1 < len(levels) < samples / 2 or not may_be_offered(levels):
        return False
    return not _are_measured(name, levels)


def _are_measured(name: str, levels: Collection[str]) -> bool:
    """Tell numbers that were measured for each output from those that are levels, such as a difficulty from 1 to 5."""
    try:
        numbers = [float(level) for level in levels]
    except ValueError:
        return False
    words = re.sub(r"[\s_-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).casefold()
    whole = all(number.is_integer() for number in numbers)
    return not whole or max(numbers) - min(numbers) >= MOST_LEVELS or _MEASURED.search(words) is not None
