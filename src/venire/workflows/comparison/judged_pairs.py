"""Reads a table of judged pairs: two outputs in the order in which a judge saw them, and who won."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.errors import InputError, UsageError
from venire.inputs.tables.record import fold_column
from venire.inputs.tables.rows import read_rows
from venire.workflows.evidence.table_verdicts import (
    ORDER_NAMES,
    PAIR_NAMES,
    TIE,
    VERDICT_NAMES,
    are_shown_both_ways,
    winner,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venire.inputs.tables.record import TableRow
    from venire.stats.observations import FloatArray

FIELDS: dict[str, tuple[str, ...]] = {
    **ORDER_NAMES,
    "winner": ("verdict", *(name for name in VERDICT_NAMES if name != "winner")),
    "judge": ("rater", "judge_model", "judge_name", "annotator", "voter_id"),
    "question": ("question_id", "prompt_id", "qid", "task", "prompt", "instruction"),
    "first_length": ("length_a", "first_tokens", "tokens_a"),
    "second_length": ("length_b", "second_tokens", "tokens_b"),
}
"""The fields of a judged pair, and other names under which columns are recognised."""

_NEEDED = ("first", "second", "winner")
_EXAMPLES = 3


class JudgedPairs(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Pairs as columns; all arrays are equally long."""

    first: list[str]
    """The model whose output was shown first."""
    second: list[str]
    """The model whose output was shown second."""
    outcome: FloatArray
    """1 if the first won, 0 if the second did, 0.5 for a tie."""
    judges: list[str]
    """Who judged; empty where the table does not say."""
    questions: list[str]
    """What both outputs answer, or the pair where the table has no questions; empty where it has neither."""
    by_pair: bool = False
    """Whether `questions` holds pairs, for want of questions."""
    first_lengths: FloatArray
    """How long the first output is; NaN where the table does not say."""
    second_lengths: FloatArray
    """How long the second output is."""
    undecided: int = 0
    """How many rows name no winner and no tie; they are left out."""
    examples: tuple[str, ...] = ()
    """What some of these rows say instead, the most frequent first."""
    names: list[str] = []
    """What each pair is called in either order; empty for a table."""
    meetings: list[str] = []
    """What a table calls each meeting of two models in either order; empty where questions alone say it."""
    self_judged: int = 0
    """How many judgements were left out because the judge wrote one of the two outputs."""
    weights: FloatArray | None = None
    """How much each comparison counts for; None if each counts for one."""

    def without_judge(self, judge: str) -> JudgedPairs:
        """Return the pairs that other judges judged."""
        kept = [place for place, name in enumerate(self.judges) if name != judge]
        return self.at(kept)

    def of_judge(self, judge: str) -> JudgedPairs:
        """Return the pairs that one judge judged."""
        return self.at([place for place, name in enumerate(self.judges) if name == judge])

    def at(self, kept: list[int]) -> JudgedPairs:
        """Return the pairs at some places."""
        return msgspec.structs.replace(
            self,
            weights=None if self.weights is None else self.weights[kept],
            names=[self.names[place] for place in kept] if self.names else [],
            meetings=[self.meetings[place] for place in kept] if self.meetings else [],
            **{name: [getattr(self, name)[place] for place in kept] for name in ("first", "second")},
            **{name: [getattr(self, name)[place] for place in kept] for name in ("judges", "questions")},
            **{name: getattr(self, name)[kept] for name in ("outcome", "first_lengths", "second_lengths")},
        )


def pooled(judged: JudgedPairs, others: JudgedPairs) -> JudgedPairs:
    """Return the comparisons of both, one behind the other; what was left out is what the first left out."""
    lists = {name: getattr(judged, name) + getattr(others, name) for name in ("first", "second", "judges", "questions")}
    numbers = {
        name: np.concatenate([getattr(judged, name), getattr(others, name)])
        for name in ("outcome", "first_lengths", "second_lengths")
    }
    weights = [np.ones(len(each.first)) if each.weights is None else each.weights for each in (judged, others)]
    names = judged.names + others.names
    return msgspec.structs.replace(judged, names=names, weights=np.concatenate(weights), **lists, **numbers)


def read_judged_pairs(path: Path, columns: Mapping[str, str]) -> JudgedPairs:
    """Read a table with a row for each judged pair; `columns` maps our fields to the table's columns.

    Raises `InputError` for a table without the two outputs and the winner, or without any decided pair.
    """
    for field in columns:
        if field not in FIELDS:
            raise UsageError("error.rank.no_field", name=field, fields=tuple(FIELDS))
    names: dict[str, list[str]] = {name: [] for name in ("first", "second", "judge", "question", "pair")}
    numbers = {name: array("d") for name in ("outcome", "first_length", "second_length")}
    held: dict[str, str] = {}
    undecided: Counter[str] = Counter()
    found: dict[str, str] = {}
    by_pair = False
    for row in read_rows(path):
        if not found:
            found = _columns(row, columns, str(path))
            pair = next((name for name in PAIR_NAMES if name in row.values), "")
            by_pair = "question" not in found and bool(pair)
            found |= {"question": pair} if by_pair else {"pair": pair} if pair else {}
        said = {field: _text(row.values.get(column)) for field, column in found.items()}
        first, second = said["first"], said["second"]
        won = winner(said["winner"] or None, first, second)
        outcome = {second: 0.0, first: 1.0, TIE: 0.5}.get(won or "")
        if outcome is None or not first or not second or first == second:
            undecided[said["winner"]] += 1
            continue
        numbers["outcome"].append(outcome)
        for name, texts in names.items():
            text = said.get(name, "")
            texts.append(held.setdefault(text, text))
        for name in ("first_length", "second_length"):
            numbers[name].append(_length(said.get(name, ""), found.get(name, ""), row.where))
    if not numbers["outcome"]:
        raise InputError("error.rank.no_pairs", where=str(path), found=_shown(undecided))
    has_meetings = are_shown_both_ways(names["pair"], zip(names["first"], names["second"], strict=True))
    return JudgedPairs(
        first=names["first"], second=names["second"], judges=names["judge"], questions=names["question"],
        outcome=np.array(numbers["outcome"]), first_lengths=np.array(numbers["first_length"]),
        second_lengths=np.array(numbers["second_length"]), by_pair=by_pair,
        meetings=names["pair"] if "pair" in found and has_meetings else [],
        undecided=undecided.total(), examples=_shown(undecided),
    )  # fmt: skip


def is_of_pairs(row: TableRow, columns: Mapping[str, str]) -> bool:
    """Tell by its first row whether a table has two outputs and a winner."""
    found = _recognised(row, columns)
    return all(found.get(field) in row.values for field in _NEEDED)


def _columns(row: TableRow, columns: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the column of each field that the table has."""
    for column in columns.values():
        if column not in row.values:
            listed = tuple(map(repr, row.values))
            raise InputError("error.table.no_such_column", where=where, column=column, columns=listed)
    found = _recognised(row, columns)
    if absent := [field for field in _NEEDED if field not in found]:
        raise InputError("error.rank.columns", where=where, absent=tuple(absent), columns=tuple(map(repr, row.values)))
    return found


def _recognised(row: TableRow, columns: Mapping[str, str]) -> dict[str, str]:
    found = dict(columns)
    folded = {fold_column(name): name for name in reversed(list(row.values)) if name not in found.values()}
    for field, others in FIELDS.items():
        known = (name for name in (field, *others) if name in folded)
        if field not in found and (name := next(known, "")):
            found[field] = folded[name]
    return found


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _length(text: str, column: str, where: str) -> float:
    if not text:
        return float("nan")
    try:
        length = float(text)
    except ValueError:
        length = -1.0
    if not 0 < length < float("inf"):
        raise InputError("error.rank.length", where=where, column=column, found=text)
    return length


def _shown(undecided: Counter[str]) -> tuple[str, ...]:
    most: Iterable[tuple[str, int]] = undecided.most_common(_EXAMPLES)
    return tuple(f"{text!r} ×{count}" for text, count in most)
