"""How numbers become cells, and cells tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from venire.reports.report import Column, ReportCell, Row, Rows, Table, Unit
from venire.stats.agreement.bands import correlation_band
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venire.stats.result import Estimate

_COUNT = say("method.count")

NOTHING = "–"
"""What a cell of words shows where there is nothing to show."""

Draft = tuple[tuple[str, ...], "Sequence[ReportCell]"]
"""The names of a row and its cells, whose ids are still to be given."""


def estimate_cell(estimate: Estimate, rows: Rows, unit: Unit, scale: tuple[float, float] | None = None) -> ReportCell:
    """Make a cell of an estimate; an interval that reaches beyond the scale is cut off at its ends."""
    low, high, method = estimate.low, estimate.high, estimate.method
    if scale is not None and low is not None and high is not None and (low < scale[0] or high > scale[1]):
        low, high = max(low, scale[0]), min(high, scale[1])
        method = say("method.with_scale_ends", method=method)
    return ReportCell(
        id="", unit=unit, value=estimate.value, low=low, high=high, level=estimate.level, scale=scale, n=estimate.n,
        method=method, reason=estimate.reason, note=estimate.note, rows=rows,
    )  # fmt: skip


def correlation_cell(estimate: Estimate, rows: Rows) -> ReportCell:
    """Make a cell of a Pearson correlation, with the word for its size."""
    band = correlation_band(estimate)
    cell = estimate_cell(estimate, rows, "coefficient")
    return msgspec.structs.replace(cell, word=f"correlation.{band.id}" if band else "")


def number_cell(
    value: float | None, rows: Rows, unit: Unit = "count", *, method: str = _COUNT, reason: str = "", n: int = -1
) -> ReportCell:
    """Make a cell of a plain number."""
    missing = reason or (say("reason.no_observations") if value is None else "")
    return ReportCell(
        id="", unit=unit, value=value, method=method, reason=missing, rows=rows, n={"values": n} if n >= 0 else {}
    )


def word_cell(word: str, rows: Rows, *, method: str = "", reason: str = "") -> ReportCell:
    """Make a cell of a word; an empty one is not known and needs a reason."""
    return ReportCell(id="", unit="word", word=word, rows=rows, method=method, reason=reason)


def text_cell(text: str, rows: Rows) -> ReportCell:
    """Make a cell of words that come from the data."""
    return ReportCell(id="", unit="word", text=text, rows=rows)


def rank_cell(best: int | None, worst: int | None, rows: Rows, *, method: str = "", reason: str = "") -> ReportCell:
    """Make a cell of the ranks that a model may have, such as `1–3`; not known where an end is not."""
    text = "" if best is None else str(best) if best == worst else f"{best}–{worst}"
    return ReportCell(id="", unit="word", text=text, rows=rows, method=method, reason=reason)


def where(*conditions: Mapping[str, str | Sequence[str]], among: str = "counted", dimension: str = "") -> Rows:
    """Make the filter of a cell from conditions, of which all must hold."""
    merged: dict[str, tuple[str, ...]] = {}
    for condition in conditions:
        merged |= {name: (value,) if isinstance(value, str) else tuple(value) for name, value in condition.items()}
    return Rows(among=among, where=merged, dimension=dimension)  # type: ignore[arg-type]


def make_table(table_id: str, heads: Sequence[str], columns: Sequence[Column | str], drafts: Iterable[Draft]) -> Table:
    """Make a table, giving every cell its id: the table's, the names of its row, and its column's."""
    made = tuple(Column(column) if isinstance(column, str) else column for column in columns)
    drafted = list(drafts)
    stems = _told_apart([".".join([table_id, *(slug(name) for name in names)]) for names, _ in drafted])
    ends = _told_apart([slug(column.id) for column in made])
    rows = [
        Row(names, tuple(_named(cell, f"{stem}.{end}") for cell, end in zip(cells, ends, strict=True)))
        for stem, (names, cells) in zip(stems, drafted, strict=True)
    ]
    return Table(table_id, tuple(heads), made, tuple(rows))


def _told_apart(names: list[str]) -> list[str]:
    """Add a number to names that came out alike, from the second on."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        result.append(name if taken[name] == 1 else f"{name}~{taken[name]}")
    return result


def slug(name: str) -> str:
    """Reduce a name to letters, digits, dots within, hyphens and underscores, for use in a cell's id.

    >>> slug("GLM 4.7 <b>")
    'GLM-4_7-b'
    """
    return re.sub(r"[^\w-]+", "-", name.replace(".", "_")).strip("-") or "none"


def _named(cell: ReportCell, cell_id: str) -> ReportCell:
    return msgspec.structs.replace(cell, id=cell_id)
