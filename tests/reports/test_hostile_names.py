"""Judged text, names and labels come from others: they stay data in the page, in tables and in file names."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from report_ledger import write_ledger
from venire.domain.sample import Sample
from venire.reports.cells import slug
from venire.reports.formats.table_files import guard, write_tables
from venire.reports.page.html_page import html_page
from venire.reports.page.markup import join, tag
from venire.reports.report import Choices
from venire.reports.terminal.report import print_report
from venire.workflows.analyse import analyse

SCRIPT = "<script>alert('x')</script>"
FORMULA = "=HYPERLINK(1)"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    samples = [
        Sample(
            f'{SCRIPT}"{number}',
            f"{SCRIPT} An answer of worth {number}. \u202ereversed",
            question_id=f'q{number % 3}\u202e" onload="x',
            prompt_variant=("base\x1b[2J", "</style><b>")[number % 2],
            target_model=(FORMULA, "../../etc/passwd", SCRIPT)[number % 3],
            factors={"../evil": ("@a", "&b")[number // 6]},
        )
        for number in range(12)
    ]
    path = write_ledger(tmp_path_factory.mktemp("hostile") / "ledger.sqlite", samples)
    return analyse(path, Choices())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_the_data_becomes_markup(hostile, language):
    page = html_page(hostile, language)
    assert "<script" not in page
    assert "</style><b>" not in page
    assert 'onload="' not in page
    assert "\u202e" not in page
    assert "⟨U+202E⟩&#34; onload=&#34;x" in page
    assert "&lt;script&gt;" in page


def test_names_give_no_orders_to_the_terminal(hostile):
    for width in (60, 100, 250):
        console = Console(file=io.StringIO(), width=width)
        print_report(console, hostile, "en")
        shown = console.file.getvalue()
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "⟨U+001B⟩" in shown


def test_no_text_of_a_csv_file_is_a_formula(hostile, tmp_path):
    import csv

    for path in write_tables(hostile, tmp_path, "csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                for name, text in row.items():
                    if name not in ("value", "low", "high", "level"):
                        assert not text.startswith(("=", "+", "-", "@")), (path.name, name, text)


def test_names_of_the_data_are_never_file_names(hostile, tmp_path):
    folder = tmp_path / "inside"
    written = write_tables(hostile, folder, "parquet")
    assert all(path.parent == folder for path in written)
    assert {path.name for path in tmp_path.iterdir()} == {"inside"}
    assert any("evil" in path.name for path in written)


def test_models_with_alike_names_keep_cells_of_their_own(tmp_path):
    samples = [
        Sample(f"s{n}", "An answer of worth 5.", question_id=f"q{n}", target_model=("a b", "a?b")[n % 2])
        for n in range(4)
    ]
    report = analyse(write_ledger(tmp_path / "l.sqlite", samples), Choices())
    ids = [cell.id for cell in report.cells()]
    assert len(ids) == len(set(ids))
    assert slug("a b") == slug("a?b")


def test_text_is_escaped_and_markup_is_not_escaped_twice():
    assert tag("p", tag("b", "<i>"), title='"x"') == '<p title="&#34;x&#34;"><b>&lt;i&gt;</b></p>'
    assert join("\x1b[31m") == "⟨U+001B⟩[31m"


@pytest.mark.parametrize(
    "text",
    [
        "=1",
        "+1",
        "-1",
        "@x",
        "\t=1",
        "\r=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "−1",
        " =1",
        "\u3000＝1",
        "\u200b=1",
        "\ufeff+1",
        "\n=1",
    ],
)
def test_a_text_that_a_spreadsheet_would_run_is_quoted(text):
    assert guard(text) == f"'{text}"
    assert guard("1=1") == "1=1"
    assert guard(" a=1") == " a=1"
