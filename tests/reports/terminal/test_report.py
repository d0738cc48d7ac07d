"""The report in a terminal is short enough to be read, and says where the rest is."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from report_ledger import design, rating, ten_categories, write_ledger
from venire.reports.cells import number_cell
from venire.reports.report import Choices, Column, Origin, Report, ReportSection, Row, Rows, Table
from venire.reports.terminal.report import print_report
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse


def printed(report, language="en", width=100, **options):
    console = Console(file=io.StringIO(), width=width)
    print_report(console, report, language, **options)
    return console.file.getvalue()


def report_of(table):
    origin = Origin(kind="table", name="t.csv", digest="d")
    return Report(
        software="0", origin=origin, choices=Choices(), sections=(ReportSection("leaderboard", (), (table,)),)
    )


def table_of(rows, columns=("score", "mean")):
    made = [Row((f"m{place}",), tuple(number_cell(value, Rows()) for value in row)) for place, row in enumerate(rows)]
    return Table("leaderboard", ("target_model",), tuple(map(Column, columns)), tuple(made))


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    answers = {"oak": rating(), "elm": rating(lambda worth: worth - 0.5), "fir": rating(lambda worth: worth / 2 + 1)}
    samples = ten_categories(("alder-1", "birch-2", "cedar-mini"), per_category=3)
    file = tmp_path_factory.mktemp("terminal") / "l.sqlite"
    return analyse(write_ledger(file, samples, answers, protocol="quality"), Choices())


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_of_ninety_outputs_is_read_in_two_screens_and_no_line_is_too_long(judged, width, language):
    shown = printed(judged, language, width).splitlines()
    assert len(shown) < 110
    assert len(shown) < len(printed(judged, language, width, full=True).splitlines()) / 3
    assert "--html report.html" in "".join(shown[-3:])


def test_rows_and_columns_of_which_nothing_is_known_are_left_out_of_the_brief_form_alone():
    report = report_of(table_of([(1, None), (None, None), (3, None)]))
    brief, full = printed(report), printed(report, full=True)
    assert "m0" in brief
    assert "m1" not in brief
    assert "mean total" not in brief
    assert ReportWords("en")("unknown") not in brief
    assert "m1" in full
    assert "mean total" in full


def test_a_table_without_anything_known_is_left_out_and_counted():
    shown = printed(report_of(table_of([(None, None)])))
    assert "m0" not in shown
    assert "1 more table" in shown


def test_long_tables_end_with_how_many_rows_there_are_still():
    report = report_of(table_of([(place, place) for place in range(40)]))
    assert "… and 28 more rows" in printed(report)
    assert "m39" in printed(report, full=True)


def test_a_row_is_one_line_and_the_last_columns_give_way_in_a_narrow_terminal():
    names = [f"criterion {letter}" for letter in "abcdefgh"]
    table = table_of([range(1, 9), range(1, 9)])
    table = Table(table.id, table.heads, tuple(Column(name, name) for name in names), table.rows)
    shown = printed(report_of(table), width=60).splitlines()
    assert sum(line.startswith(("m0", "m1")) for line in shown) == 2
    assert any(line.startswith("m0") and line.split()[1] == "1" for line in shown)


def test_drift_is_seen_at_a_glance_and_numbers_stand_below_one_another(tmp_path):
    report = analyse(write_ledger(tmp_path / "ledger.sqlite", design(questions=2)), Choices())
    shown = printed(report, width=80)
    title = ReportWords("en").table("drift_models")[:40]
    grid = shown[shown.index(title) :].splitlines()
    begin = next(place for place, line in enumerate(grid) if line.startswith("prompt variant"))
    rows = grid[begin + 1 : begin + 5]
    table = report.table("drift_models")
    assert [tuple(line.split()[:2]) for line in rows] == [row.names for row in table.rows]
    triggers = [row.names[1] for row in table.rows]
    assert triggers[:2] == triggers[2:]  # the same order below each variant
    for line, row in zip(rows, table.rows, strict=True):
        assert [word for word in line.split()[2:] if word[0].isdigit()] == [f"{cell.value:.2f}" for cell in row.cells]
    assert len({len(line.rstrip()) for line in rows}) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_bars_and_numbers_stand_below_one_another_whatever_models_are_called(tmp_path, language):
    rows = ["output_id,judge,model,question,score"]
    for question in range(6):
        for model, score in (("通义千问", 10), ("glm-4-长上下文", 6 + question % 3), ("a", 2 + question % 2)):
            rows.append(f"{model}{question},oak,{model},q{question},{score}")
    path = tmp_path / "s.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    shown = printed(analyse(path, Choices(scale=(0, 10))), language).splitlines()
    bars = [line for line in shown if "█" in line]
    assert len(bars) == 6
    for three in (bars[:3], bars[3:]):
        assert len({cell_len(line.partition("█")[0]) for line in three}) == 1
    assert len({cell_len(line.partition(".")[0]) for line in bars[:3]}) == 1


def test_what_is_said_of_a_column_that_gave_way_is_left_out_too():
    cells = [number_cell(1.0, Rows(), "score"), replace(number_cell(2.0, Rows(), "score"), note="note.of.the.last")]
    table = Table("severity", ("rater",), (Column("score"), Column("mean")), (Row(("oak",), tuple(cells)),))
    assert "note.of.the.last" in printed(report_of(table), width=100)
    assert "note.of.the.last" not in printed(report_of(table), width=16)


def test_a_narrow_terminal_says_how_many_columns_it_has_no_room_for():
    table = table_of([(1.0, 2.0, 3.0)], columns=("score", "mean", "samples"))
    wide, narrow = (printed(report_of(table), width=width) for width in (100, 24))
    assert "did not fit" not in wide
    assert "samples" in wide
    assert "samples" not in narrow
    assert "did not fit into this width" in " ".join(narrow.split())
