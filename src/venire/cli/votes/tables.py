"""Tables of votes for people and for programs: with small bars at a terminal, or as CSV, JSON or Parquet."""

from __future__ import annotations

import math
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.cli.arguments.language import language, words
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, open_console, tell, write
from venire.cli.votes.options import options_of
from venire.domain.hidden import show_controls
from venire.words.language import DEFAULT
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from venire.errors import InputError
    from venire.stats.result import Estimate
    from venire.votes.analysis.judges_against_people import JudgeAgainstPeople
    from venire.votes.reading.account import VoteAccount
    from venire.votes.reading.source import VoteSource
    from venire.votes.reading.table import VoteTable
    from venire.votes.reading.values import Refusal

_BAR = 20
_PARTS = " ▏▎▍▌▋▊▉█"
_REFUSED_SHOWN = 10
_CLASSES_SHOWN = 10
_CODED = frozenset({"voter_kind", "leader"})
"""The columns whose values are ours and not the voters'."""


def read_source(source: str, given: dict[str, Any], *, times_needed: bool = True) -> VoteSource:
    """Read votes as the options say, and tell of rows that are none and of votes that are classes."""
    from venire.errors import UsageError
    from venire.votes.reading.shards import names_several
    from venire.votes.reading.source import open_vote_source

    if names_several(source):
        raise UsageError("error.cli.not_over_shards", found=source)
    read = open_vote_source(source, options_of(given, times_needed=times_needed), prompt=given.get("prompt"))
    if read.table is not None:
        tell_account(read.table)
        _tell_classes(read.table, offered="labels" in given)
        if not read.table.frame.height:
            raise _no_votes(read.table)
    return read


def _no_votes(table: VoteTable) -> InputError:
    """Say why there is nothing to compute from, lest an empty answer be taken for a good one."""
    from venire.errors import InputError

    if not table.refused:
        return InputError("error.cli.no_votes", where=table.where)
    reason = max(table.refused, key=lambda each: table.refused[each])
    return InputError("error.cli.no_row_is_a_vote", where=table.where, rows=table.rows, reason=_said(reason))


def _said(reason: Refusal) -> str:
    return say(f"problem.vote.{reason.name.lower()}")


def _tell_classes(table: VoteTable, *, offered: bool) -> None:
    from venire.votes.reading.values import Refusal

    if table.classes is not None:
        names = sorted(table.classes.values())
        shown = (*(repr(name) for name in names[:_CLASSES_SHOWN]), *(["…"] if len(names) > _CLASSES_SHOWN else []))
        tell("votes.classes", where=table.where, count=len(names), classes=shown, err=True)
    elif offered and {Refusal.NOT_A_VOTE, Refusal.OUTSIDE} & set(table.refused):
        tell("votes.say_labels", err=True)


def tell_account(table: VoteTable | VoteAccount) -> None:
    """Tell what became of every row, if any of them is no vote."""
    if table.refused_count + table.blank:
        print_account(table)


def tell_strangers(votes: pl.DataFrame, levels: Mapping[str, str], factor: str) -> None:
    """Tell of votes that no group has."""
    import polars as pl

    strangers = votes.filter(pl.col("vote").is_not_null(), ~pl.col("inference_id").cast(pl.String).is_in(list(levels)))
    if strangers.height:
        outputs = strangers["inference_id"].n_unique()
        tell("votes.strangers", votes=strangers.height, outputs=outputs, factor=factor, err=True)


def print_account(table: VoteTable | VoteAccount) -> None:
    """Tell what became of every row of a table, or of several."""
    counted = {
        "rows": table.rows, "votes": table.votes, "no_vote": table.no_vote, "blank": table.blank,
        "duplicates": table.duplicated, "left_out": table.refused_count,
    }  # fmt: skip
    counts = [
        say(f"votes.count.{name}", count=count) for name, count in counted.items() if count or name in ("rows", "votes")
    ]
    tell("votes.account", where=table.where, counts=counts, err=True)
    if not table.rows:
        tell("votes.no_rows", where=table.where, err=True)
    for reason, count in table.refused.items():
        tell("votes.refused", count=count, reason=_said(reason), err=True)
    for each in table.examples[:_REFUSED_SHOWN]:
        found = each.found.replace("\n", " ")
        tell("votes.refused_row", row=str(each.row), reason=_said(each.reason), found=found, err=True)
    if table.refused_count > _REFUSED_SHOWN:
        tell("votes.more_refused", count=table.refused_count - _REFUSED_SHOWN, err=True)


def write_frame(frame: pl.DataFrame, given: dict[str, Any], *, bar: str | None, title: str) -> None:
    """Write a table in the wanted format, to the wanted place."""
    chosen, output = given["format"], given["output"]
    if chosen == "table":
        _print_table(frame, given["limit"], bar, title, output)
        return
    flat = _flat(frame) if chosen == "csv" else frame
    if chosen == "parquet":
        _require_file(output)
        flat.write_parquet(output)
        return
    text = flat.write_csv() if chosen == "csv" else _json(flat)
    if output is None:
        write(text, nl=chosen == "json")
    else:
        put_file(output, text.encode())


def print_bins(bins: Sequence[int]) -> None:
    """Print how votes are spread from 0 to 1."""
    most = max(bins) or 1
    for number, count in enumerate(bins):
        echo(f"{number / 10:.1f}–{(number + 1) / 10:.1f} {draw_bar(count / most)} {count:,}")


def comparison_frame(found: Sequence[JudgeAgainstPeople]) -> pl.DataFrame:
    """Return the comparison of judges and people as a table."""
    import polars as pl

    rows = []
    for each in found:
        row: dict[str, object] = {
            "judge": each.judge, "slice": each.slice, "inferences": each.inferences, "people": each.people,
        }  # fmt: skip
        for name in ("agreement", "kappa", "bias", "correlation"):
            estimate = getattr(each, name)
            row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def table_language(given: dict[str, Any]) -> str:
    """Return the language of a table's texts: the reader's in a terminal, English in files for programs."""
    return language() if given["format"] == "table" else DEFAULT


def estimates_frame(found: Mapping[str, Estimate], spoken: str) -> pl.DataFrame:
    """Return estimates as a table, a row each; what it says is said in a language."""
    import polars as pl

    from venire.reports.words import ReportWords

    known = ReportWords(spoken)
    rows = [
        {
            "statistic": known(f"votes.statistic.{name}"),
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "standard_error": each.standard_error,
            "n": known.counts(each.n),
            "method": known.of(each.method),
            "reason": known.of(each.reason),
        }
        for name, each in found.items()
    ]
    numbers = dict.fromkeys(("value", "low", "high", "standard_error"), pl.Float64())
    return pl.DataFrame(rows, schema_overrides=numbers)


def read_slices(path: Path | None) -> dict[str, str] | None:
    """Read which slice each inference belongs to."""
    import polars as pl

    from venire.errors import InputError

    if path is None:
        return None
    try:
        frame = pl.read_csv(path, infer_schema=False, glob=False).select("inference_id", "slice")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError("error.cli.slices", where=str(path), problem=str(error).splitlines()[0]) from error
    return dict(frame.drop_nulls().iter_rows())


def draw_bar(share: float) -> str:
    """Draw a bar of a share from 0 to 1.

    >>> draw_bar(0.5)
    '██████████          '
    """
    eighths = round(max(0.0, min(1.0, share)) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_PARTS[rest] if rest else "")).ljust(_BAR)


def _print_table(frame: pl.DataFrame, limit: int, bar: str | None, title: str, output: Path | None) -> None:
    from rich.table import Table
    from rich.text import Text

    # A terminal tells its width; elsewhere rows are not wrapped.
    width = None if output is None and sys.stdout.isatty() else 200
    table = Table(title=Text(words().of(title)), title_justify="left", box=None)
    numbers = {name for name, kind in frame.schema.items() if kind.is_numeric()}
    for name in frame.columns:
        table.add_column(_header(name), justify="right" if name in numbers else "left", overflow="fold")
    most = _most(frame, bar)
    if bar:
        table.add_column("")
    for row in frame.head(limit).iter_rows(named=True):
        cells = [Text(_cell(value, name)) for name, value in row.items()]
        table.add_row(*cells, *([Text(draw_bar((row[bar] or 0) / most))] if bar else []))
    if output is None:
        open_console(width=width, soft_wrap=False).print(table)
    else:
        with output.open("w", encoding="utf-8") as file:
            open_console(file=file, width=width).print(table)
    if frame.height > limit:
        tell("votes.more_rows", count=frame.height - limit, err=True)


def _most(frame: pl.DataFrame, bar: str | None) -> float:
    if bar is None or not frame.height or not frame[bar].dtype.is_integer():
        return 1.0
    return float(frame[bar].max() or 1)  # type: ignore[arg-type]


def _header(name: str) -> str:
    """Return what a column is called in a terminal: one of ours by its code, a factor of the data as in the data."""
    code = f"vote_column.{name}"
    return words()(code) if code in words() else name


def _cell(value: object, column: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return words()("answer.yes") if value else ""
    if isinstance(value, float):
        return f"{value:.4f}" if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if column in _CODED and f"vote_value.{value}" in words():
        return words()(f"vote_value.{value}")
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return show_controls(text)  # Names come from whoever voted.


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    lists = [pl.col(name).cast(pl.List(pl.String)).list.join(" ").alias(name) for name in nested]
    # A cell that a spreadsheet would take for a formula is defused.
    words = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical)]
    text = [pl.col(name).cast(pl.String).str.replace(r"^([=+\-@\t\r])", "'${1}").alias(name) for name in words]
    return frame.with_columns(*lists, *text)


def _json(frame: pl.DataFrame) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(frame.to_dicts()), indent=1).decode()


def _require_file(output: Path | None) -> None:
    from venire.errors import UsageError

    if output is None:
        raise UsageError("error.cli.parquet_terminal")
