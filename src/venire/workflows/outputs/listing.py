"""Lists of outputs: filters, orders and pages, and what one can filter by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from venire.reports.outputs.asked import OF_JUDGEMENTS, OF_VOTES, Only, Order, OutputFilter
from venire.reports.outputs.rows import Facets, Level, OutputPage, OutputRow
from venire.stats.ratings.columns import is_offered
from venire.workflows.outputs.index import OutputIndex

PAGE = 50
"""How many outputs a page of a list has."""
MOST_LEVELS = 200
"""How many values of a factor one can choose from; a factor with more is found by searching."""
_IN_INDEX = {"judgement": "key", "voter": "kind"}
"""What conditions are called in the index, where it is not the same."""
_NAMES = ("model", "variant", "question", "protocol", "same")


_COLUMNS = (
    "o.key, o.digest, o.subject, o.protocol, o.output_id, o.question, o.variant, o.model, o.same, o.characters,"
    " o.beginning, o.levels, o.score, o.apart, o.verdicts, o.judgements, o.invalid, o.id, o.voted, o.good"
)
_ORDERS = {
    Order.WORST: "o.score IS NULL, o.score, o.good IS NULL, o.good, o.voted IS NULL, o.voted, o.id",
    Order.BEST: "o.score IS NULL, o.score DESC, o.good IS NULL, o.good DESC, o.voted IS NULL, o.voted DESC, o.id",
    Order.DISPUTED: "o.verdicts > 1 DESC, o.apart IS NULL, o.apart DESC, o.voted IS NULL, abs(o.voted - 0.5), o.id",
    Order.RECORDED: "o.id",
}
_KINDS = {
    Only.DISPUTED: "o.verdicts > 1",
    Only.INVALID: "o.invalid > 0",
    Only.UNJUDGED: "o.judgements = 0",
    Only.VOTED: "o.output_id IN (SELECT output_id FROM vote WHERE given IS NOT NULL)",
    Only.MARKED: "o.digest IN (SELECT output FROM note)",
}


def list_outputs(
    index: OutputIndex, wanted: OutputFilter, order: Order = Order.WORST, first: int = 0, limit: int = PAGE
) -> OutputPage:
    """Return a page of the outputs that a filter holds for."""
    where, values = _where(wanted)
    total = index.one(f"SELECT count(*) FROM output o WHERE {where}", values)  # noqa: S608 - values are bound
    rows = index.rows(
        f"SELECT {_COLUMNS} FROM output o WHERE {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",  # noqa: S608
        (*values, limit, first),
    )
    return OutputPage(tuple(OutputRow(*row) for row in rows), total, first)


def find_row(index: OutputIndex, key: str) -> OutputRow | None:
    """Return one output; None if there is none of this key."""
    rows = index.rows(f"SELECT {_COLUMNS} FROM output o WHERE o.key = ?", (key,))  # noqa: S608
    return OutputRow(*rows[0]) if rows else None


def neighbours(
    index: OutputIndex, wanted: OutputFilter, order: Order, row: OutputRow, first: int
) -> tuple[OutputPage, str, str]:
    """Return the page of a list on which an output stands, and the keys before and behind it; empty at the ends.

    It is looked for from the place `first` on; if it is not there any more, the page there is all that is known.
    """
    page = list_outputs(index, wanted, order, max(0, first - 1), PAGE + 2)
    keys = [each.key for each in page.rows]
    before = after = ""
    if row.key in keys:
        place = keys.index(row.key)
        before, after = keys[place - 1] if place else "", keys[place + 1] if place + 1 < len(keys) else ""
    shown = page.rows[1 if first else 0 :][:PAGE]
    return OutputPage(shown, page.total, first), before, after


def read_facets(index: OutputIndex) -> Facets:
    """Return what one can filter by."""
    counts = ", ".join(f"coalesce(sum({condition}), 0)" for condition in _KINDS.values())
    total, *kinds = index.rows(f"SELECT count(*), {counts} FROM output o")[0]  # noqa: S608 - conditions are ours
    fields = {
        name: _levels(index, f"SELECT {name}, count(*) FROM output GROUP BY {name} ORDER BY {name}")  # noqa: S608
        for name in ("model", "variant", "protocol")
    }
    names = index.rows("SELECT name, min(is_note) FROM factor GROUP BY name ORDER BY min(is_note), name")
    query = "SELECT value, count(*) FROM factor WHERE name = ? GROUP BY value ORDER BY value LIMIT ?"
    factors = {name: _levels(index, query, (name, MOST_LEVELS + 1)) for name, _ in names}
    notes = {name for name, is_note in names if is_note}
    by = "SELECT {0}, count(DISTINCT output) FROM judgement WHERE {0} <> '' GROUP BY {0} ORDER BY {0}"
    return Facets(
        outputs=total,
        is_ordered=bool(index.one("SELECT 1 FROM output WHERE coalesce(score, good, voted) IS NOT NULL LIMIT 1")),
        kinds=dict(zip(_KINDS, kinds, strict=True)),
        fields={name: levels for name, levels in fields.items() if len(levels) > 1},
        factors={name: found for name, found in factors.items() if _is_offered(name, found, total, name in notes)},
        judges=_levels(index, by.format("judge")),
        verdicts=_levels(index, by.format("verdict")),
    )


def _is_offered(name: str, levels: tuple[Level, ...], outputs: int, is_note: bool) -> bool:
    """Tell whether one can choose among values: there are several, not too many, and notes are no measurements."""
    if is_note:
        return is_offered(name, [each.value for each in levels], outputs)
    return 1 < len(levels) <= MOST_LEVELS


def _levels(index: OutputIndex, query: str, values: tuple[Any, ...] = ()) -> tuple[Level, ...]:
    return tuple(Level(*row) for row in index.rows(query, values) if row[0])


def _where(wanted: OutputFilter) -> tuple[str, tuple[Any, ...]]:
    parts = list(_conditions(wanted))
    return " AND ".join(part for part, _ in parts) or "1", tuple(value for _, values in parts for value in values)


def _conditions(wanted: OutputFilter) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for name in _NAMES:
        if values := getattr(wanted, name):
            yield f"o.{name} IN ({_marks(values)})", values
    if wanted.unit:
        yield f"o.digest IN ({_marks(wanted.unit)})", wanted.unit
    for name, values in wanted.factors.items():
        query = f"o.id IN (SELECT output FROM factor WHERE name = ? AND value IN ({_marks(values)}))"  # noqa: S608
        yield query, (name, *values)
    by = [(_IN_INDEX.get(name, name), getattr(wanted, name)) for name in OF_JUDGEMENTS if getattr(wanted, name)]
    if by or wanted.counted or wanted.sequences:
        yield _judged_condition(by, wanted)
    cast = [(_IN_INDEX.get(name, name), getattr(wanted, name)) for name in OF_VOTES if getattr(wanted, name)]
    if cast or wanted.voted or wanted.votes:
        yield _voted_condition(cast, wanted)
    if wanted.only is not None:
        yield _KINDS[wanted.only], ()
    if wanted.text:
        folded = wanted.text.casefold()
        yield (
            "(o.id IN (SELECT output FROM text WHERE instr(folded, ?)) OR instr(lower(o.output_id), ?))",
            (folded, folded),
        )


def _judged_condition(by: list[tuple[str, tuple[Any, ...]]], wanted: OutputFilter) -> tuple[str, tuple[Any, ...]]:
    """Return the condition that one judgement fulfils all that is asked of judgements."""
    parts = [f"j.{name} IN ({_marks(values)})" for name, values in by]
    bound = [value for _, values in by for value in values]
    if wanted.counted:
        parts.append("j.counted")
    if wanted.sequences:
        parts.append("j.sequence IN (SELECT value FROM json_each(?))")
        bound.append(msgspec.json.encode(wanted.sequences).decode())
    return f"o.id IN (SELECT j.output FROM judgement j WHERE {' AND '.join(parts)})", tuple(bound)  # noqa: S608


def _voted_condition(by: list[tuple[str, tuple[Any, ...]]], wanted: OutputFilter) -> tuple[str, tuple[Any, ...]]:
    """Return the condition that one vote that stands fulfils all that is asked of votes."""
    parts = ["v.given IS NOT NULL", *(f"v.{name} IN ({_marks(values)})" for name, values in by)]
    bound = [value for _, values in by for value in values]
    if wanted.votes:
        parts.append("v.sequence IN (SELECT value FROM json_each(?))")
        bound.append(msgspec.json.encode(wanted.votes).decode())
    return f"o.output_id IN (SELECT v.output_id FROM vote v WHERE {' AND '.join(parts)})", tuple(bound)  # noqa: S608


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))
