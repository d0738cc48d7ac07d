"""Lists of outputs: filters, orders and pages, and what one can filter by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from venire.workflows.outputs.index import OutputIndex

PAGE = 50
"""How many outputs a page of a list has."""
MOST_LEVELS = 200
"""How many values of a factor one can choose from; a factor with more is found by searching."""
_NAMES = ("model", "variant", "question", "protocol", "same")


class Order(StrEnum):
    """Which outputs come first."""

    WORST = "worst"
    """Those with the lowest score."""
    BEST = "best"
    """Those with the highest score."""
    DISPUTED = "disputed"
    """Those whose judges lie furthest apart."""
    RECORDED = "recorded"
    """Those that were recorded first."""


class Only(StrEnum):
    """A kind of outputs that one looks for."""

    DISPUTED = "disputed"
    """Judges gave different verdicts."""
    INVALID = "invalid"
    """At least one judgement is invalid."""
    UNJUDGED = "unjudged"
    """Nobody has judged it yet."""
    VOTED = "voted"
    """People have voted on it."""
    MARKED = "marked"
    """A reader has marked it."""


class OutputFilter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which outputs are meant; all conditions must hold, and of several values of one condition any."""

    model: tuple[str, ...] = ()
    """The models that produced them."""
    variant: tuple[str, ...] = ()
    """The prompt variants."""
    question: tuple[str, ...] = ()
    """The questions."""
    protocol: tuple[str, ...] = ()
    """The protocols they were judged under."""
    same: tuple[str, ...] = ()
    """What outputs that answer the same question have in common."""
    factors: Mapping[str, tuple[str, ...]] = {}
    """Further factors by name."""
    judge: tuple[str, ...] = ()
    """Judges who judged them."""
    verdict: tuple[str, ...] = ()
    """Verdicts that they were given; by one of the judges, if some are named."""
    status: tuple[str, ...] = ()
    """The status of a judgement, likewise."""
    run: tuple[str, ...] = ()
    """Runs in which they were judged, likewise."""
    counted: bool = False
    """Whether only judgements that count are meant."""
    sequences: tuple[int, ...] = ()
    """Entries of judgements."""
    unit: tuple[str, ...] = ()
    """The outputs themselves, by digest."""
    only: Only | None = None
    """A kind of outputs."""
    text: str = ""
    """Words that stand in the output or in its name."""


class OutputRow(msgspec.Struct, frozen=True):
    """An output in a list."""

    key: str
    """What its page is called."""
    digest: str
    """The unit of the ratings."""
    subject: str
    """The entry that holds it."""
    protocol: str
    """The protocol it was judged under; empty if nobody judged it."""
    output_id: str
    """Its name."""
    question: str
    """The question that was answered."""
    variant: str
    """The version of the prompt."""
    model: str
    """The model that produced it."""
    same: str
    """Alike for outputs that answer the same question."""
    characters: int | None
    """How long it is; None if the source does not hold the text."""
    beginning: str
    """Its first words."""
    levels: str
    """The values of its factors."""
    score: float | None
    """The panel's score on 0-10."""
    apart: float | None
    """How many points judges lie apart."""
    verdicts: int
    """How many different verdicts judges gave."""
    judgements: int
    """How many judgements there are."""
    invalid: int
    """How many of them are invalid."""
    number: int
    """Its number in the index."""

    @property
    def place(self) -> tuple[str, ...]:
        """Its place in the experiment, as far as it is known."""
        return tuple(filter(None, (self.question, self.variant, self.levels)))


class OutputPage(msgspec.Struct, frozen=True):
    """A page of a list."""

    rows: tuple[OutputRow, ...]
    """The outputs."""
    total: int
    """How many there are in all."""
    first: int
    """How many come before these."""


class Level(msgspec.Struct, frozen=True):
    """A value that one can filter by."""

    value: str
    """The value."""
    outputs: int
    """How many outputs have it."""


class Facets(msgspec.Struct, frozen=True):
    """What one can filter by, and how many outputs there are of each kind."""

    outputs: int
    """How many outputs there are in all."""
    kinds: dict[Only, int]
    """How many there are of each kind."""
    fields: dict[str, tuple[Level, ...]]
    """The values of model, variant and protocol; only where there are several."""
    factors: dict[str, tuple[Level, ...]]
    """The values of further factors; only where there are several, and not too many."""
    judges: tuple[Level, ...]
    """The judges."""
    verdicts: tuple[Level, ...]
    """The verdicts that any judge gave."""


_COLUMNS = (
    "o.key, o.digest, o.subject, o.protocol, o.output_id, o.question, o.variant, o.model, o.same, o.characters,"
    " o.beginning, o.levels, o.score, o.apart, o.verdicts, o.judgements, o.invalid, o.id"
)
_ORDERS = {
    Order.WORST: "o.score IS NULL, o.score, o.id",
    Order.BEST: "o.score IS NULL, o.score DESC, o.id",
    Order.DISPUTED: "o.verdicts > 1 DESC, o.apart IS NULL, o.apart DESC, o.id",
    Order.RECORDED: "o.id",
}
_KINDS = {
    Only.DISPUTED: "o.verdicts > 1",
    Only.INVALID: "o.invalid > 0",
    Only.UNJUDGED: "o.judgements = 0",
    Only.VOTED: "o.output_id IN (SELECT output_id FROM vote)",
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
    names = [row[0] for row in index.rows("SELECT DISTINCT name FROM factor")]
    query = "SELECT value, count(*) FROM factor WHERE name = ? GROUP BY value ORDER BY value"
    factors = {name: _levels(index, query, (name,)) for name in names}
    by = "SELECT {0}, count(DISTINCT output) FROM judgement WHERE {0} <> '' GROUP BY {0} ORDER BY {0}"
    return Facets(
        outputs=total,
        kinds=dict(zip(_KINDS, kinds, strict=True)),
        fields={name: levels for name, levels in fields.items() if len(levels) > 1},
        factors={name: levels for name, levels in factors.items() if 1 < len(levels) <= MOST_LEVELS},
        judges=_levels(index, by.format("judge")),
        verdicts=_levels(index, by.format("verdict")),
    )


def _levels(index: OutputIndex, query: str, values: tuple[str, ...] = ()) -> tuple[Level, ...]:
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
    by = [(name, getattr(wanted, name)) for name in ("judge", "verdict", "status", "run") if getattr(wanted, name)]
    if by or wanted.counted or wanted.sequences:
        yield _judged_condition(by, wanted)
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


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))
