"""The planned set of a bundle: which files it has, and which of them a label means."""

from __future__ import annotations

import itertools
import re
from functools import cached_property

import msgspec

from venire.domain.judge import fold_name


class Cell(msgspec.Struct, frozen=True):
    """One planned sample of a bundle: a combination of the design's factors."""

    label: str
    """The file name that the design gives it."""
    factors: dict[str, str]
    """The value of each factor."""


class BundleDesign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The fixed set of samples in a bundle: every combination of its factors."""

    file_pattern: str
    """The name of a file, with each factor in braces, such as `q{question} {version} {trigger}.pdf`."""
    factors: dict[str, tuple[str, ...]]
    """The values of each factor, in the order of the pattern."""
    question_factor: str
    """The factor that names the question."""
    variant_factor: str
    """The factor that names the prompt variant."""
    meta_fields: dict[str, str]
    """Which field of `bundle_meta` lists which factor."""
    summaries: dict[str, str]
    """Which field of `aggregates` groups by which factor."""
    aggregate_tolerance: float = 0.005
    """How far a stated mean may lie from the recomputed one."""

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All planned samples, the last factor of the pattern varying fastest."""
        # Not in the order of the mapping, which a record with sorted keys does not keep.
        names = sorted(self.factors, key=lambda name: self.file_pattern.find(f"{{{name}}}"))
        return tuple(
            Cell(self.file_pattern.format_map(combination), combination)
            for values in itertools.product(*(self.factors[name] for name in names))
            for combination in [dict(zip(names, values, strict=True))]
        )

    @cached_property
    def _cells_by_folded_label(self) -> dict[str, Cell]:
        return {_fold_label(cell.label): cell for cell in self.cells}

    def cell(self, label: str) -> Cell | None:
        """Return the planned sample that a label means, or None.

        Case, blanks, underscores, hyphens, a folder prefix and the file's ending do not matter.

        >>> design = BundleDesign("q{q} {v}.pdf", {"q": ("3",), "v": ("long",)}, "q", "v", {}, {})
        >>> design.cell(" outputs/Q3_Long.PDF ").label
        'q3 long.pdf'
        >>> design.cell("q5 long.pdf") is None
        True
        """
        return self._cells_by_folded_label.get(_fold_label(label))


def _fold_label(label: str) -> str:
    name = re.split(r"[/\\]", label)[-1].strip()
    stem, dot, ending = name.rpartition(".")
    return fold_name(stem if dot and ending.isalnum() and len(ending) <= 4 else name)
