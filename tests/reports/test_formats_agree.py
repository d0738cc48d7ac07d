"""The page, the terminal and the files hold the same numbers."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import polars as pl
import pytest
from rich.console import Console

from venire.errors import InputError
from venire.reports.formats.table_files import decode_report, encode_report, write_tables
from venire.reports.page.html_page import html_page
from venire.reports.terminal.report import print_report
from venire.reports.words import ReportWords
from venire.words.language import Words


class Links(HTMLParser):
    """The text of every link of a page inside of tables, by its target, and all ids."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self.ids: list[str] = []
        self._open: str | None = None
        self._cell = False

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self._cell = self._cell or tag == "td"
        if tag == "a" and self._cell and "href" in found:
            self._open = unquote(found["href"].removeprefix("#"))
            self.texts.setdefault(self._open, []).append("")

    def handle_endtag(self, tag):
        self._open = None if tag == "a" else self._open
        self._cell = self._cell and tag != "td"

    def handle_data(self, data):
        if self._open is not None:
            self.texts[self._open][-1] += data


@pytest.fixture(scope="module")
def links(report):
    parser = Links()
    parser.feed(html_page(report, "en"))
    return parser


def numbers(report):
    return [cell for cell in report.cells() if cell.unit != "word"]


def test_ids_of_cells_are_unique(report):
    ids = [cell.id for cell in report.cells()]
    assert len(ids) == len(set(ids))
    assert "leaderboard.alder-1.mean" in ids


def test_json_gives_the_very_same_report_back(report):
    assert decode_report(encode_report(report, "zh"), "r.json") == report


def test_a_stored_report_says_how_numbers_were_made_in_any_language(report):
    again = decode_report(encode_report(report, "en"), "r.json")
    made, stored = ([cell for cell in each.cells() if cell.method] for each in (report, again))
    words = Words("zh")

    assert [words.of(cell.method) for cell in stored] == [words.of(cell.method) for cell in made]
    assert [words.of(cell.reason) for cell in again.cells()] == [words.of(cell.reason) for cell in report.cells()]
    assert not any(words.of(cell.method) == cell.method for cell in stored if " " in cell.method)


def test_a_stored_sentence_that_is_no_longer_said_so_stays_as_it_was(report):
    changed = encode_report(report, "en").replace(b"bootstrap", b"shoestring", 1)
    texts = [cell.method for cell in decode_report(changed, "r.json").cells() if "shoestring" in cell.method]

    assert [Words("zh").of(text) for text in texts] == texts != []


def test_csv_and_parquet_hold_the_numbers_of_the_json(report, tmp_path):
    for kind in ("csv", "parquet"):
        rows = {}
        for path in write_tables(report, tmp_path / kind, kind):
            text = path.read_text("utf-8-sig") if kind == "csv" else ""
            read = list(csv.DictReader(io.StringIO(text))) if kind == "csv" else pl.read_parquet(path).to_dicts()
            rows |= {row["cell"]: row for row in read}
        assert set(rows) == {cell.id for cell in report.cells()}
        for cell in report.cells():
            for name in ("value", "low", "high"):
                found = rows[cell.id][name]
                assert (None if found in ("", None) else float(found)) == getattr(cell, name), cell.id


def test_every_number_of_the_page_is_that_of_the_json_and_links_to_its_source(report, links):
    words = ReportWords("en", report.names)
    for cell in numbers(report):
        # A column in which nothing is known is left out of its table; the list of sources says why.
        if cell.is_known:
            assert words.value(cell) in links.texts[f"cell-{cell.id}"], cell.id
        assert f"cell-{cell.id}" in links.ids


def test_every_link_of_the_page_leads_somewhere(links):
    assert set(links.texts) <= set(links.ids)


def test_the_terminal_shows_the_numbers_of_the_page(report):
    console = Console(file=io.StringIO(), width=200)
    print_report(console, report, "en", full=True)
    shown = console.file.getvalue()
    words = ReportWords("en", report.names)
    missing = [cell.id for cell in numbers(report) if words.value(cell) not in shown]
    assert missing == []


def test_the_page_needs_nothing_from_elsewhere(report):
    page = html_page(report, "en")
    for word in ("<script", "http://", "https://", "<link", "<img", "url(", "@import"):
        assert word not in page, word


def test_charts_say_their_numbers_in_words(report):
    page = html_page(report, "en")
    figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    # leaderboard, two drift maps, dimensions, severity, pairs, calibration, rules and cost; latencies are all zero
    assert len(figures) >= 9
    for drawn in re.findall(r"<svg[^>]*>", page):
        assert 'aria-hidden="true"' in drawn or re.search(r'role="(img|group)" aria-label="[^"]', drawn), drawn
    tracks = re.findall(r'<a href="#cell[^>]*aria-label="([^"]+)"><svg class="track"', page)
    assert (
        "alder-1: " + ReportWords("en", report.names).with_interval(report.table("leaderboard").rows[0].cells[0])
        in tracks
    )


def test_a_file_that_is_no_report_is_refused_with_a_way_out():
    with pytest.raises(InputError, match="expected a report") as stop:
        decode_report(b'{"sections": 1}', "x.json")
    assert "--json" in stop.value.hint
