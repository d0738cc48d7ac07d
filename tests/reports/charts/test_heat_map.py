"""Heat maps: colours run over the scale, and those who are alike stand together."""

from __future__ import annotations

import re

from golden_values import assert_as_kept
from making_cells import elements
from venire.reports.cells import make_table, number_cell, text_cell
from venire.reports.charts.heat_map import BARE, STANDING, TALL, by_similarity, heat_map
from venire.reports.report import Column, Rows
from venire.reports.words import ReportWords


def square(names, value_of, unit="coefficient"):
    drafts = [
        ((one,), [text_cell("–", Rows()) if one == other else number_cell(value_of(one, other), Rows(), unit)
                  for other in names])
        for one in names
    ]  # fmt: skip
    return make_table("pairs", ("rater",), [Column(name, name) for name in names], drafts)


def test_coefficients_are_coloured_from_minus_one_to_one():
    drawn = heat_map(square("ab", lambda one, _: {"a": -1.0, "b": 0.5}[one]), "t", ReportWords("en"))
    assert re.findall(r'class="(h\d+)"', drawn) == ["h0", "h15"]


def test_those_who_are_alike_stand_together():
    table = square("abcdef", lambda one, other: 0.9 if (one in "ace") == (other in "ace") else 0.1)
    names = "".join(row.names[0] for row in by_similarity(table).rows)
    assert {frozenset(names[:3]), frozenset(names[3:])} == {frozenset("ace"), frozenset("bdf")}
    ordered = by_similarity(table)
    assert [column.name for column in ordered.columns] == [row.names[0] for row in ordered.rows]
    assert all(row.cells[place].text == "–" for place, row in enumerate(ordered.rows))


def test_very_many_rows_scroll_in_a_window_of_their_own():
    def drawn(count):
        rows = [((str(place),), [number_cell(1.0, Rows())]) for place in range(count)]
        return heat_map(make_table("t", ("x",), [Column("q", "q")], rows), "t", ReportWords("en"))

    assert 'class="scroll tall"' in drawn(TALL + 1)
    assert 'class="scroll"' in drawn(TALL)


def test_a_table_that_is_not_each_with_each_keeps_its_order():
    table = make_table("t", ("x",), [Column("q", "q")], [((name,), [number_cell(1.0, Rows())]) for name in "dcba"])
    assert by_similarity(table) is table


def test_many_columns_stand_upright_and_very_many_are_bare():
    def look(count):
        names = [f"judge{place}" for place in range(count)]
        return heat_map(square(names, lambda *_: 0.5), "t", ReportWords("en"))

    assert 'class="heat"' in look(STANDING)
    assert 'class="heat standing"' in look(STANDING + 1)
    assert ">0.500<" in look(BARE)
    bare = look(BARE + 1)
    assert 'class="heat standing bare"' in bare
    assert ">0.500<" not in bare
    assert 'aria-label="judge0, judge1: 0.500' in bare


def test_a_heat_map_stays_as_it_was_drawn():
    table = square("abc", lambda one, other: {"a": -0.8, "b": 0.5, "c": None}[one if other != "b" else "b"])
    assert_as_kept("charts/heat_map.html", elements(heat_map(table, "Title", ReportWords("en"))))
