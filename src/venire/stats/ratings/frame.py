"""Reads any table of scores that a user brings into the columns of the ratings table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain.judgement import Method, Status
from venire.errors import InputError, UsageError
from venire.stats.ratings.columns import FACTOR_PREFIX, NAMES, NOTE_PREFIX, NUMBERS, WHOLE_NUMBERS, only_offered, schema
from venire.stats.ratings.derived_overall import with_overall
from venire.stats.ratings.rating import FIRST_TIME
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

_REQUIRED = ("unit", "rater")
_DEFAULTS = {"repeat": FIRST_TIME, "status": Status.VALID.value, "method": None, "verdict": None}
_REPEAT = ["unit", "rater", "rater_version", "prompt_version", "protocol", "profile", "repeat"]
_CLOSED = {"status": [*Status], "method": [*Method]}


def read_frame(
    frame: object,
    columns: Mapping[str, str],
    factors: Sequence[str],
    notes: Sequence[str],
    scale: tuple[float | None, float | None],
    overall: str = "",
    sliced_by: Sequence[str] = (),
) -> pl.DataFrame:
    """Read a frame of any kind that narwhals knows; see `RatingsTable.from_frame`."""
    import narwhals as nw
    import polars as pl

    source: Any = nw.from_native(frame, pass_through=True)
    if isinstance(source, nw.LazyFrame):
        source = source.collect()
    if not isinstance(source, nw.DataFrame):
        raise InputError("error.stats.data_frame", found=type(frame).__name__)
    names = {field: columns.get(field, field) for field in schema()}
    named = [names[field] for field in _REQUIRED] + list(columns.values()) + [*factors, *notes]
    given = [field for field in ("score", "verdict") if names[field] in source.columns]
    named += [] if given else [names["score"]]
    absent = [name for name in dict.fromkeys(named) if name not in source.columns]
    if absent:
        raise InputError("error.stats.columns", absent=tuple(map(repr, absent)), found=tuple(map(repr, source.columns)))
    read = {field: _series(source[name], field) for field, name in names.items() if name in source.columns}
    table = pl.DataFrame(
        [
            *read.values(),
            *(_series(source[name], FACTOR_PREFIX + name) for name in factors),
            *(_series(source[name], NOTE_PREFIX + name) for name in notes),
        ],
    )
    for field in ("unit", "rater"):
        if table[field].null_count():
            place = table[field].is_null().arg_max()
            raise InputError("error.stats.empty_field", where=say("error.stats.row", row=(place or 0) + 1), field=field)
    has_dimension, has_overall = "dimension" in table.columns, "overall" in table.columns
    table = _with_defaults(table, *scale)
    _require_closed(table)
    _require_single(table)
    if has_dimension and not has_overall:
        table = with_overall(table, overall)
    elif overall:
        raise UsageError("error.stats.no_dimensions", rule=overall)
    return only_offered(_marked_invalid(table), sliced_by)


def _series(column: Any, field: str) -> pl.Series:
    import polars as pl

    kind = schema().get(field, pl.Categorical())
    native = column.to_native()
    values = native.alias(field) if isinstance(native, pl.Series) else pl.Series(field, column.to_list(), strict=False)
    try:
        if field in NUMBERS:
            numbers = values.cast(pl.Float64)
            return numbers.set(~numbers.is_finite(), None)
        if field in WHOLE_NUMBERS:
            return values.cast(pl.Int64)
        return values.cast(pl.String).cast(kind)
    except pl.exceptions.PolarsError as error:
        raise InputError("error.stats.numbers", column=column.name, problem=str(error).splitlines()[0]) from None


def _with_defaults(table: pl.DataFrame, minimum: float | None, maximum: float | None) -> pl.DataFrame:
    import polars as pl

    has_dimension, has_overall = "dimension" in table.columns, "overall" in table.columns
    fill: dict[str, Any] = {**dict.fromkeys(NAMES, ""), **_DEFAULTS, "minimum": minimum, "maximum": maximum}
    kinds = schema()
    table = table.with_columns(
        pl.lit(fill.get(field), dtype=kind).alias(field) for field, kind in kinds.items() if field not in table.columns
    )
    filled = [name for name in NAMES if fill[name] is not None]
    table = table.with_columns(pl.col(name).fill_null(pl.lit(fill[name], dtype=pl.Categorical())) for name in filled)
    if not has_dimension and not has_overall:
        table = table.with_columns(overall="score", overall_minimum="minimum", overall_maximum="maximum")
    if table["judgement"].null_count():
        # Numbered before grouping: inside a window, every group would count from 1.
        numbered = table.with_row_index("row_number", offset=1)
        first_row = pl.col("row_number").first().over(_REPEAT).cast(pl.String)
        table = numbered.with_columns(pl.col("judgement").fill_null("row " + first_row)).drop("row_number")
    return table.select(*kinds, pl.exclude(*kinds))


def _marked_invalid(table: pl.DataFrame) -> pl.DataFrame:
    """Make judgements invalid that have a score outside of its scale; scores are never moved to the scale's ends."""
    import polars as pl

    beyond = pl.any_horizontal(off_scale(), off_scale("overall")).any().over("judgement")
    invalid = pl.lit(Status.INVALID.value, dtype=pl.Categorical())
    return table.with_columns(pl.when(beyond).then(invalid).otherwise(pl.col("status")).alias("status"))


def off_scale(kind: str = "") -> pl.Expr:
    """Tell which rows have a score, or an overall score, outside of its scale; not those whose scale is not known."""
    import polars as pl

    low, high = (pl.col(f"{kind}_{end}" if kind else end) for end in ("minimum", "maximum"))
    score = pl.col(kind or "score")
    return ((score < low) | (score > high)).fill_null(value=False)


def _require_closed(table: pl.DataFrame) -> None:
    for field, allowed in _CLOSED.items():
        odd = set(table[field].cast(str).drop_nulls().unique()) - {str(value) for value in allowed}
        if odd:
            raise InputError("error.stats.choice", field=field, known=allowed, found=min(odd))


def _require_single(table: pl.DataFrame) -> None:
    import polars as pl

    key = [*_REPEAT, "dimension", "judgement"]
    doubled = table.filter(pl.struct(key).is_duplicated())
    if doubled.height:
        unit, rater, dimension = doubled.select(pl.col("unit", "rater", "dimension").cast(pl.String)).row(0)
        raise InputError(
            f"error.stats.rated_again{'_on' if dimension else ''}", unit=unit, rater=rater, dimension=dimension
        )
