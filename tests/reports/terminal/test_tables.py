"""A table at a terminal in each of its forms: as wide as it fits, in short, as a grid, and row by row."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from golden_values import assert_as_kept
from making_cells import cell, table
from venire.reports.report import Column, Row, Table
from venire.reports.terminal.tables import _brief_tries, _full_tries, _grid_tries, print_notes, print_table
from venire.reports.words import ReportWords

WORDS = ReportWords("en")
BOARD = table(
    "score agreement of-all-judges outputs",
    alder=[
        cell(8.25, id="leaderboard.alder.score", low=7.5, high=9.0, level=0.95, scale=(0, 10)),
        cell(0.61, id="leaderboard.alder.agreement", unit="coefficient", low=0.4, high=0.8, level=0.95),
        cell(3.0, id="leaderboard.alder.mean"),
        cell(120, id="leaderboard.alder.outputs", unit="count"),
    ],
    **{
        "bi\u202ech": [
            cell(None, id="leaderboard.birch.score", reason="too few"),
            cell(0.05, id="leaderboard.birch.agreement", unit="coefficient"),
            cell(4.5, id="leaderboard.birch.mean"),
            cell(7, id="leaderboard.birch.outputs", unit="count"),
        ]
    },
)
BOARD = replace(BOARD, id="leaderboard")
GRID = Table(
    "drift_models",
    ("prompt_variant",),
    (Column("alder", "alder"), Column("birch", "birch"), Column("cedar", "cedar")),
    (
        Row(("baseline",), (cell(8.0, scale=(0, 8), low=7, high=9), cell(2.0, scale=(0, 8)), cell(1.0))),
        Row(
            ("long",),
            (cell(4.0, scale=(2, 6)), cell(None), cell(3.0, scale=(2, 6), note="rough")),
        ),
    ),
)


def printed(shown, width, *, full):
    console = Console(file=io.StringIO(), width=width)
    left = print_table(console, shown, WORDS, full=full)
    print_notes(console, left, WORDS)
    text = "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
    return f"== {shown.id} in {width} columns, full: {full}; kept: {len(left.columns)}\n{text}\n"


@pytest.mark.parametrize(("name", "shown"), [("board", BOARD), ("grid", GRID)])
def test_a_table_takes_the_widest_form_that_fits(name, shown):
    forms = [printed(shown, width, full=full) for full in (True, False) for width in (100, 60, 45, 30, 12)]
    assert_as_kept(f"printed/table_forms_{name}.txt", "".join(forms))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("shown", [BOARD, GRID], ids=lambda shown: shown.id)
def test_each_form_takes_the_room_that_rich_would_measure(shown, language):
    words, console = ReportWords(language), Console(file=io.StringIO(), width=10_000)
    forms = [form for tries in (_full_tries, _brief_tries, _grid_tries) for _, form in tries(shown, words)]
    assert len({form.width for form in forms}) > 3
    assert [form.width for form in forms] == [console.measure(form.shown).maximum for form in forms]
