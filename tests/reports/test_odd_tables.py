"""Odd tables of scores: whatever the report says of them is so, and is said in words."""

from __future__ import annotations

import html
import io
import re

import pytest
from rich.console import Console

import odd_tables
from venire.reports import wording_en
from venire.reports.html_page import html_page
from venire.reports.report import Choices
from venire.reports.terminal import print_report
from venire.reports.wording import Words
from venire.workflows.analyse import analyse

KEYS = {key for key in wording_en.TEXTS if "." in key and " " not in key}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    named = {"factor_with_many_levels": ("retrieved_context",)}
    return {
        name: analyse(write(folder / f"{name}.csv"), Choices(scale=(1, 5), factors=named.get(name, ())))
        for name, write in odd_tables.ALL.items()
    }


def in_terminal(report, language):
    console = Console(file=io.StringIO(), width=200)
    print_report(console, report, language)
    return console.file.getvalue()


def on_page(report, language):
    """Return what a reader of the page sees, without the ids of cells."""
    page = re.sub(r"<style>.*?</style>|<code>.*?</code>", "", html_page(report, language), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", odd_tables.ALL)
def test_no_key_of_the_wording_reaches_a_reader(made, name, language):
    given = {word for row in made[name].lines for word in (row.target_model, row.rater)}
    shown = in_terminal(made[name], language) + on_page(made[name], language)
    ours = re.sub("|".join(map(re.escape, given)), "", shown)
    assert not set(re.findall(r"[\w-]+(?:\.[\w-]+)+", ours)) & KEYS
    assert not re.search(r"[@#{]\w", ours)


@pytest.mark.parametrize("name", odd_tables.ALL)
def test_whatever_is_not_known_has_a_reason_in_both_languages(made, name):
    words = Words("zh", {})
    for cell in made[name].cells():
        if cell.unit != "word" and cell.value is None:
            assert cell.reason, cell.id
        if cell.reason:
            assert words.reason(cell.reason) != cell.reason, cell.reason


@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_that_look_like_keys_are_shown_as_they_are(made, language):
    shown = in_terminal(made["strange_names"], language)
    for name in ("@head.rater", "#A_structure", "[red]rich[/red]", "xoverall", "{first}", "<b>bold</b>"):
        assert name in shown
    assert "\x1b" not in shown


def test_a_factor_called_like_one_of_our_heads_keeps_its_levels(made):
    assert "won" in in_terminal(made["factors_called_like_ours"], "zh")


def test_a_factor_that_has_no_name_of_ours_is_called_as_in_the_data(made):
    shown = in_terminal(made["factor_with_many_levels"], "en")
    assert "There are 50 levels of retrieved_context" in shown


def cells_of(report):
    return {cell.id: cell for cell in report.cells()}


def said(report, section_id):
    return {note.key: note.arguments for note in report.section(section_id).notes}


def test_overall_scores_that_the_table_lacks_are_derived_and_the_report_says_so(made):
    report = made["dimensions_only"]
    assert said(report, "summary")["derived.mean"]["dimensions"] == ("A_structure", "clarity", "depth")
    assert all(cell.value is not None for cell in next(report.tables()).column("score"))
    assert cells_of(report)["alpha.overall.alpha"].value is not None
    assert not {"summary.untested", "summary.alpha_unknown"} & {*said(report, "summary")}


def test_scores_off_the_scale_are_invalid_listed_and_kept_out(made):
    report, cells = made["off_the_scale"], cells_of(made["off_the_scale"])
    assert said(report, "summary")["summary.off_scale"] == {"count": 8}
    assert cells["excluded.invalid.judgements"].value == 8
    [listed] = [table for table in report.tables() if table.id == "off_scale"]
    assert {cell.value for cell in listed.column("given")} == {9}
    assert listed.rows[0].names == ("alder-q1", "oak", "overall")
    assert cells["judges.oak.valid"].value == pytest.approx(32 / 36)
    assert max(line.overall for line in report.lines if line.counted) <= 5


def test_a_table_without_scores_has_no_valid_ones(made):
    assert cells_of(made["all_null"])["judges.oak.valid"].value == 0
    assert cells_of(made["judge_without_scores"])["judges.elm.valid"].value == 0
    assert cells_of(made["judge_without_scores"])["judges.oak.valid"].value == 1
