"""Look samples up by their id without holding the texts of a large table."""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from venire.domain.sample import Sample
from venire.errors import InputError
from venire.inputs.documents.name_pattern import NamePattern
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.encoding import marked_encoding
from venire.inputs.folder import ending_of
from venire.inputs.problems import OnProblem, tell
from venire.inputs.reader import (
    document_id,
    document_sample,
    kind_of_input,
    list_documents,
    read_placed_samples,
    read_samples,
    used_twice,
)
from venire.inputs.tables.columns import CATEGORY, SampleColumns
from venire.inputs.tables.jsonl import read_line_at
from venire.inputs.tables.materials import MaterialTerms
from venire.inputs.tables.record import TableRow, decode_record
from venire.inputs.tables.rows import JSON_LINES_ENDINGS

_CACHED_SAMPLES = 64
_ENDINGS = re.compile(r"\.(?:json|markdown|md|pdf|txt)$", re.IGNORECASE)


class SampleIndex:
    """Samples by output_id.

    Of a JSON Lines file only the offsets of its lines are held, of a folder only the paths; the texts are read when
    they are asked for. Other tables are held as they are.
    """

    def __init__(self, readers: Mapping[str, Callable[[], Sample]]) -> None:
        self._readers = readers
        self._cache: OrderedDict[str, Sample] = OrderedDict()
        self._ids_by_last_part: dict[str, list[str]] | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        columns: Mapping[str, str] | None = None,
        pattern: str | None = None,
        factors: Collection[str] = CATEGORY,
        pdf_limits: PdfLimits | None = None,
        materials: MaterialTerms | None = None,
        on_problem: OnProblem = None,
    ) -> SampleIndex:
        """Index a table, a folder or a document that `read_samples` can read; the arguments mean the same."""
        if kind_of_input(path) == "folder":
            return cls(_index_folder(path, pattern, pdf_limits, on_problem))
        if ending_of(path) in JSON_LINES_ENDINGS and pattern is None and not _is_recoded(path):
            mapping = SampleColumns(columns, factors, materials=materials or MaterialTerms())
            placed_samples = read_placed_samples(path, mapping, None, on_problem)
            starts = {placed.sample.output_id: placed.start for placed in placed_samples}
            return cls(_LineReaders(path, mapping, starts))
        samples = read_samples(
            path,
            columns=columns,
            pattern=pattern,
            factors=factors,
            pdf_limits=pdf_limits,
            materials=materials,
            on_problem=on_problem,
        )
        return cls({sample.output_id: partial(_same, sample) for sample in samples})

    def __len__(self) -> int:
        return len(self._readers)

    def ids(self) -> Iterable[str]:
        """Return the ids of all samples, in the order of the table or folder."""
        return self._readers.keys()

    def find(self, output_id: str) -> Sample | None:
        """Return the sample that an id means, or None if none or more than one could be meant.

        If no sample has exactly this id, then case, blanks against underscores or hyphens, a file ending and folders
        before the name do not matter. The id is only ever looked up, never used as a path. Raises `InputError` if the
        sample's text can no longer be read.
        """
        known = output_id if output_id in self._readers else self._find_folded(output_id)
        if known is None:
            return None
        if known in self._cache:
            self._cache.move_to_end(known)
            return self._cache[known]
        sample = self._cache[known] = self._readers[known]()
        if len(self._cache) > _CACHED_SAMPLES:
            self._cache.popitem(last=False)
        return sample

    def _find_folded(self, output_id: str) -> str | None:
        if self._ids_by_last_part is None:
            self._ids_by_last_part = {}
            for known in self._readers:
                self._ids_by_last_part.setdefault(_fold(known)[-1], []).append(known)
        parts = _fold(output_id)
        candidates = self._ids_by_last_part.get(parts[-1], ())
        matches = [known for known in candidates if _is_tail(_fold(known), parts)]
        return matches[0] if len(matches) == 1 else None


def _is_recoded(path: Path) -> bool:
    """Tell whether a table is not read where it lies, so that the offsets of its lines are of no use."""
    with path.open("rb") as file:
        return bool(marked_encoding(file.read(4)))


def _fold(output_id: str) -> list[str]:
    """Split an id at its folders, each part without ending and without what does not distinguish names."""
    name = _ENDINGS.sub("", unicodedata.normalize("NFC", output_id))
    return [re.sub(r"[\s_-]+", " ", part).casefold() for part in re.split(r"[/\\]", name)]


def _is_tail(first: list[str], second: list[str]) -> bool:
    """Tell whether one path ends in the other: `a/q1` fits `q1`, but not `b/q1`."""
    shared = min(len(first), len(second))
    return first[-shared:] == second[-shared:]


def _same(sample: Sample) -> Sample:
    return sample


def _index_folder(
    root: Path, pattern: str | None, pdf_limits: PdfLimits | None, on_problem: OnProblem
) -> dict[str, Callable[[], Sample]]:
    readers: dict[str, Callable[[], Sample]] = {}
    paths: dict[str, Path] = {}
    parsed = None if pattern is None else NamePattern.parse(pattern)
    for path, factors in list_documents(root, parsed, on_problem):
        output_id = document_id(path, root)
        first = paths.setdefault(output_id, path)
        if first is not path:
            tell(used_twice(output_id, str(path), str(first)), on_problem)
            continue
        readers[output_id] = partial(document_sample, path, root, factors, pdf_limits)
    return readers


class _LineReaders(Mapping[str, Callable[[], Sample]]):
    """Makes the reader of a line when it is asked for, so that an id costs no more than its offset."""

    def __init__(self, path: Path, columns: SampleColumns, starts: dict[str, int]) -> None:
        self._path = path
        self._columns = columns
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._starts)

    def __contains__(self, output_id: object) -> bool:
        return output_id in self._starts

    def __getitem__(self, output_id: str) -> Callable[[], Sample]:
        return partial(self._read, output_id, self._starts[output_id])

    def _read(self, output_id: str, start: int) -> Sample:
        where = f"{self._path} at byte {start}"
        record = decode_record(read_line_at(self._path, start), where, self._columns.may_nest)
        samples = self._columns.samples(TableRow(0, record, where))
        for sample in samples:
            if sample.output_id == output_id:
                return sample
        raise InputError("error.sample.changed", where=where, expected=output_id, found=samples[0].output_id)
