"""Samples from whatever users keep them in: a table, or a folder of text files or PDFs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from venire.domain.sample import Sample
from venire.errors import InputError, TableError, UsageError
from venire.inputs.documents.name_pattern import NamePattern
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.documents.text import DOCUMENT_ENDINGS, read_document
from venire.inputs.first_places import FirstPlaces
from venire.inputs.folder import ending_of, relative_name, walk_files
from venire.inputs.problems import OnProblem, tell, unreadable
from venire.inputs.tables.columns import CATEGORY, SampleColumns
from venire.inputs.tables.materials import MaterialTerms
from venire.inputs.tables.rows import TABLE_ENDINGS, read_rows

SPREADSHEET_ENDINGS = (".xlsx", ".xls", ".ods", ".numbers")
"""Tables that are not read, but that the program which made them saves as CSV."""

_FIELD_OF_BRACE = {
    "question": "question_id",
    "question_id": "question_id",
    "version": "prompt_variant",
    "variant": "prompt_variant",
    "prompt_variant": "prompt_variant",
    "model": "target_model",
    "target_model": "target_model",
}
"""Which brace of a file-name pattern is which field of a sample."""


class PlacedSample(msgspec.Struct, frozen=True):
    """A sample and where it was found."""

    sample: Sample
    """The sample."""
    where: str
    """The file and row, for a reader."""
    start: int = 0
    """For a line of JSON Lines, the offset in the file at which it begins."""


def read_samples(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    pattern: str | None = None,
    factors: Collection[str] = CATEGORY,
    pdf_limits: PdfLimits | None = None,
    encoding: str = "",
    id_from_row: bool = False,
    materials: MaterialTerms | None = None,
    on_problem: OnProblem = None,
) -> Iterator[Sample]:
    """Yield the samples of a table, of a folder, or of one document.

    A table (JSON Lines, JSON, CSV, TSV, Parquet) has a row for each sample; `columns` says which of its columns is
    which field, where the names do not tell, and `factors` which are factors of the design; the rest are notes of the
    sample, which are no part of its digest. In a folder each .txt, .md or .pdf file is a sample; its output_id is the
    path inside the folder without the ending, with forward slashes; `pattern` takes factors from the file names, and
    `pdf_limits` says what the parsing of one PDF may cost. A table is UTF-8 unless its byte order mark or `encoding`
    says otherwise. With `id_from_row` the output_id of a row is made of its number. `materials` says which kinds of
    material are read from columns with the usual names, and what of a conversation is judged; without it none are.

    A table without a column for the output_id or text, or in another encoding, raises `TableError`. Rows and files that
    cannot be used are handed to `on_problem` and passed over; without it the first one is raised as `InputError`. To
    find output_ids that stand twice, many of them are kept in a temporary file.
    """
    parsed = None if pattern is None else NamePattern.parse(pattern)
    terms = materials or MaterialTerms()
    mapping = SampleColumns(columns, factors, id_from_row=id_from_row, materials=terms)
    for placed in read_placed_samples(path, mapping, parsed, on_problem, pdf_limits, encoding):
        yield placed.sample


def read_placed_samples(
    path: Path,
    columns: SampleColumns,
    pattern: NamePattern | None,
    on_problem: OnProblem,
    pdf_limits: PdfLimits | None = None,
    encoding: str = "",
) -> Iterator[PlacedSample]:
    """Yield the samples with their places; see `read_samples`."""
    with closing(FirstPlaces()) as places:
        for placed in _all_samples(path, columns, pattern, on_problem, pdf_limits, encoding):
            output_id = placed.sample.output_id
            first = places.note(output_id, placed.where)
            if first is None:
                yield placed
            else:
                tell(used_twice(output_id, placed.where, first), on_problem)


def used_twice(output_id: str, where: str, first: str) -> InputError:
    """Say that an output_id was used before."""
    return InputError("error.sample.duplicate_id", where=where, name=output_id, first=first)


def list_documents(
    folder: Path, pattern: NamePattern | None, on_problem: OnProblem
) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield the folder's documents with the factors that their names give; a name that does not fit is a problem."""
    endings = (pattern.ending,) if pattern is not None and pattern.ending else DOCUMENT_ENDINGS
    found_any = False
    for found in walk_files(folder, endings):
        found_any = True
        if isinstance(found, InputError):
            tell(found, on_problem)
            continue
        factors = {} if pattern is None else pattern.match(found.stem)
        if factors is None:
            tell(
                InputError("error.folder.pattern_misfit", where=str(found), pattern=pattern.text if pattern else ""),
                on_problem,
            )
            continue
        yield found, factors
    if not found_any:
        tell(InputError("error.folder.no_files", where=str(folder), endings=" ".join(endings)), on_problem)


def document_id(path: Path, root: Path) -> str:
    """Return the output_id of a document: its path inside the root without its ending."""
    return relative_name(path.with_suffix(""), root)


def document_sample(path: Path, root: Path, factors: dict[str, str], pdf_limits: PdfLimits | None = None) -> Sample:
    """Read the sample that a document holds; raise `InputError` if it cannot be read."""
    document = read_document(path, relative_name(path, root), pdf_limits)
    fields = {_FIELD_OF_BRACE[name]: value for name, value in factors.items() if name in _FIELD_OF_BRACE}
    return Sample(
        output_id=document_id(path, root),
        text=document.text,
        question_id=fields.get("question_id", ""),
        prompt_variant=fields.get("prompt_variant", ""),
        target_model=fields.get("target_model", ""),
        factors=factors,
        source=document.source,
    )


def kind_of_input(path: Path) -> str:
    """Tell whether samples come from a `folder`, a `table` or one `document`; raise `InputError` if from neither."""
    try:
        path.stat()
    except OSError as error:
        raise unreadable(error, str(path)) from error
    if path.is_dir():
        return "folder"
    if ending_of(path) in TABLE_ENDINGS:
        return "table"
    if ending_of(path) in DOCUMENT_ENDINGS:
        return "document"
    endings = " ".join((*TABLE_ENDINGS, *DOCUMENT_ENDINGS))
    hint = "error.sample.spreadsheet.hint" if ending_of(path) in SPREADSHEET_ENDINGS else ""
    raise InputError("error.sample.not_table", where=str(path), hint=hint, endings=endings)


def _all_samples(
    path: Path,
    columns: SampleColumns,
    pattern: NamePattern | None,
    on_problem: OnProblem,
    pdf_limits: PdfLimits | None,
    encoding: str,
) -> Iterator[PlacedSample]:
    kind = kind_of_input(path)
    if kind == "table":
        if pattern is not None:
            raise UsageError("error.folder.pattern_for_table", where=str(path))
        yield from _table_samples(path, columns, on_problem, encoding)
        return
    if kind == "folder":
        root, documents = path, list_documents(path, pattern, on_problem)
    else:
        root, documents = path.parent, iter([(path, (pattern.match(path.stem) if pattern else None) or {})])
    for document, factors in documents:
        try:
            sample = document_sample(document, root, factors, pdf_limits)
        except InputError as problem:
            tell(problem, on_problem)
            continue
        yield PlacedSample(sample, str(document))


def _table_samples(path: Path, columns: SampleColumns, on_problem: OnProblem, encoding: str) -> Iterator[PlacedSample]:
    found_any = False
    lacking: InputError | None = None
    has_columns = False

    def note(problem: InputError) -> None:
        nonlocal found_any
        found_any = True
        tell(problem, on_problem)

    for row in columns.decide(read_rows(path, on_problem=note, encoding=encoding, may_nest=columns.may_nest)):
        found_any = True
        if not has_columns and (missing := columns.lacking(row)):
            lacking = lacking or missing  # Of these rows only, or of all: that is known when a row has the columns.
            continue
        if lacking:
            tell(lacking, on_problem)
        has_columns, lacking = True, None
        try:
            samples = columns.samples(row)
        except InputError as problem:
            tell(problem, on_problem)
            continue
        yield from (PlacedSample(sample, row.where, row.start) for sample in samples)
    if lacking:
        raise TableError(lacking.message, where=lacking.where, hint=lacking.hint)
    if not found_any:
        tell(InputError("error.table.no_rows", where=str(path)), on_problem)
    elif unused := columns.unused():
        tell(InputError("error.table.unused_columns", where=str(path), columns=tuple(map(repr, unused))), on_problem)
