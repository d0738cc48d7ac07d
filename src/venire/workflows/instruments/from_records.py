"""A voir dire from records alone: verdicts or judged pairs beside gold labels, in one order or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from venire.errors import InputError, UsageError
from venire.inputs.tables.record import TableRow, fold_column
from venire.inputs.tables.rows import read_rows
from venire.stats.qualification.decide import FamilyLimit, VoirDireOutcome, decide
from venire.stats.qualification.family_rate import FamilyCount, FamilyRate
from venire.stats.qualification.sizes import PlannedTest, planned_size
from venire.workflows.evidence.table_verdicts import LABEL_NAMES, ORDER_NAMES, VERDICT_NAMES, winner

WRONG, FLIPPED = "wrong", "flipped"
"""The families of records: verdicts that differ from the gold label, and pairs whose winner changes with the order."""

_FIELDS: dict[str, tuple[str, ...]] = {
    "judge": ("rater", "judge_model", "judge_name", "annotator"),
    "gold": (*LABEL_NAMES, "expected", "reference"),
    "verdict": ("winner", *(name for name in VERDICT_NAMES if name != "winner")),
    "item": ("question_id", "question", "pair_id", "output_id", "unit", "id", "prompt_id", "qid"),
    **ORDER_NAMES,
}
_NEEDED = ("judge", "item", "verdict", "gold")


class RecordLimits(msgspec.Struct, frozen=True):
    """The rates that a judge must stay within."""

    wrong: float = 0.3
    """Of verdicts that differ from the gold label."""
    flipped: float = 0.2
    """Of pairs whose winner changes with the order."""


class RecordedVoirDire(msgspec.Struct, frozen=True, kw_only=True):
    """What records say of one judge."""

    judge: str
    """The judge."""
    outcome: VoirDireOutcome
    """What follows."""
    rates: tuple[FamilyRate, ...]
    """The rate of each family."""


class _Verdict(NamedTuple):
    judge: str
    item: str
    order: tuple[str, str]
    verdict: str
    gold: str


def examine_records(path: Path, limits: RecordLimits, *, alpha: float = 0.05) -> tuple[RecordedVoirDire, ...]:
    """Examine each judge of a table, in the order of their first rows.

    Of a pair that was shown more than once only the first verdict counts as right or wrong, so that every observation
    stands for itself; a pair is looked at for flips if it was shown in both orders. Raises `InputError` for a table
    that lacks a column, and for labels of one class only.
    """
    wrong: dict[str, dict[str, bool]] = {}
    shown: dict[str, dict[str, dict[tuple[str, str], str]]] = {}
    classes: set[str] = set()
    for each in _verdicts(path):
        classes.add(_class(each))
        wrong.setdefault(each.judge, {}).setdefault(_pair(each), each.verdict != each.gold)
        if each.order[0]:
            shown.setdefault(each.judge, {}).setdefault(_pair(each), {}).setdefault(each.order, each.verdict)
    if not wrong:
        raise InputError("error.voir_dire.no_rows", where=str(path))
    if len(classes) < 2:
        raise InputError("error.voir_dire.one_class", where=str(path), found=next(iter(classes)))
    return tuple(_examined(judge, wrong[judge], shown.get(judge, {}), limits, alpha) for judge in wrong)


def _examined(
    judge: str,
    wrong: Mapping[str, bool],
    shown: Mapping[str, Mapping[tuple[str, str], str]],
    limits: RecordLimits,
    alpha: float,
) -> RecordedVoirDire:
    both = [verdicts for verdicts in shown.values() if len(verdicts) > 1]
    counts = {WRONG: FamilyCount(trials=len(wrong), failures=sum(wrong.values()))}
    if shown:
        flips = sum(len(set(verdicts.values())) > 1 for verdicts in both)
        counts[FLIPPED] = FamilyCount(trials=len(both), failures=flips)
    asked = {name: FamilyLimit(limit=getattr(limits, name), planned=_planned(getattr(limits, name))) for name in counts}
    outcome, rates = decide(counts, asked, alpha=alpha)
    return RecordedVoirDire(judge=judge, outcome=outcome, rates=rates)


def _planned(limit: float) -> int:
    return planned_size(PlannedTest(limit=limit, fault=(1 + limit) / 2, sound=limit / 4))


def _verdicts(path: Path) -> Iterator[_Verdict]:
    columns: dict[str, str] = {}
    for row in read_rows(path):
        columns = columns or _columns(row, str(path))
        said = {field: _text(row.values.get(column)) for field, column in columns.items()}
        first, second = said.get("first", ""), said.get("second", "")
        verdict, gold = (winner(said[name] or None, first or None, second or None) for name in ("verdict", "gold"))
        if said["judge"] and verdict and gold:
            yield _Verdict(said["judge"], said["item"], (first, second), verdict.casefold(), gold.casefold())


def _columns(row: TableRow, where: str) -> dict[str, str]:
    folded = {fold_column(name): name for name in reversed(list(row.values))}
    found: dict[str, str] = {}
    for field, others in _FIELDS.items():
        name = next((each for each in (field, *others) if each in folded and folded[each] not in found.values()), "")
        if name:
            found[field] = folded[name]
    if absent := [field for field in _NEEDED if field not in found]:
        raise InputError(
            "error.voir_dire.columns", where=where, absent=tuple(absent), columns=tuple(map(repr, row.values))
        )
    return found


def _pair(each: _Verdict) -> str:
    return "\x00".join((each.item, *sorted(each.order)))


def _class(each: _Verdict) -> str:
    """Return the class of a gold label: for pairs, which place it names, since names differ from pair to pair."""
    first, second = (name.casefold() for name in each.order)
    if not first:
        return each.gold
    return {first: "first", second: "second"}.get(each.gold, each.gold)


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def check_limits(limits: RecordLimits) -> None:
    """Raise `UsageError` for limits that no judge could pass or fail."""
    for name in limits.__struct_fields__:
        if not 0 < getattr(limits, name) < 1:
            raise UsageError("error.voir_dire.limit", name=name, found=getattr(limits, name))
