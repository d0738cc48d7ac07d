"""Pieces of a report on pages."""

import re
from pathlib import Path

from making_cells import cell
from venire.reports.report import Column, ReportSection, Row, Table
from venire.reports.words import ReportWords
from venire.server.pages.report_pieces import SHOWN_TABLES, cell_address, chosen_sections, section_figures


def test_links_of_charts_lead_to_pages_and_colours_are_attributes():
    names = tuple(Column(name, name) for name in ("q1", "q2"))
    rows = (Row(("baseline",), (cell(1.0), cell(2.0))),)
    section = ReportSection("drift", (), (Table("drift_map", ("prompt_variant",), names, rows),))
    drawn = section_figures(section, ReportWords("en"))
    assert drawn.count('href="/cells/t.') == 2
    assert 'href="#' not in drawn
    assert "style=" not in drawn


def test_the_address_of_a_cell_is_quoted():
    assert cell_address(cell(1.0, id="a.b c/ü")) == "/cells/a.b%20c/%C3%BC"


class Sections:
    def section(self, name):
        return ReportSection(name) if name != "missing" else None


def test_sections_come_in_the_order_asked_for_without_those_that_are_not_there():
    assert [each.id for each in chosen_sections(Sections(), ("b", "missing", "a"))] == ["b", "a"]
    assert chosen_sections(None, ("a",)) == []


def test_the_tables_that_are_open_at_first_are_tables_of_reports():
    outline = (Path(__file__).parents[2] / "golden" / "report_outline.txt").read_text(encoding="utf-8")
    missing = SHOWN_TABLES - set(re.findall(r"^  table (\w+) by", outline, re.MULTILINE))
    assert missing == set()
