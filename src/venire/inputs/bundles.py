"""Find and read the planned set of a bundle among the files of a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from venire.domain.design import BundleDesign, Cell
from venire.domain.judge import fold_name
from venire.domain.sample import Bundle, Sample
from venire.errors import InputError
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.documents.text import DOCUMENT_ENDINGS, read_document
from venire.inputs.folder import walk_files
from venire.inputs.problems import OnProblem, tell, unreadable


def read_bundle(
    folder: Path,
    design: BundleDesign,
    *,
    target_model: str = "",
    pdf_limits: PdfLimits | None = None,
    on_problem: OnProblem = None,
) -> Bundle:
    """Read the samples of a bundle, in the order of its design; other files of the folder are left alone.

    Names need not be spelt as in the design; .txt and .md files do as well as PDFs. Files that are missing, cannot be
    read, or mean the same planned sample as another are problems; the bundle then holds the samples that remain.
    """
    files = _files_by_label(folder, design, on_problem)
    missing = [cell.label for cell in design.cells if cell.label not in files]
    if missing:
        problem = InputError(
            "error.folder.missing_files",
            where=str(folder),
            count=len(missing),
            planned=len(design.cells),
            names=tuple(missing),
            pattern=design.file_pattern,
        )
        tell(problem, on_problem)
    samples: list[Sample] = []
    for cell in design.cells:
        if cell.label not in files:
            continue
        try:
            samples.append(_read_cell(files[cell.label], cell, design, target_model, pdf_limits))
        except InputError as problem:
            tell(problem, on_problem)
    return Bundle(folder.resolve().name, tuple(samples), target_model)


def find_bundle_folder(root: Path, generator: str, design: BundleDesign) -> Path | None:
    """Return the folder that holds a generator's bundle, or None.

    It is the sub-folder that is named like the generator, whatever its case and punctuation; or else the root itself,
    if files of the design lie directly in it. Raises `InputError` if the root cannot be read or two sub-folders are
    named like the generator.
    """
    wanted = fold_name(generator)
    try:
        entries = sorted(root.iterdir())
    except OSError as error:
        raise unreadable(error, str(root)) from error
    inside = root.resolve()
    folders = [
        entry
        for entry in entries
        if wanted and fold_name(entry.name) == wanted and entry.is_dir() and entry.resolve().is_relative_to(inside)
    ]
    if len(folders) > 1:
        names = ", ".join(folder.name for folder in folders)
        raise InputError("error.folder.several", where=str(root), name=generator, names=names)
    if folders:
        return folders[0]
    return root if any(_cell_of(entry, design) is not None and entry.is_file() for entry in entries) else None


def folder_names(root: Path) -> tuple[str, ...]:
    """Return the names of the sub-folders in which bundles may lie, sorted; raises `InputError` for what is no folder.

    Hidden folders and links that lead out of the root are left out.
    """
    inside = root.resolve()
    try:
        folders = [entry for entry in root.iterdir() if entry.is_dir() and entry.resolve().is_relative_to(inside)]
    except OSError as error:
        raise unreadable(error, str(root)) from error
    return tuple(sorted(folder.name for folder in folders if not folder.name.startswith(".")))


def similar_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return those of the others that contain the name or are contained in it, whatever their punctuation.

    >>> similar_names("gemini", ["google_gemini-3-pro", "kimi"])
    ('google_gemini-3-pro',)
    """
    wanted = fold_name(name)
    folded = {other: fold_name(other) for other in others}
    return tuple(other for other, text in folded.items() if wanted and text and (wanted in text or text in wanted))


def _files_by_label(folder: Path, design: BundleDesign, on_problem: OnProblem) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for found in walk_files(folder, DOCUMENT_ENDINGS, recursive=False):
        if isinstance(found, InputError):
            tell(found, on_problem)
            continue
        cell = _cell_of(found, design)
        if cell is None:
            continue
        first = files.setdefault(cell.label, found)
        if first is not found:
            problem = InputError("error.folder.same_sample", where=str(found), first=first.name, sample=cell.label)
            tell(problem, on_problem)
    return files


def _cell_of(path: Path, design: BundleDesign) -> Cell | None:
    return design.cell(path.name) if path.suffix.lower() in DOCUMENT_ENDINGS else None


def _read_cell(path: Path, cell: Cell, design: BundleDesign, target_model: str, pdf_limits: PdfLimits | None) -> Sample:
    document = read_document(path, path.name, pdf_limits)
    return Sample(
        output_id=cell.label,
        text=document.text,
        question_id=cell.factors[design.question_factor],
        prompt_variant=cell.factors[design.variant_factor],
        target_model=target_model,
        factors=cell.factors,
        source=document.source,
    )
