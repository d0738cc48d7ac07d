"""Reads a table of labels that a user brings: what people, or models, said of outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from venire.domain.label import Label, LabelMaker
from venire.errors import InputError
from venire.inputs.tables.columns import SYNONYMS, assign_fields
from venire.inputs.tables.rows import read_rows
from venire.words.said import say

_COLUMNS: dict[str, tuple[str, ...]] = {
    "output_id": SYNONYMS["output_id"],
    "score": ("分数", "评分", "得分"),
    "verdict": ("结论",),
    "dimension": ("维度",),
    "rater": ("annotator", "标注人", "标注者", "评分人"),
    "made_by": (),
    "probability": (),
}
"""The fields of a label, and the names that people give their columns; outputs are named as in tables of outputs."""


def read_labels(path: Path) -> tuple[Label, ...]:
    """Read labels: `output_id`, `score` or `verdict`, and perhaps `dimension`, `rater`, `made_by` and `probability`.

    Raises `InputError` for a row without an output, a score or a verdict.
    """
    return tuple(label for label, _ in located_labels(path))


def located_labels(path: Path, *, may_be_empty: bool = False) -> list[tuple[Label, str]]:
    """Read labels, each with its place in the file; with `may_be_empty`, rows that nobody has labelled are left out."""
    labels = []
    for row in read_rows(path):
        columns = assign_fields(row.values, _COLUMNS, {}, "error.table.several_columns", row.where)
        found = {field: None if row.values[name] == "" else row.values[name] for field, name in columns.items()}
        is_empty = found.get("score") is None and found.get("verdict") is None
        if is_empty and may_be_empty and {"score", "verdict"} & {*found} and found.get("output_id") is not None:
            continue
        if found.get("output_id") is None or is_empty:
            raise InputError(
                "error.table.not_label", where=row.where, found=tuple(map(repr, row.values)) or say("problem.nothing")
            )
        labels.append((_label(found, row.where), row.where))
    stated = sum(label.probability is not None for label, _ in labels)
    if 0 < stated < len(labels):
        raise InputError("error.table.some_probabilities", where=str(path), stated=stated, labels=len(labels))
    return labels


def _label(found: dict[str, Any], where: str) -> Label:
    return Label(
        output_id=str(found["output_id"]),
        score=_number(found.get("score"), where),
        verdict=_text(found.get("verdict")),
        dimension=_text(found.get("dimension")),
        rater=_text(found.get("rater")),
        made_by=_maker(found.get("made_by"), where),
        probability=_probability(found.get("probability"), where),
    )


def _maker(value: Any, where: str) -> LabelMaker:
    given = _text(value).strip().lower()
    if given and given not in [*LabelMaker]:
        raise InputError("error.table.not_maker", where=where, found=given, known=tuple(LabelMaker))
    return LabelMaker(given) if given else LabelMaker.PERSON


def _probability(value: Any, where: str) -> float | None:
    """Return how likely an output was to be labelled; raises `InputError` for what is no probability above 0."""
    given = _number(value, where)
    if given is not None and not 0 < given <= 1:
        raise InputError("error.table.not_probability", where=where, found=given)
    return given


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _number(value: Any, where: str) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError("error.table.not_score", where=where, found=value) from None
