"""Which column of a table is which field of a sample."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from venire.domain.sample import Sample
from venire.errors import InputError, TableError, UsageError
from venire.inputs.tables.record import TableRow
from venire.words.said import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "output_id": ("id", "sample_id", "inference_id"),
    "text": ("output", "response", "completion", "answer"),
    "question_id": ("question", "qid"),
    "prompt_variant": ("variant", "version", "prompt_version"),
    "target_model": ("model", "model_name", "generator"),
    "task": ("prompt", "instruction", "input"),
}
"""The fields of a sample, and the names under which other tools export them."""

CATEGORY = ("category",)
"""The factors of samples that are read without a protocol or a configuration that names others."""


class _Layout(NamedTuple):
    """What the columns of a row are."""

    fields: dict[str, str]
    """The column of each field of a sample."""
    factors: dict[str, str]
    """The column of each factor."""
    notes: list[str]
    """The other columns."""


class SampleColumns:
    """Turns rows into samples by a mapping from our fields to the table's columns.

    A field that the mapping leaves out is looked for under its own name, then under its synonyms. Case, blanks and
    hyphens in column names do not matter. The columns that `factors` names become factors under these names, and every
    other column a note of the sample: which is which never depends on what other rows hold.
    """

    def __init__(
        self,
        mapping: Mapping[str, str] | None = None,
        factors: Collection[str] = CATEGORY,
        *,
        id_from_row: bool = False,
    ) -> None:
        """Take a mapping; with `id_from_row` the output_id is made of the row's number, whatever the columns are."""
        self._id_from_row = id_from_row
        self._mapping = dict(mapping or {})
        unknown = sorted(set(self._mapping) - set(SYNONYMS))
        if unknown:
            raise UsageError("error.sample.no_field", names=tuple(map(repr, unknown)), fields=tuple(SYNONYMS))
        self._factors = {fold_column(name): name for name in factors}
        self._found: dict[tuple[str, ...], _Layout] = {}

    def unused(self) -> list[str]:
        """Return the mapped columns and named factors that no row had so far: probably typing errors."""
        seen = {name for names in self._found for name in names}
        folded = {*map(fold_column, seen), *CATEGORY}  # a category may be given for all samples instead
        absent = {name for fold, name in self._factors.items() if fold not in folded}
        return sorted((set(self._mapping.values()) - seen) | absent)

    def lacking(self, row: TableRow) -> InputError | None:
        """Say that a row has no column at all for its output_id or text; None if it has both."""
        fields = self._layout(row).fields
        for field in ("output_id", "text"):
            if field not in fields and not (field == "output_id" and self._id_from_row):
                return InputError(
                    "error.sample.no_named_column" if field in self._mapping else "error.sample.no_column",
                    where=row.where,
                    hint="error.sample.no_id.hint" if field == "output_id" else "error.sample.no_text.hint",
                    field=field,
                    named=self._mapping.get(field, ""),
                    columns=tuple(map(repr, row.values)) or say("problem.none"),
                )
        return None

    def sample(self, row: TableRow) -> Sample:
        """Return the sample that a row describes; raise `InputError` if its output_id or text is missing."""
        layout = self._layout(row)
        if problem := self.lacking(row):
            raise problem
        fields = layout.fields
        factors = {factor: _word(row, name) for factor, name in layout.factors.items()}
        notes = {name: _word(row, name) for name in layout.notes}
        words = {field: _word(row, name) for field, name in fields.items()}
        return Sample(
            output_id=f"row-{row.number}" if self._id_from_row else self._required(row, fields, "output_id"),
            text=self._text(row, fields),
            question_id=words.get("question_id", ""),
            prompt_variant=words.get("prompt_variant", ""),
            target_model=words.get("target_model", ""),
            task=words.get("task", ""),
            factors={name: value for name, value in factors.items() if value},
            notes={name: value for name, value in notes.items() if value},
        )

    def _layout(self, row: TableRow) -> _Layout:
        names = tuple(row.values)
        layout = self._found.get(names)
        if layout is None:
            layout = self._found[names] = self._lay_out(names, row.where)
        return layout

    def _lay_out(self, names: tuple[str, ...], where: str) -> _Layout:
        fields = assign_fields(names, SYNONYMS, self._mapping, "error.table.several_columns", where)
        used = set(fields.values())
        others = {name: self._factors.get(fold_column(name)) for name in names if name not in used}
        factors = {factor: name for name, factor in others.items() if factor is not None}
        return _Layout(fields, factors, [name for name in others if name not in factors.values()])

    def _required(self, row: TableRow, fields: dict[str, str], field: str) -> str:
        column = fields[field]
        value = _word(row, column)
        if not value.strip():
            raise InputError("error.sample.field_missing", where=row.where, field=field, column=column)
        return value

    def _text(self, row: TableRow, fields: dict[str, str]) -> str:
        text = self._required(row, fields, "text")
        if not isinstance(row.values[fields["text"]], str):
            raise InputError("error.sample.not_text", where=row.where, found=text, column=fields["text"])
        return text


def assign_fields(
    names: Iterable[str], synonyms: Mapping[str, Sequence[str]], mapping: Mapping[str, str], several: str, where: str
) -> dict[str, str]:
    """Return the column of each field: the mapped one, or one of its name, or else one under a synonym.

    Case, blanks and hyphens do not matter. Raises `TableError` by the code `several` where columns could be one field.
    """
    columns = list(names)
    fields = {field: name for field, name in mapping.items() if name in columns}
    by_folded: dict[str, list[str]] = {}
    for name in columns:
        if name not in fields.values():
            by_folded.setdefault(fold_column(name), []).append(name)
    for field, others in synonyms.items():
        if field in mapping:
            continue
        candidates = by_folded.get(field) or [name for other in others for name in by_folded.get(other, [])]
        if len(candidates) > 1:
            quoted = tuple(map(repr, candidates))
            raise TableError(several, where=where, field=field, columns=quoted, first=candidates[0])
        if candidates:
            fields[field] = candidates[0]
    return fields


def fold_column(name: str) -> str:
    """Return how a column is compared with others: in lower case, with one kind of gap."""
    return re.sub(r"[\s_-]+", "_", name.strip()).casefold()


def _word(row: TableRow, name: str) -> str:
    """Write a cell as text; a whole number has no decimal point, and what is missing is empty."""
    value = row.values[name]
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (int, float, decimal.Decimal)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    raise InputError("error.table.bad_kind", where=row.where, column=name, kind=type(value).__name__)
