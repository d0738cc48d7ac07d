"""What is asked for in the address of a list, and how such an address is written."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

import msgspec

from venire.reports.report import ReportCell

FACTOR = "f."
"""What the name of a factor begins with in an address."""
OF_JUDGEMENTS = ("judge", "verdict", "status", "run", "repeat", "method", "judgement")
"""The conditions that one judgement must fulfil together."""
OF_VOTES = ("voter", "prompt", "item")
"""The conditions that one vote must fulfil together."""
_FIELDS = ("model", "variant", "question", "protocol", "unit", *OF_JUDGEMENTS, *OF_VOTES)
_COLUMNS = {
    "rater": "judge",
    "target_model": "model",
    "question_id": "question",
    "prompt_variant": "variant",
    "verdict": "verdict",
    "status": "status",
    "unit": "unit",
    "repeat": "repeat",
    "method": "method",
    "judgement": "judgement",
    "output": "item",
    "voter_prompt": "prompt",
    "voter_kind": "voter",
}
_WITHOUT: dict[str, dict[str, Any]] = {
    "sequences": {"sequences": (), "cell": ""},
    "votes": {"votes": (), "voted": False, **dict.fromkeys(OF_VOTES, ())},
}
"""What is dropped together."""
MOST_ENTRIES = 100
"""How many entries an address names at most."""
LONGEST_SEARCH = 200
"""How many characters one can search for."""


class Order(StrEnum):
    """Which outputs come first."""

    WORST = "worst"
    """Those with the lowest score; those that nobody scored by their verdicts, then by people's votes."""
    BEST = "best"
    """Those with the highest score, likewise."""
    DISPUTED = "disputed"
    """Those whose judges lie furthest apart, then those on which people's votes are evenest."""
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
    repeat: tuple[str, ...] = ()
    """Which asking it was, likewise."""
    method: tuple[str, ...] = ()
    """Whether the judge judged itself, likewise."""
    judgement: tuple[str, ...] = ()
    """The judgements themselves, by key."""
    counted: bool = False
    """Whether only judgements that count are meant."""
    sequences: tuple[int, ...] = ()
    """Entries of judgements."""
    cell: str = ""
    """The number of a report whose entries are meant, where they are too many for an address."""
    voted: bool = False
    """Whether only outputs with a vote that stands are meant."""
    voter: tuple[str, ...] = ()
    """Whether people or judges voted."""
    prompt: tuple[str, ...] = ()
    """What they were asked, in the same vote."""
    item: tuple[str, ...] = ()
    """What they voted on, likewise: an output or a pair."""
    votes: tuple[int, ...] = ()
    """Entries of votes."""
    unit: tuple[str, ...] = ()
    """The outputs themselves, by digest."""
    only: Only | None = None
    """A kind of outputs."""
    text: str = ""
    """Words that stand in the output or in its name."""


class AskedList(msgspec.Struct, frozen=True, kw_only=True):
    """A list that was asked for."""

    wanted: OutputFilter = OutputFilter()
    """Which outputs."""
    order: Order = Order.WORST
    """Which come first."""
    first: int = 0
    """How many come before the page."""

    def query(self, **changes: Any) -> str:
        """Return the query of an address that asks for this, or for this with changes; with its question mark."""
        asked = msgspec.structs.replace(self, **changes)
        wanted, pairs = asked.wanted, []
        for name in _FIELDS:
            pairs += [(name, value) for value in getattr(wanted, name)]
        pairs += [(f"{FACTOR}{name}", value) for name, values in wanted.factors.items() for value in values]
        pairs += [("only", wanted.only.value)] if wanted.only else []
        pairs += [("q", wanted.text)] if wanted.text else []
        pairs += [("counted", "1")] if wanted.counted else []
        pairs += [("cell", wanted.cell)] if wanted.cell else [("entry", str(number)) for number in wanted.sequences]
        pairs += [("voted", "1")] if wanted.voted else []
        pairs += [("vote", str(number)) for number in wanted.votes]
        pairs += [("order", asked.order.value)] if asked.order is not Order.WORST else []
        pairs += [("first", str(asked.first))] if asked.first else []
        return f"?{urlencode(pairs)}" if pairs else ""

    def only(self, kind: Only | None) -> str:
        """Return the query that asks for one kind of outputs, or for all again."""
        return self.query(wanted=msgspec.structs.replace(self.wanted, only=kind), first=0)

    def without(self, name: str) -> str:
        """Return the query without a condition that the form has no field for."""
        dropped = _WITHOUT.get(name, {name: ()})
        return self.query(wanted=msgspec.structs.replace(self.wanted, **dropped), first=0)


def read_asked(parameters: Any) -> AskedList:
    """Read the query of an address; what cannot be read is as if it were not there."""
    given: dict[str, list[str]] = {name: list(parameters.getall(name)) for name in parameters}
    fields: dict[str, Any] = {name: tuple(filter(None, given.get(name, ()))) for name in _FIELDS}
    fields["prompt"] = tuple(given.get("prompt", ()))  # Votes of another tool may name none.
    factors = {
        name.removeprefix(FACTOR): tuple(filter(None, values))
        for name, values in given.items()
        if name.startswith(FACTOR) and any(values)
    }
    wanted = OutputFilter(
        **fields,
        factors=factors,
        only=_member(Only, given.get("only")),
        text=(given.get("q") or [""])[0].strip()[:LONGEST_SEARCH],
        counted=bool(given.get("counted")),
        sequences=_numbers(given.get("entry")),
        cell=(given.get("cell") or [""])[0],
        voted=bool(given.get("voted")),
        votes=_numbers(given.get("vote")),
    )
    first = (given.get("first") or ["0"])[0]
    return AskedList(
        wanted=wanted,
        order=_member(Order, given.get("order")) or Order.WORST,
        first=int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0,
    )


def outputs_behind(cell: ReportCell) -> str:
    """Return the address of the list of outputs behind a number of a report; empty if no list can say it.

    Requests that brought no reply are on no output that a record names: behind numbers on requests stand the outputs on
    which the judge replied.
    """
    rows = cell.rows
    entries = tuple(rows.sequences or ())
    if rows.among in ("attempts", "replies") and entries:
        return ""
    fields: dict[str, Any] = {_COLUMNS[name]: values for name, values in rows.where.items() if name in _COLUMNS}
    factors = {name: values for name, values in rows.where.items() if name not in _COLUMNS}
    if rows.among == "votes":
        wanted = OutputFilter(**fields, factors=factors, voted=True, votes=entries)
    else:
        many = len(entries) > MOST_ENTRIES
        wanted = OutputFilter(
            **fields,
            factors=factors,
            counted=rows.among == "counted",
            sequences=() if many else entries,
            cell=cell.id if many else "",
        )
    return f"/outputs{AskedList(wanted=wanted).query()}"


def _numbers(values: list[str] | None) -> tuple[int, ...]:
    return tuple(int(each) for each in values or () if each.isascii() and each.isdigit() and len(each) < 19)


def _member(kind: Any, values: list[str] | None) -> Any:
    try:
        return kind(values[0]) if values else None
    except ValueError:
        return None
