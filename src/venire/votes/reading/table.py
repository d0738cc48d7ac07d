"""Votes from any table: what can be read is read, and what cannot is named, counted and left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import polars as pl

from venire.domain.vote import VOTE_COLUMNS, VoterKind
from venire.errors import InputError, UsageError
from venire.inputs.tables.record import refuse_nested
from venire.votes.reading.cells import RawVotes, open_votes
from venire.votes.reading.columns import REQUIRED, assign_columns
from venire.votes.reading.duplicates import Duplicates, find_duplicates, surplus
from venire.votes.reading.names import as_categories, fresh_categories
from venire.votes.reading.values import (
    UTC_TIME,
    Parsed,
    Refusal,
    parse_id,
    parse_kind,
    parse_label,
    parse_prompt,
    parse_reputation,
    parse_time,
    parse_time_if_any,
    parse_vote,
)
from venire.words.said import say

_REASONS = list(Refusal)
_FEW = ("voter_prompt_id", "voter_kind")
_SHOWN = 1000


class VoteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a table of votes is read."""

    columns: Mapping[str, str] = {}
    """Which column holds a field, where its name does not tell."""
    assume_zone: str | None = None
    """The zone that a time without one is meant in, such as `Europe/Berlin`; None refuses such times."""
    duplicates: Duplicates = Duplicates.LATEST
    """What is done with votes that stand twice."""
    future_tolerance: timedelta = timedelta(minutes=5)
    """How far a clock may run ahead before a time counts as lying in the future."""
    times_needed: bool = True
    """Whether a row without a time that can be read is refused. If not, times only tell which of a voter's votes on an
    inference is the later one: one without a zone is taken for UTC, and a vote without any for the earlier one."""
    labels: bool | None = False
    """Whether votes are the names of classes instead of numbers from 0 to 1; None: if no vote is a number."""

    @property
    def required(self) -> tuple[str, ...]:
        """The fields without which there is no vote."""
        return REQUIRED if self.times_needed else tuple(field for field in REQUIRED if field != "vote_time")


class RefusedRow(msgspec.Struct, frozen=True):
    """A row that is not a vote, and why."""

    row: int
    """Its number in the table from 1 on; a header is not counted."""
    reason: Refusal
    """Why."""
    found: str
    """What stands there, or what the reader said."""


class VoteTable(msgspec.Struct, frozen=True, eq=False):
    """Votes that were read, and the account of all rows: `rows = votes + no_vote + blank + refused`."""

    frame: pl.DataFrame
    """A row for each vote, with the columns of `VOTE_COLUMNS`; `vote` is null where someone did not vote."""
    where: str
    """What was read."""
    rows: int
    """How many rows the table has."""
    refused: dict[Refusal, int]
    """How many rows were left out, by reason."""
    examples: tuple[RefusedRow, ...]
    """The first thousand rows that were left out."""
    blank: int
    """How many rows have no cell at all."""
    duplicated: int
    """How many rows stand more than once, whether or not they were left out."""
    places: pl.Series | None = None
    """Where each row of the frame stood in the table, from 0 on; None if every row of the table is in the frame."""
    classes: Mapping[float, str] | None = None
    """The names of classes by the numbers that stand for them in the column `vote`; None if votes are numbers."""

    @property
    def no_vote(self) -> int:
        """How many rows say that someone did not vote."""
        return self.frame["vote"].null_count()

    @property
    def votes(self) -> int:
        """How many votes there are."""
        return self.frame.height - self.no_vote

    @property
    def refused_count(self) -> int:
        """How many rows were left out."""
        return sum(self.refused.values())


def read_votes(
    source: object, options: VoteOptions | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> VoteTable:
    """Read votes from a file, a data frame or records; a bad row costs no other and is counted.

    Raises `InputError` if the whole cannot be read, if a field has no column, or if votes stand twice and the policy
    is `error`; `UsageError` for a zone or column that does not exist.
    """
    chosen = options or VoteOptions()
    check_zone(chosen.assume_zone)
    raw = open_votes(source, chosen.columns)
    kinds = dict(raw.frame.collect_schema())
    if not kinds:
        return _account(raw, _empty(), pl.Series(dtype=pl.UInt8), pl.DataFrame(), chosen)
    fields = assign_columns(kinds, chosen.columns, raw.where, chosen.required)
    refuse_nested([name for name in fields.values() if kinds[name].is_nested()], raw.where)
    parsed = _parse(fields, kinds, chosen, now() + chosen.future_tolerance)
    values = [_compact(field, parsed[field].value) for field in VOTE_COLUMNS if field in parsed]
    blank = pl.all_horizontal(pl.col(list(kinds)).is_null()) if raw.where != "records" else pl.lit(value=False)
    code: Any = pl.when(blank).then(pl.lit(255, pl.UInt8))
    problems = [problem for column in parsed.values() for problem in column.problems]
    for wrong, reason in sorted(problems, key=lambda problem: _REASONS.index(problem[1])):
        code = code.when(wrong).then(pl.lit(_REASONS.index(reason) + 1, pl.UInt8))
    prepared = raw.frame
    for column in parsed.values():
        for step in column.steps:
            prepared = prepared.with_columns(step)
    wanted = prepared.select(*values, code.otherwise(pl.lit(0, pl.UInt8)).alias("__code"))
    try:
        frame = wanted.collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise InputError("error.table.unreadable", where=raw.where, error=error) from error
    codes = frame["__code"]
    frame = frame.drop("__code").with_columns(as_categories(frame["inference_id"]), *_constants(frame))
    if chosen.labels is None and _only_words(frame["vote"], codes):
        return read_votes(raw, msgspec.structs.replace(chosen, labels=True), now=now)
    frame, classes = _coded(frame) if chosen.labels else (frame, None)
    frame = _completed(frame)
    cells = raw.frame.select(pl.col(name).cast(pl.String, strict=False).alias(field) for field, name in fields.items())
    return msgspec.structs.replace(_account(raw, frame, codes, cells, chosen), classes=classes)


def _only_words(votes: pl.Series, codes: pl.Series) -> bool:
    """Tell whether there are votes, but none that is a number."""
    found = set(codes.unique())
    unreadable, outside = (_REASONS.index(reason) + 1 for reason in (Refusal.NOT_A_VOTE, Refusal.OUTSIDE))
    return unreadable in found and outside not in found and votes.null_count() == len(votes)


def _coded(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[float, str]]:
    """Put a number in the place of each class: the same in every table, so that tables read apart can be joined."""
    names = frame["vote"].drop_nulls().unique().sort().to_list()
    numbers = {name: float(int.from_bytes(blake2b(name.encode(), digest_size=6).digest())) for name in names}
    coded = pl.col("vote").replace_strict(numbers, return_dtype=pl.Float64())
    return frame.with_columns(coded), {number: name for name, number in numbers.items()}


def _parse(
    fields: Mapping[str, str], kinds: Mapping[str, Any], options: VoteOptions, latest: datetime
) -> dict[str, Parsed]:
    parsers: dict[str, Callable[[str, Any], Parsed]] = {
        "inference_id": lambda name, kind: parse_id(name, kind, Refusal.NO_INFERENCE),
        "voter_id": lambda name, kind: parse_id(name, kind, Refusal.NO_VOTER),
        "vote": parse_label if options.labels else parse_vote,
        "vote_time": lambda name, kind: (
            parse_time(name, kind, options.assume_zone, latest)
            if options.times_needed
            else parse_time_if_any(name, kind, options.assume_zone)
        ),
        "voter_prompt_id": parse_prompt,
        "reputation": parse_reputation,
        "voter_kind": parse_kind,
    }
    return {field: parsers[field](name, kinds[name]) for field, name in fields.items()}


def _account(
    raw: RawVotes, frame: pl.DataFrame, codes: pl.Series, cells: pl.DataFrame | pl.LazyFrame, options: VoteOptions
) -> VoteTable:
    """Leave out what is wrong or stands twice, and say how much of each there was."""
    rows = frame.height + len(raw.damaged)
    if codes.max():
        kept = (codes == 0).arg_true()
        frame = frame[kept]
    else:
        kept = None
    places = find_duplicates(frame)
    if len(places) and options.duplicates is Duplicates.ERROR:
        first = int(places[0]) if kept is None else int(kept[int(places[0])])
        raise InputError("error.votes.duplicates", where=raw.where, count=len(places), row=_number(raw, first))
    extra = surplus(frame, places, options.duplicates) if len(places) else places
    if len(extra):
        there = pl.int_range(frame.height, eager=True)
        original = extra if kept is None else kept.gather(extra)
        codes = codes.scatter(original, _REASONS.index(Refusal.DUPLICATE) + 1)
        there = there.filter(~there.is_in(extra.implode()))
        frame = frame[there]
        kept = there if kept is None else kept.gather(there)
    counted = dict(codes.value_counts().iter_rows()) if codes.max() else {}
    refused = {reason: counted.get(code, 0) for code, reason in enumerate(_REASONS, start=1) if code in counted}
    if raw.damaged:
        refused[Refusal.NOT_A_ROW] = len(raw.damaged)
    examples = _examples(raw, codes, cells)
    return VoteTable(frame, raw.where, rows, refused, examples, counted.get(255, 0), len(places), kept)


def _examples(raw: RawVotes, codes: pl.Series, cells: pl.DataFrame | pl.LazyFrame) -> tuple[RefusedRow, ...]:
    examples = [RefusedRow(number, Refusal.NOT_A_ROW, message) for number, message in raw.damaged[:_SHOWN]]
    wrong = ((codes > 0) & (codes < 255)).arg_true().head(_SHOWN) if codes.max() else pl.Series(dtype=pl.UInt32)
    if len(wrong):
        shown = cells.lazy().with_row_index("__row").filter(pl.col("__row").is_in(wrong.implode())).collect()
        for place, values in zip(shown["__row"], shown.drop("__row").iter_rows(named=True), strict=True):
            reason = _REASONS[codes[place] - 1]
            examples.append(RefusedRow(_number(raw, place), reason, _found(reason, values)))
    return tuple(sorted(examples, key=lambda each: each.row)[:_SHOWN])


def _found(reason: Refusal, values: Mapping[str, str | None]) -> str:
    field = reason.value.split(" ", 1)[0]
    if field in values:
        return repr(values[field]) if values[field] is not None else say("problem.nothing")
    return ", ".join(f"{name}={value}" for name, value in values.items() if value is not None)


def _number(raw: RawVotes, place: int) -> int:
    return place + 1 if raw.numbers is None else int(raw.numbers[place])


def _compact(field: str, value: pl.Expr) -> pl.Expr:
    """Keep few names that repeat once each; categories of their own are forgotten together with the table."""
    return (value.cast(fresh_categories()) if field in _FEW else value).alias(field)


def _constants(frame: pl.DataFrame) -> list[pl.Expr]:
    """Return columns in which all rows are equal as one value each, which takes no memory for the rows."""
    physical = {name: pl.col(name).to_physical() for name in _FEW if name in frame.columns}
    same = frame.select(codes.eq_missing(codes.first()).all().alias(name) for name, codes in physical.items())
    return [pl.lit(frame[name].head(1)).first().alias(name) for name in same.columns if frame.height and same[name][0]]


def _completed(frame: pl.DataFrame) -> pl.DataFrame:
    defaults = {
        "vote_time": pl.lit(None, UTC_TIME),
        "voter_prompt_id": pl.lit(""),
        "reputation": pl.lit(1.0),
        "voter_kind": pl.lit(VoterKind.PERSON.value),
    }
    missing = [value.alias(name) for name, value in defaults.items() if name not in frame.columns]
    return frame.with_columns(_compact(value.meta.output_name(), value) for value in missing).select(VOTE_COLUMNS)


def _empty() -> pl.DataFrame:
    text, number = pl.String(), pl.Float64()
    kinds = {
        "vote": number,
        "reputation": number,
        "vote_time": UTC_TIME,
        **dict.fromkeys(("inference_id", *_FEW), pl.Categorical()),
    }
    return pl.DataFrame(schema={name: kinds.get(name, text) for name in VOTE_COLUMNS})


def check_zone(zone: str | None) -> None:
    """Raise `UsageError` if there is no time zone of this name; None is no name."""
    if zone is None:
        return
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError("error.votes.no_zone", found=zone) from None
