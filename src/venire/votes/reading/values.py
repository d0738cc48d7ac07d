"""The cells of a table of votes as values, a whole column at a time, each with the reason why it is none.

Everything here is an expression that Polars evaluates for all rows at once. A cell that cannot be read is null in the
value and gives a reason; where several cells of a row are wrong, the row gives the first reason in the order below.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from venire.domain.vote import VoterKind
from venire.words.said import Said, say

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

UTC_TIME = pl.Datetime("us", "UTC")
"""How moments are kept: microseconds in UTC."""

_NO_VOTE = ["", "null", "none", "nan", "na"]
_NO_LABEL = ["", "null", "nan"]  # "none" and "na" are names that classes have.
_ISO_8601 = (
    r"^(?P<date>\d{4}-\d{2}-\d{2})[Tt ](?P<minute>\d{2}:\d{2})(?P<second>:\d{2})?(?P<fraction>[.,]\d+)?"
    r"(?P<zone>[Zz]|[+\-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$"
)


class Refusal(StrEnum):
    """Why a row is not a vote."""

    NOT_A_ROW = str(say("problem.vote.not_a_row"))
    """The line is damaged: too many fields, not JSON, not UTF-8."""
    NO_INFERENCE = str(say("problem.vote.no_inference"))
    """No output is named."""
    NO_VOTER = str(say("problem.vote.no_voter"))
    """No voter is named."""
    NOT_A_VOTE = str(say("problem.vote.not_a_vote"))
    """The vote cannot be read."""
    OUTSIDE = str(say("problem.vote.outside"))
    """The vote is a number that is none."""
    NO_TIME = str(say("problem.vote.no_time"))
    """No moment is given."""
    NO_ZONE = str(say("problem.vote.no_zone"))
    """The moment may be any of a day's hours; `--assume-zone` says which zone is meant."""
    NOT_IN_ZONE = str(say("problem.vote.not_in_zone"))
    """Clocks were put forward or back at that moment."""
    NOT_A_TIME = str(say("problem.vote.not_a_time"))
    """The moment cannot be read."""
    FUTURE = str(say("problem.vote.future"))
    """The moment is later than now and the tolerance."""
    NOT_A_REPUTATION = str(say("problem.vote.not_a_reputation"))
    """The weight cannot be one."""
    NOT_A_KIND = str(say("problem.vote.not_a_kind"))
    """Nobody else votes."""
    DUPLICATE = str(say("problem.vote.duplicate"))
    """Left out by the policy for duplicates."""

    @property
    def said(self) -> Said:
        """The reason as a sentence that can be said in another language."""
        return say(f"problem.vote.{self.name.lower()}")


class Parsed(NamedTuple):
    """A column of values, and why those that are missing are."""

    value: pl.Expr
    """The values; null where there is none."""
    problems: list[tuple[pl.Expr, Refusal]]
    """Where a value is refused, and why; the first that is true counts."""
    steps: tuple[pl.Expr, ...] = ()
    """Columns to be made first, one after the other; what is used more than once is then computed only once."""


def parse_id(name: str, kind: PolarsDataType, missing: Refusal) -> Parsed:
    """Read names; whole numbers lose the decimal point that a table with gaps gave them."""
    value = _text(name, kind)
    return Parsed(value, [(value.is_null() | (value.str.strip_chars() == ""), missing)])


def parse_prompt(name: str, kind: PolarsDataType) -> Parsed:
    """Read the names of prompts; one that is missing is empty."""
    return Parsed(_text(name, kind).fill_null(""), [])


def parse_vote(name: str, kind: PolarsDataType) -> Parsed:
    """Read votes; what is empty, null or NaN is no vote."""
    column = pl.col(name)
    if kind.is_numeric() or kind in (pl.Boolean, pl.Null):
        value = column.cast(pl.Float64).fill_nan(None)
        return Parsed(value, [((value < 0) | (value > 1), Refusal.OUTSIDE)])
    text, value = pl.col("__vote_text"), pl.col("__vote_value")
    number = pl.when(text == "true").then(1.0).when(text == "false").then(0.0)
    steps = (
        _text(name, kind).str.strip_chars().str.to_lowercase().alias("__vote_text"),
        number.otherwise(text.cast(pl.Float64, strict=False)).fill_nan(None).alias("__vote_value"),
    )
    unreadable = value.is_null() & text.is_not_null() & ~text.is_in(_NO_VOTE)
    return Parsed(value, [(unreadable, Refusal.NOT_A_VOTE), ((value < 0) | (value > 1), Refusal.OUTSIDE)], steps)


def parse_label(name: str, kind: PolarsDataType) -> Parsed:
    """Read votes as the names of classes; what is empty, null or NaN is no vote."""
    text = _text(name, kind).str.strip_chars()
    return Parsed(pl.when(~text.str.to_lowercase().is_in(_NO_LABEL)).then(text), [])


def parse_time_if_any(name: str, kind: PolarsDataType, zone: str | None) -> Parsed:
    """Read moments that only tell which vote is the later one; what cannot be read is null, and refuses no row."""
    parsed = parse_time(name, kind, zone or "UTC", datetime.max.replace(tzinfo=UTC))
    return Parsed(parsed.value, [], parsed.steps)


def parse_time(name: str, kind: PolarsDataType, zone: str | None, latest: datetime) -> Parsed:
    """Read moments; one without a zone is refused unless a zone is assumed, and so is one after `latest`."""
    steps = _datetime_steps(name, kind.time_zone) if isinstance(kind, pl.Datetime) else _iso_steps(_text(name, kind))
    given, local = pl.col("__time_given"), pl.col("__time_local")
    utc = pl.col("__time_utc")
    problems = [(given.is_null(), Refusal.NO_TIME)]
    if zone is None:
        problems.append((utc.is_null() & local.is_not_null(), Refusal.NO_ZONE))
    else:
        assumed = local.dt.replace_time_zone(zone, ambiguous="null", non_existent="null").dt.convert_time_zone("UTC")
        steps = (*steps, pl.coalesce(utc, assumed).alias("__time_known"))
        utc = pl.col("__time_known")
        problems.append((utc.is_null() & local.is_not_null(), Refusal.NOT_IN_ZONE))
    problems += [(utc.is_null(), Refusal.NOT_A_TIME), (utc > pl.lit(latest).cast(UTC_TIME), Refusal.FUTURE)]
    return Parsed(utc, problems, steps)


def parse_reputation(name: str, kind: PolarsDataType) -> Parsed:
    """Read reputations; one that is missing is 1."""
    given = pl.col(name) if kind.is_numeric() else _text(name, kind).str.strip_chars()
    if not kind.is_numeric():
        given = pl.when(given != "").then(given)
    value = given.cast(pl.Float64, strict=False).fill_nan(None)
    sound = (value > 0) & value.is_finite()
    missing = given.is_null() | (given.is_nan() if kind.is_float() else pl.lit(value=False))
    return Parsed(value.fill_null(1.0), [(~missing & ~sound.fill_null(value=False), Refusal.NOT_A_REPUTATION)])


def parse_kind(name: str, kind: PolarsDataType) -> Parsed:
    """Read who voted; one that is missing is a person."""
    value = _text(name, kind).str.strip_chars().str.to_lowercase().replace("", None).fill_null(VoterKind.PERSON.value)
    return Parsed(value, [(~value.is_in([each.value for each in VoterKind]), Refusal.NOT_A_KIND)])


def _text(name: str, kind: PolarsDataType) -> pl.Expr:
    column = pl.col(name)
    if kind.is_float():
        whole = column == column.floor()
        number = pl.when(whole).then(column.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(None)
        return pl.coalesce(number, column.fill_nan(None).cast(pl.String))
    return column if kind == pl.String else column.cast(pl.String)


def _datetime_steps(name: str, zone: str | None) -> tuple[pl.Expr, ...]:
    column = pl.col(name)
    zoned = column.cast(UTC_TIME) if zone else pl.lit(None, UTC_TIME)
    local = pl.lit(None, pl.Datetime("us")) if zone else column.cast(pl.Datetime("us"))
    return column.alias("__time_given"), zoned.alias("__time_utc"), local.alias("__time_local")


def _iso_steps(text: pl.Expr) -> tuple[pl.Expr, ...]:
    """Read texts as clock times and offsets: moments where there is an offset, clock times of no zone otherwise."""
    stripped = text.str.strip_chars()
    parts = pl.col("__time_parts").struct
    second, fraction = parts.field("second").fill_null(":00"), parts.field("fraction").fill_null("")
    digits = pl.concat_str(
        parts.field("date"), pl.lit("T"), parts.field("minute"), second, fraction.str.replace(",", ".", literal=True)
    )
    offset = parts.field("zone")
    hours, rest = offset.str.slice(1, 2).cast(pl.Int64, strict=False), offset.str.slice(3).str.strip_chars_start(":")
    minutes = hours.fill_null(0) * 60 + rest.cast(pl.Int64, strict=False).fill_null(0)
    east = pl.when(offset.str.starts_with("-")).then(-minutes).otherwise(minutes)
    clock = pl.col("__time_clock")
    return (
        pl.when(stripped != "").then(stripped).alias("__time_given"),
        pl.col("__time_given").str.extract_groups(_ISO_8601).alias("__time_parts"),
        digits.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us").alias("__time_clock"),
        pl.when(offset.is_not_null())
        .then((clock - pl.duration(minutes=east)).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))
        .alias("__time_utc"),
        pl.when(offset.is_null()).then(clock).alias("__time_local"),
    )
