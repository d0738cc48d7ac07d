"""What reports say in one language: names, numbers, counts, rows and paragraphs."""

from __future__ import annotations

import pytest

from venire.errors import UsageError
from venire.reports.page.html_page import html_page
from venire.reports.report import Rows
from venire.reports.words import ReportWords, number_text
from venire.words.said import say


def test_every_method_and_count_of_a_report_is_said_in_chinese(report):
    words = ReportWords("zh", report.names)
    assert {cell.method for cell in report.cells() if cell.method and words.of(cell.method) == cell.method} == set()
    names = {name for cell in report.cells() for name in cell.n}
    assert {name for name in names if words.counts({name: 1}) == f"{name} 1"} == set()


def test_parts_of_a_chinese_line_have_chinese_punctuation_between_them():
    words = ReportWords("zh")
    assert words.of(say("method.with_holm", method=say("method.mean"))) == "均值；Holm 校正"
    assert words.counts({"units": 40, "raters": 3}).count("，") == 1
    assert words.rows(Rows(where={"target_model": ("a",)})) == "计入的评判；被评模型 = a"


def test_pages_say_which_language_they_are_in(report):
    assert '<html lang="zh-Hans">' in html_page(report, "zh")
    assert '<html lang="en">' in html_page(report, "en")


def test_dimensions_are_named_in_the_language_of_the_page(report):
    assert "完整性" in html_page(report, "zh")
    assert "Completeness" in html_page(report, "en")


def test_a_language_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="'fr'"):
        ReportWords("fr", {})


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234567, "count", "1\u202f234\u202f567"), (0.005, "p", "0.005"), (0.0, "difference", "0.00"),
        (0.5, "difference", "+0.50"), (-0.001, "difference", "0.00"), (0.0001, "share_difference", "0.0 %"),
        (-0.25, "share_difference", "−25.0 %"),
    ],
)  # fmt: skip
def test_numbers_are_written_for_readers(value, unit, text):
    assert number_text(value, unit) == text


@pytest.mark.parametrize(("count", "ending"), [(6, "n5"), (7, "n5 … (7)")])
def test_six_names_of_rows_are_listed_and_more_are_counted(count, ending):
    said = ReportWords("en").rows(Rows(where={"rater": tuple(f"n{number}" for number in range(count))}))
    assert ending in said
    assert ("…" in said) is (count > 6)


def test_a_digest_is_shortened_and_a_name_is_not():
    words = ReportWords("en")
    assert "a" * 63 in words.rows(Rows(where={"rater": ("a" * 63,)}))
    assert "a" * 12 + "…" in words.rows(Rows(where={"rater": ("a" * 64,)}))


def test_differences_of_shares_are_percentage_points():
    assert ReportWords("en", {}).number(0.483, "share_difference") == "+48.3 pp"
    assert ReportWords("zh", {}).number(0.483, "share_difference") == "+48.3 个百分点"
    assert ReportWords("en", {}).number(0.483, "share") == "48.3 %"
