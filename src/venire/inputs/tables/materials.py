"""Materials of a sample in the cells of a table: documents and references, as texts, lists or names of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from venire.domain.material import OUTPUT, Material, MaterialKind
from venire.errors import InputError
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.documents.text import read_document
from venire.inputs.encoding import refuse_lone_surrogates
from venire.inputs.tables.record import TableRow, as_list, decode_json, fold_column, kind_of, python_list
from venire.words.said import say

Judged = Literal["last", "each", "whole"]
"""What of a conversation is judged: its last answer, every answer by itself, or the whole."""

LONGEST_MATERIAL = 2_000_000
"""The longest text of a material, in characters; no judge reads more at once."""

MATERIAL_SYNONYMS: dict[str, tuple[str, ...]] = {
    "documents": (
        "document", "context", "contexts", "retrieved_contexts", "retrieval_context", "文档", "上下文", "检索文档",
    ),
    "references": ("reference", "expected", "expected_output", "ground_truth", "target", "参考答案", "标准答案"),
    "conversation": ("messages", "turns", "对话"),
}  # fmt: skip
"""The fields that hold materials, and the names under which other tools export them and people write them."""

_KIND_OF_FIELD = {"documents": MaterialKind.DOCUMENT, "references": MaterialKind.REFERENCE}
_KIND_OF_NAME = {name: kind for field, kind in _KIND_OF_FIELD.items() for name in (field, *MATERIAL_SYNONYMS[field])}
_ONE_TEXT = frozenset(
    {
        "document",
        "context",
        "reference",
        "expected",
        "expected_output",
        "ground_truth",
        "target",
        "参考答案",
        "标准答案",
    }
)
"""Names of columns that hold one text each, so that a bracket at its beginning need not begin a list."""
_TEXT_KEYS = ("text", "content", "page_content", "passage", "document", "chunk")
_ID_KEYS = ("id", "doc_id", "document_id", "chunk_id", "source")


class MaterialTerms(msgspec.Struct, frozen=True):
    """How the materials of samples are read."""

    kinds: frozenset[MaterialKind] = frozenset()
    """The kinds that are wanted: columns with the usual names are read as these, and no others."""
    judged: Judged = "last"
    """What of a conversation is judged."""
    folder: Path | None = None
    """The folder that holds the documents, where the table only names their files."""
    pdf_limits: PdfLimits | None = None
    """What the parsing of one PDF in it may cost."""
    category: str = ""
    """The category of samples that do not say one themselves."""


def read_materials(field: str, row: TableRow, column: str, is_one_text: bool, terms: MaterialTerms) -> list[Material]:
    """Return the documents or references in a cell; raises `InputError` that names the row and the column."""
    kind = _KIND_OF_FIELD[field]
    name_of_kind, materials = kind.value, []
    for number, item in enumerate(_items(row, column, is_one_text), start=1):
        text, name = _text_and_id(item, row, column, number)
        if kind is MaterialKind.DOCUMENT and terms.folder is not None:
            text, name = _read_file(text, row, terms), name or text
        if not text or text.isspace():
            raise InputError("error.material.empty", where=row.where, column=column, number=number)
        materials.append(Material(name or f"{name_of_kind}-{number}", kind, text))
    return materials


def holds_one_text(folded_column: str) -> bool:
    """Tell whether a column of this name, folded, holds one text rather than a list of them."""
    return folded_column in _ONE_TEXT


def kind_by_name(name: str) -> MaterialKind | None:
    """Return the kind of the texts that people keep under a name; None for one that does not tell.

    >>> kind_by_name("Retrieval Context"), kind_by_name("color")
    (<MaterialKind.DOCUMENT: 'document'>, None)
    """
    return _KIND_OF_NAME.get(fold_column(name))


def check_materials(materials: Sequence[Material], where: str) -> tuple[Material, ...]:
    """Return all materials of a sample; raises `InputError` for a duplicate id, and for a text too long."""
    seen: set[str] = set()
    for each in materials:
        if each.id in seen:
            raise InputError("error.material.duplicate_id", where=where, name=each.id)
        if each.id == OUTPUT:
            raise InputError("error.material.reserved_id", where=where, name=each.id)
        if len(each.text) > LONGEST_MATERIAL:
            length, most = len(each.text), LONGEST_MATERIAL
            raise InputError("error.material.too_long", where=where, name=each.id, length=length, most=most)
        for words in (each.id, each.text, each.role):
            refuse_lone_surrogates(words, where, "problem.material", name=each.id)
        seen.add(each.id)
    return tuple(materials)


def decode_cell(row: TableRow, column: str, hint: str = "error.material.not_json.hint") -> Any:
    """Return what a cell holds: a list or object as it is, or of its JSON; raises `InputError` if it is not JSON.

    A list may also stand as Python writes it. The hint says how it should be written.
    """
    value = row.values[column]
    if not isinstance(value, str):
        return value
    try:
        return decode_json(value.encode("utf-8", "surrogatepass"), row.where)
    except InputError as problem:
        if (listed := python_list(value)) is not None:
            return listed
        said = {"column": column, "reason": problem.message}
        raise InputError("error.material.not_json", where=row.where, hint=hint, **said) from None


def _items(row: TableRow, column: str, is_one_text: bool) -> Iterator[Any]:
    value = row.values[column]
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = (_listed_texts(value) or value) if is_one_text else decode_cell(row, column)
    if value is None or value == "":
        return
    yield from value if isinstance(value, (list, tuple)) else (value,)


def _listed_texts(text: str) -> list[Any] | None:
    """Return the texts that a cell lists, if it is a list of nothing else; an answer may begin with a bracket."""
    value = as_list(text)
    return value if value is not None and all(isinstance(item, str) for item in value) else None


def _text_and_id(item: Any, row: TableRow, column: str, number: int) -> tuple[str, str]:
    if isinstance(item, str):
        return item, ""
    if isinstance(item, dict):
        text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
        if text is not None:
            named = next((item[key] for key in _ID_KEYS if isinstance(item.get(key), (str, int)) and item[key]), "")
            return text, str(named)
    if isinstance(item, (int, float)) and not isinstance(item, bool):
        return f"{item:g}" if isinstance(item, float) else str(item), ""
    found = kind_of(item)
    raise InputError("error.material.kind", where=row.where, column=column, number=number, found=found)


def _read_file(name: str, row: TableRow, terms: MaterialTerms) -> str:
    """Read a document by the name that a row gives it; only files inside the folder are read."""
    folder = (terms.folder or Path()).resolve()
    path = (folder / name).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        raise InputError("error.material.no_file", where=row.where, name=name, folder=folder)
    try:
        return _document_text(path, name, terms.pdf_limits)
    except InputError as problem:
        message = say("error.material.unreadable", name=name, problem=problem.message)
        raise InputError(message, where=row.where, hint=problem.hint) from None


@lru_cache(maxsize=32)  # A corpus is named again and again.
def _document_text(path: Path, name: str, limits: PdfLimits | None) -> str:
    return read_document(path, name, limits).text
