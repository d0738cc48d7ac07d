"""Names outputs and the judge of a table of scores that has no column for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from venire.errors import InputError

Columns: TypeAlias = dict[str, Sequence[str | None]]

_IDENTITY = ("question_id", "prompt_variant", "target_model")
"""What names an output where a table has no ids: one model's output to one question, perhaps under one variant."""
_KEPT_APART = ("dimension", "repeat", "rater_version", "prompt_version", "protocol", "profile")
"""By what rows of one output and one judge may differ."""


def can_name_outputs(columns: Mapping[str, str], text: Mapping[str, Sequence[str | None]]) -> bool:
    """Tell whether outputs can be named after question and model; two models that are compared are no such output."""
    return {"question_id", "target_model"} <= {*columns, *text} and not {"first", "second"} <= {*columns}


def add_missing_names(text: Columns, columns: Mapping[str, str], where: str) -> str:
    """Add names of outputs, and of one judge, where no column has them; return what that judge is called, or nothing.

    Raises `InputError` where two rows would then be the same judge's score of the same output.
    """
    known = {*columns, *text}
    if {"unit", "rater"} <= known or {"first", "second"} <= {*columns}:
        return ""
    judge = ""
    if "unit" not in known:
        text["unit"] = _output_names(text, columns, where)
    if "rater" not in known:
        judge = columns.get("score", columns.get("verdict", "score"))
        text["rater"] = [judge] * len(next(iter(text.values())))
    _refuse_twins(text, columns, where, is_judge_known=not judge)
    return judge


def _output_names(text: Columns, columns: Mapping[str, str], where: str) -> list[str]:
    """Join question, variant (where there is one) and model of each row."""
    identity = [text[name] for field in _IDENTITY if (name := columns.get(field, field)) in text]
    names = []
    for row, parts in enumerate(zip(*identity, strict=True), start=1):
        if not (parts[0] and parts[-1]):
            raise InputError("error.table.unnamed_output", where=where, row=row)
        names.append("/".join(filter(None, parts)))
    return names


def _refuse_twins(text: Columns, columns: Mapping[str, str], where: str, *, is_judge_known: bool) -> None:
    """Raise `InputError` for the first two rows that nothing tells apart."""
    named = [columns.get(field, field) for field in ("unit", "rater", *_KEPT_APART)]
    seen: dict[tuple[str | None, ...], int] = {}
    for row, key in enumerate(zip(*(text[name] for name in named if name in text), strict=True), start=1):
        first = seen.setdefault(key, row)
        if first != row:
            code = "error.table.twin_outputs" if is_judge_known else "error.table.twin_scores"
            raise InputError(code, where=where, first=first, second=row, output=key[0] or "")
