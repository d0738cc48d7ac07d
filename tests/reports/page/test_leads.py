"""The sentence that each section begins with: it follows from the section's own tables."""

from __future__ import annotations

import re

import pytest

from venire.reports.page.html_page import html_page
from venire.reports.page.leads import leads
from venire.reports.report import Column, Report, ReportCell, ReportSection, Row, Table
from venire.reports.words import ReportWords

WORDS = ReportWords("en")


def cell(value: float | None, unit: str = "difference", **more: object) -> ReportCell:
    return ReportCell(id="x", unit=unit, value=value, **more)  # type: ignore[arg-type]


def table(table_id: str, columns: tuple[str, ...], rows: dict[tuple[str, ...], tuple[ReportCell, ...]]) -> Table:
    heads = ("first", "second")[: len(next(iter(rows)))]
    return Table(table_id, heads, tuple(map(Column, columns)), tuple(Row(*row) for row in rows.items()))


def said(report: Report, section: str, *tables: Table) -> list[str]:
    return [str(each) for each in leads(ReportSection(section, (), tables), report, WORDS)]


def test_the_largest_difference_is_named_from_its_lower_side_if_it_is_more_than_chance(report):
    contrasts = table(
        "contrasts_trigger",
        ("difference", "p_adjusted"),
        {("a", "b"): (cell(5.0), cell(0.2, "p")), ("b", "c"): (cell(-2.0), cell(0.01, "p")),
         ("a", "c"): (cell(1.0), cell(0.001, "p"))},
    )  # fmt: skip
    assert said(report, "drift", contrasts)[0].startswith("b scores 2.00 points lower than c on the same questions")
    chance = table("contrasts_trigger", ("difference", "p_adjusted"), {("a", "b"): (cell(5.0), cell(0.2, "p"))})
    assert said(report, "drift", chance) == [
        "No difference between prompts or groups was shown to be more than chance."
    ]


def test_only_tested_pairs_are_counted(report):
    pairs = table(
        "comparisons",
        ("p_adjusted",),
        {("a", "b"): (cell(0.01, "p"),), ("a", "c"): (cell(0.5, "p"),), ("b", "c"): (cell(None, "p"),)},
    )
    assert said(report, "leaderboard", pairs) == ["1 of 2 pairs of models were shown to differ by more than chance."]


def test_the_weakest_point_is_the_lowest_share_of_a_scale(report):
    means = table(
        "dimension_means",
        ("long", "short"),
        {("a",): (cell(3.0, "score", scale=(0, 10)), cell(1.0, "score", scale=(0, 2)))},
    )
    means = Table(means.id, means.heads, (Column("x", "Long"), Column("y", "Short")), means.rows)
    assert said(report, "dimensions", means) == ["The weakest point is Long of a: 3.00 on average."]


def test_a_section_without_tables_begins_with_its_notes(report):
    assert said(report, "agreement") == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_section_says_one_thing_before_how_to_read_it_and_shows_its_warnings(report, language):
    page = html_page(report, language)
    words = ReportWords(language, report.names)
    for section in report.sections:
        drawn = page.partition(f'<section id="{section.id}"')[2].partition("</section>")[0]
        before = re.split(r'<details class="read">', drawn)[0]
        if section.id in ("leaderboard", "drift", "judges", "agreement", "people"):
            assert 'class="lead-line"' in before, section.id
            assert "<p>" not in before, section.id
        for note in section.notes:
            if note.warning and section.id not in ("overview", "collected"):
                folded = "".join(re.findall(r"<details.*?</details>", drawn, re.DOTALL))
                assert words.sentence(note).split("`")[0][:20] not in folded
