"""Reports in a real browser: everybody can read every section, and no word of a chart is too small."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser

from accessibility import shorten, tiny_words, violations
from browsing import DESKTOP, PHONE, launched_browser, opened_page
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices, Report
from venire.workflows.analyse import analyse


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a table in which two judges compared the outputs of three models, two by two."""
    order = ("alder-1", "birch-2", "cedar-mini")
    rows = [
        {"question": f"q{number}", "judge": judge, "model_a": one, "model_b": other,
         "winner": "model_b" if (number + place) % 4 == 0 else "model_a"}
        for number in range(12)
        for place, judge in enumerate(("oak", "elm"))
        for at, one in enumerate(order)
        for other in order[at + 1 :]
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    pl.DataFrame(rows).write_csv(path)
    return analyse(path, Choices())


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a table in which two judges gave verdicts, and differ on some outputs."""
    rows = [
        {"output_id": f"q{number}-{model}", "question_id": f"q{number}", "target_model": model, "judge": judge,
         "verdict": "PASS" if (number + place) % 4 < passed else "FAIL"}
        for number in range(16)
        for model, passed in (("alder-1", 3), ("birch-2", 1))
        for place, judge in enumerate(("oak", "elm"))
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("verdicts") / "verdicts.csv"
    pl.DataFrame(rows).write_csv(path)
    return analyse(path, Choices())


@pytest.fixture(scope="module")
def files(report: Report, pairs: Report, verdicts: Report, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, written = tmp_path_factory.mktemp("readable"), dict[str, Path]()
    for name, made in (("labels", report), ("pairs", pairs), ("verdicts", verdicts)):
        for language in ("en", "zh"):
            written[f"{name}-{language}"] = folder / f"{name}-{language}.html"
            written[f"{name}-{language}"].write_text(html_page(made, language), "utf-8")
    return written


@pytest.fixture(scope="module")
def browser(files: dict[str, Path]) -> Iterator[Browser]:
    del files  # They are made first: no run can be made while a browser is open in this thread.
    with launched_browser() as opened:
        yield opened


def test_the_reports_hold_the_sections_that_are_looked_at(report, pairs):
    assert {"people", "questions", "judges", "agreement"} <= {section.id for section in report.sections}
    assert {"calibration", "reliability"} & {table.id for table in report.tables() if table.rows}
    assert {"pairwise", "ranking"} & {section.id for section in pairs.sections}


def test_a_report_of_pairs_begins_with_who_leads_and_the_strengths(pairs):
    page = html_page(pairs, "en")
    first = page.partition('<div class="tiles')[0]
    assert first.partition("<h1>")[2].startswith(pairs.table("ranking").rows[0].names[0])
    assert first.count('class="dot"') == len(pairs.table("ranking").rows) == 3
    assert page.count("<h1>") == 1
    said = first.partition("<h1>")[2].partition("</h1>")[0]
    assert page.count(said) == 1
    assert "How far to trust it" in first


@pytest.mark.parametrize("name", [pytest.param("labels", marks=pytest.mark.long), "pairs", "verdicts"])
@pytest.mark.parametrize(
    ("language", "scheme", "viewport"),
    [
        pytest.param("en", "light", DESKTOP, marks=pytest.mark.long, id="desktop"),
        pytest.param("zh", "dark", PHONE, id="phone"),
    ],
)
def test_everybody_can_read_every_section(browser, files, name, language, scheme, viewport):
    address = files[f"{name}-{language}"].as_uri()
    with opened_page(browser, address, viewport=viewport, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert tiny_words(page) == []
        shorten(page)
        assert violations(page) == []
