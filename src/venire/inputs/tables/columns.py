"""Which column of a table is which field of a sample."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.errors import InputError, TableError, UsageError
from venire.inputs.tables.conversation import (
    STEPS,
    holds_messages,
    is_conversation,
    judged_parts,
    read_steps,
    transcript,
)
from venire.inputs.tables.materials import (
    MATERIAL_SYNONYMS,
    MaterialTerms,
    check_materials,
    decode_cell,
    holds_one_text,
    read_materials,
)
from venire.inputs.tables.questions import Questions, may_be_words
from venire.inputs.tables.record import TableRow, cell_text, fold_column
from venire.words.said import say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "output_id": ("id", "sample_id", "inference_id", "编号", "样本编号"),
    "text": ("output", "response", "completion", "answer", "actual_output", "输出", "回答", "回复"),
    "question_id": ("question", "qid", "题目", "题号", "问题"),
    "prompt_variant": ("variant", "version", "prompt_version", "变体", "提示词变体", "版本"),
    "target_model": ("model", "model_name", "generator", "模型", "被评模型", "模型名称"),
    "task": ("prompt", "instruction", "input", "user_input", "任务", "任务原文", "提示词", "指令", "输入"),
}
"""The fields of a sample, and the names under which other tools export them and people write them."""

CATEGORY = ("category",)
"""The factors of samples that are read without a protocol or a configuration that names others."""


_MULTI_TURN = "multi_turn"
"""The category whose outputs are judged by what was said before, also under protocols that show no turns."""
_WORDED = tuple(field for field in SYNONYMS if field not in ("output_id", "text"))
_NESTED = frozenset(
    {
        *MATERIAL_SYNONYMS,
        *(name for names in MATERIAL_SYNONYMS.values() for name in names),
        "user_input",
        "input",
        "task",
    }
)
_NO_MATERIALS = MaterialTerms()


class _Layout(NamedTuple):
    """What the columns of a row are."""

    fields: dict[str, str]
    """The column of each field of a sample."""
    factors: dict[str, str]
    """The column of each factor."""
    notes: list[str]
    """The other columns."""
    turns: str | None
    """The one of them that holds a conversation by its name."""
    asked: str | None
    """The column of the question, if it may hold the words of what was asked and no other column says it."""


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
        materials: MaterialTerms = _NO_MATERIALS,
    ) -> None:
        """Take a mapping; with `id_from_row` the output_id is made of the row's number, whatever the columns are."""
        self._id_from_row = id_from_row
        self._mapping = dict(mapping or {})
        self._materials = materials
        known = (*SYNONYMS, *MATERIAL_SYNONYMS)
        unknown = sorted(set(self._mapping) - set(known))
        if unknown:
            raise UsageError("error.sample.no_field", names=tuple(map(repr, unknown)), fields=known)
        self._synonyms = self._known_names()
        self._factors = {fold_column(name): name for name in factors}
        self._found: dict[tuple[str, ...], _Layout] = {}
        self._questions = Questions()

    def decide(self, rows: Iterator[TableRow]) -> Iterator[TableRow]:
        """Yield the rows, having looked at the first of them for whether their questions are words."""
        return self._questions.decide(rows, self._asked)

    def unused(self) -> list[str]:
        """Return the mapped columns and named factors that no row had so far: probably typing errors."""
        seen = {name for names in self._found for name in names}
        folded = {*map(fold_column, seen), *CATEGORY}  # a category may be given for all samples instead
        absent = {name for fold, name in self._factors.items() if fold not in folded}
        return sorted((set(self._mapping.values()) - seen) | absent)

    def lacking(self, row: TableRow) -> InputError | None:
        """Say that a row has no column at all for its output_id or text; None if it has both."""
        layout = self._layout(row)
        return self._lacking(row, layout.fields, self._turns_column(row, layout))

    def _lacking(self, row: TableRow, fields: dict[str, str], turns: str | None) -> InputError | None:
        """Do the same, knowing the column that holds a conversation."""
        has_id, has_text = self._id_from_row or "output_id" in fields, turns is not None or "text" in fields
        if has_id and has_text:
            return None
        absent = [field for field, is_there in (("output_id", has_id), ("text", has_text)) if not is_there]
        columns = tuple(map(repr, row.values)) or say("problem.none")
        if len(absent) > 1 and not self._mapping.keys() & set(absent):
            return InputError("error.sample.no_columns", where=row.where, columns=columns)
        field = absent[0]
        return InputError(
            "error.sample.no_named_column" if field in self._mapping else "error.sample.no_column",
            where=row.where,
            hint="error.sample.no_id.hint" if field == "output_id" else "error.sample.no_text.hint",
            field=field,
            named=self._mapping.get(field, ""),
            columns=columns,
        )

    def may_nest(self, name: str) -> bool:
        """Tell whether a column of this name may hold lists and objects: those that materials are read from."""
        return fold_column(name) in _NESTED or name in self._mapping.values()

    def recognised(self, row: TableRow) -> dict[str, str]:
        """Return the column of each field that a row has."""
        layout = self._layout(row)
        turns = self._turns_column(row, layout)
        fields = {field: name for field, name in layout.fields.items() if name != turns}
        if self._questions.are_words and self._asked(row) is not None:
            fields["task"] = fields["question_id"]
        return {**fields, **({} if turns is None else {"conversation": turns})}

    def kept_as_notes(self, row: TableRow) -> list[str]:
        """Return the columns of a row that are neither fields nor factors."""
        layout = self._layout(row)
        turns = self._turns_column(row, layout)
        return [name for name in layout.notes if name != turns]

    def samples(self, row: TableRow) -> list[Sample]:
        """Return the samples that a row describes: one, or one for each answer of a conversation.

        Raises `InputError` if its output_id or text is missing, or if a material cannot be read.
        """
        layout = self._layout(row)
        fields = layout.fields
        turns = self._turns_column(row, layout)
        if problem := self._lacking(row, fields, turns):
            raise problem
        factors = {factor: cell_text(row, name) for factor, name in layout.factors.items()}
        notes = {name: _note(row, name) for name in layout.notes if name != turns}
        words = {
            field: cell_text(row, fields[field]) for field in _WORDED if field in fields and fields[field] != turns
        }
        if self._questions.are_words and self._asked(row) is not None:
            words["task"] = words["question_id"]
        sample = Sample(
            output_id=f"row-{row.number}" if self._id_from_row else self._required(row, fields, "output_id"),
            text=self._text(row, fields) if turns is None else self._text_beside(row, fields),
            question_id=words.get("question_id", ""),
            prompt_variant=words.get("prompt_variant", ""),
            target_model=words.get("target_model", ""),
            task=words.get("task", ""),
            factors={name: value for name, value in factors.items() if value},
            notes={name: value for name, value in notes.items() if value},
        )
        given = self._given_materials(row, fields)
        if turns is None:
            if not given:
                return [sample]
            return [msgspec.structs.replace(sample, materials=check_materials(given, row.where))]
        return self._of_conversation(sample, given, row, turns)

    def _known_names(self) -> dict[str, tuple[str, ...]]:
        """Return the fields that are looked for, each with its synonyms."""
        kinds = self._materials.kinds
        wanted = {
            "documents": MaterialKind.DOCUMENT in kinds,
            "references": MaterialKind.REFERENCE in kinds,
            "conversation": bool(kinds & STEPS),
        }
        return SYNONYMS | {field: MATERIAL_SYNONYMS[field] for field, is_wanted in wanted.items() if is_wanted}

    def _turns_column(self, row: TableRow, layout: _Layout) -> str | None:
        """Return the column that holds a conversation, be it that of the task; None if there is none in the row."""
        fields = layout.fields
        task = fields.get("task")
        if task is None and layout.turns is None and "conversation" not in fields:
            return None
        is_multi_turn = self._is_multi_turn(row, layout)
        column = fields.get("conversation") or (layout.turns if is_multi_turn else None)
        if column is not None:
            return column if row.values[column] not in (None, "", []) else None
        if task is None:
            return None
        value = row.values[task]
        if not isinstance(value, str):
            return task if is_conversation(value) else None
        if "text" not in fields:  # Nothing but a conversation could hold the output.
            return task if value.lstrip()[:1] == "[" else None
        # Where no materials are wanted, tables are read as they were before there were any.
        is_read = bool(self._materials.kinds) or is_multi_turn
        return task if is_read and holds_messages(value) else None

    def _is_multi_turn(self, row: TableRow, layout: _Layout) -> bool:
        column = layout.factors.get("category")
        named = cell_text(row, column) if column is not None else ""
        return (named or self._materials.category) == _MULTI_TURN

    def _asked(self, row: TableRow) -> str | None:
        """Return the question of a row if nothing else could say what was asked."""
        column = self._layout(row).asked
        return None if column is None else cell_text(row, column)

    def _given_materials(self, row: TableRow, fields: dict[str, str]) -> list[Material]:
        found: list[Material] = []
        for field in ("documents", "references"):
            if column := fields.get(field):
                is_one = holds_one_text(fold_column(column)) and field not in self._mapping
                found += read_materials(field, row, column, is_one, self._materials)
        return found

    def _text_beside(self, row: TableRow, fields: dict[str, str]) -> str:
        """Return the output that stands beside a conversation; empty where the conversation holds it."""
        return self._text(row, fields) if "text" in fields and cell_text(row, fields["text"]).strip() else ""

    def _of_conversation(self, sample: Sample, given: list[Material], row: TableRow, column: str) -> list[Sample]:
        judged = self._materials.judged
        steps = read_steps(decode_cell(row, column, "error.conversation.not_list.hint"), row.where, column)
        parts = judged_parts(steps, judged, sample.text, row.where)
        samples = []
        for number, part in enumerate(parts, start=1):
            are_shown = bool(self._materials.kinds & STEPS)
            before = "" if are_shown or not part.beside else transcript(part.beside)
            materials = [*given, *(part.beside if are_shown else ())]
            numbered = f"/{number}" if judged == "each" else ""
            samples.append(
                msgspec.structs.replace(
                    sample,
                    output_id=f"{sample.output_id}{numbered}",
                    question_id=f"{sample.question_id}{numbered}" if sample.question_id else "",
                    text=part.text,
                    task="\n\n".join(filter(None, (sample.task, before))),
                    materials=check_materials(materials, row.where),
                )
            )
        return samples

    def _layout(self, row: TableRow) -> _Layout:
        names = tuple(row.values)
        layout = self._found.get(names)
        if layout is None:
            layout = self._found[names] = self._lay_out(names, row.where)
        return layout

    def _lay_out(self, names: tuple[str, ...], where: str) -> _Layout:
        code, synonyms = "error.table.several_columns", self._synonyms
        fields = assign_fields(names, synonyms, self._mapping, code, where)
        if "text" not in fields and "text" not in self._mapping and "conversation" not in fields:
            synonyms = {**synonyms, "conversation": MATERIAL_SYNONYMS["conversation"]}
            fields = assign_fields(names, synonyms, self._mapping, code, where)
        if self._materials.kinds and "task" not in fields and may_be_words(fields.get("question_id", "")):
            fields["task"] = fields["question_id"]  # A question, and not an id of one, is what judges need to see.
        used = set(fields.values())
        others = {name: self._factors.get(fold_column(name)) for name in names if name not in used}
        factors = {factor: name for name, factor in others.items() if factor is not None}
        notes = [name for name in others if name not in factors.values()]
        of_turns = ("conversation", *MATERIAL_SYNONYMS["conversation"])
        turns = next((name for name in notes if fold_column(name) in of_turns), None)
        has_task = "task" in fields or "task" in self._mapping
        asked = None if has_task or not may_be_words(fields.get("question_id", "")) else fields["question_id"]
        return _Layout(fields, factors, notes, turns, asked)

    def _required(self, row: TableRow, fields: dict[str, str], field: str) -> str:
        column = fields[field]
        value = cell_text(row, column)
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


def _note(row: TableRow, name: str) -> str:
    """Write a cell as text; materials that nobody asked for, which may be lists, as JSON."""
    value = row.values[name]
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else cell_text(row, name)
