"""Cases of a collection, from whatever samples can be read from: a table, or a folder of texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from venire.domain.material import Material
from venire.domain.output import Case
from venire.errors import InputError
from venire.inputs.first_places import FirstPlaces
from venire.inputs.problems import OnProblem, tell
from venire.inputs.reader import kind_of_input, read_samples
from venire.inputs.tables.columns import assign_fields
from venire.inputs.tables.materials import (
    MATERIAL_SYNONYMS,
    MaterialTerms,
    check_materials,
    decode_cell,
    holds_one_text,
    read_materials,
)
from venire.inputs.tables.record import TableRow, cell_text, fold_column, kind_of
from venire.inputs.tables.rows import read_rows

_FIELDS: dict[str, tuple[str, ...]] = {
    "case_id": ("case", "question_id", "id", "qid", "sample_id"),
    **MATERIAL_SYNONYMS,
}
"""What columns of cases may be beside variables, and the names under which other tools export them."""
_NESTED = frozenset(name for field in MATERIAL_SYNONYMS for name in (field, *MATERIAL_SYNONYMS[field]))


def read_cases(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    pattern: str | None = None,
    factors: Collection[str] = (),
    encoding: str = "",
    terms: MaterialTerms | None = None,
    on_problem: OnProblem = None,
) -> Iterator[Case]:
    """Yield the cases of a table or folder.

    A row of a table is a case, its columns are variables; `case_id` names it, or else the number of its row. Documents
    and references are materials, and variables too. A list of messages under `conversation` is what the user says, turn
    by turn. In a folder each text is a case with the variable `text`. A case with a duplicate id, and rows that
    cannot be read, are handed to `on_problem`, or raised.
    """
    read = _read_table if kind_of_input(path) == "table" else _read_folder
    with closing(FirstPlaces()) as places:
        for case, where in read(path, columns or {}, pattern, factors, encoding, terms or MaterialTerms(), on_problem):
            first = places.note(case.id, where)
            if first is None:
                yield case
            else:
                tell(InputError("error.case.duplicate_id", where=where, name=case.id, first=first), on_problem)


def own_columns(names: Iterable[str], columns: Mapping[str, str]) -> set[str]:
    """Return the columns of a table that have a use of their own: the id, documents, references, turns."""
    return set(assign_fields(names, _FIELDS, columns, "error.table.several_columns", "").values())


def _read_folder(
    path: Path,
    columns: Mapping[str, str],
    pattern: str | None,
    factors: Collection[str],
    encoding: str,
    terms: MaterialTerms,
    on_problem: OnProblem,
) -> Iterator[tuple[Case, str]]:
    del columns, factors, encoding
    for sample in read_samples(path, pattern=pattern, pdf_limits=terms.pdf_limits, on_problem=on_problem):
        yield Case(sample.output_id, {"text": sample.text, **sample.factors}), sample.output_id


def _read_table(
    path: Path,
    columns: Mapping[str, str],
    pattern: str | None,
    factors: Collection[str],
    encoding: str,
    terms: MaterialTerms,
    on_problem: OnProblem,
) -> Iterator[tuple[Case, str]]:
    del pattern
    mapped = set(columns.values())

    def may_nest(name: str) -> bool:
        return fold_column(name) in _NESTED or name in mapped

    is_any = False
    for row in read_rows(path, on_problem=on_problem, encoding=encoding, may_nest=may_nest):
        is_any = True
        try:
            yield _case(row, columns, factors, terms), row.where
        except InputError as problem:
            tell(problem, on_problem)
    if not is_any:
        tell(InputError("error.table.no_rows", where=str(path)), on_problem)


def _case(row: TableRow, columns: Mapping[str, str], factors: Collection[str], terms: MaterialTerms) -> Case:
    fields = assign_fields(row.values, _FIELDS, columns, "error.table.several_columns", row.where)
    for field, name in columns.items():
        if name not in row.values or field not in _FIELDS:
            known = tuple(map(repr, row.values)) if field in _FIELDS else tuple(_FIELDS)
            raise InputError("error.case.no_column", where=row.where, field=field, column=name, known=known)
    materials: list[Material] = []
    values: dict[str, str] = {}
    turns = fields.get("conversation")
    for field in ("documents", "references"):
        if column := fields.get(field):
            is_one = holds_one_text(fold_column(column)) and field not in columns
            found = read_materials(field, row, column, is_one, terms)
            values[column] = "\n\n".join(each.text for each in found)
            materials += found
    for name in row.values:
        if name not in values and name != turns:
            values[name] = cell_text(row, name)
    for factor in factors:  # A factor is known by the name that the configuration gives it.
        written = next((each for each in values if fold_column(each) == fold_column(factor)), factor)
        if written != factor:
            values[factor] = values.pop(written)
    case_id = values[fields["case_id"]].strip() if "case_id" in fields else f"row-{row.number}"
    if not case_id:
        raise InputError("error.sample.field_missing", where=row.where, field="case_id", column=fields["case_id"])
    said = _turns(row, turns) if turns and row.values[turns] not in (None, "", []) else ()
    return Case(case_id, values, check_materials(materials, row.where), said)


def _turns(row: TableRow, column: str) -> tuple[str, ...]:
    """Return what the user says in each turn: texts, or messages of the role `user`."""
    value: Any = decode_cell(row, column)
    messages = value.get("messages", value) if isinstance(value, dict) else value
    if not isinstance(messages, list) or not messages:
        raise InputError("error.case.turns", where=row.where, column=column, found=kind_of(value))
    said = []
    for number, message in enumerate(messages, start=1):
        is_users = isinstance(message, dict) and message.get("role") in ("user", "human")
        text = message.get("content") if is_users else message
        if not isinstance(text, str) or not text.strip():
            found = kind_of(message)
            raise InputError("error.case.turn", where=row.where, column=column, number=number, found=found)
        said.append(text)
    return tuple(said)
