"""The planned set of a bundle, and which file a label means."""

from __future__ import annotations

import pytest

from venire.domain.design import BundleDesign

DESIGN = BundleDesign(
    "q{question} {version}.pdf",
    {"question": ("3", "4"), "version": ("long", "weak")},
    "question",
    "version",
    {},
    {},
)


def test_the_cells_are_every_combination_with_the_last_factor_fastest() -> None:
    assert [cell.label for cell in DESIGN.cells] == ["q3 long.pdf", "q3 weak.pdf", "q4 long.pdf", "q4 weak.pdf"]
    assert DESIGN.cells[2].factors == {"question": "4", "version": "long"}


@pytest.mark.parametrize(
    "label",
    ["q3 long.pdf", "Q3_LONG.PDF", "a/b/q3 long.pdf", "a\\q3-long.txt", "q3  long", " q3 long .pdf", "q3 long.pdf "],
)
def test_a_label_is_matched_whatever_its_spelling(label: str) -> None:
    assert DESIGN.cell(label) is DESIGN.cells[0]


@pytest.mark.parametrize("label", ["", "q5 long.pdf", "long q3.pdf", "q3 long 2.pdf", "q3 long/", "."])
def test_a_label_of_no_file_means_nothing(label: str) -> None:
    assert DESIGN.cell(label) is None
