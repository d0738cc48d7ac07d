"""`venire trace` at a terminal: the number first, then the judgements behind it with their quotes marked."""

import pytest

from report_ledger import design, scoring, write_ledger
from venire.cli.trace import trace
from venire.errors import UsageError
from venire.reports.formats.table_files import encode_report
from venire.reports.report import Choices
from venire.workflows.analyse import analyse

CELL = "leaderboard.alder-1.mean"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    ledger = write_ledger(folder / "ledger.sqlite", design(questions=2), {"oak": scoring(), "elm": scoring(severity=1)})
    made = analyse(ledger, Choices())
    assert CELL in {cell.id for cell in made.cells()}
    (folder / "report.json").write_bytes(encode_report(made, "en"))
    return folder / "report.json"


def run(capsys, *words):
    code = trace.main([str(word) for word in words], standalone_mode=False)
    assert code == 0
    return capsys.readouterr().out


def test_without_a_cell_all_cells_are_listed_with_their_values(report, capsys):
    lines = run(capsys, report).splitlines()
    values = dict(line.split("\t", 1) for line in lines)
    assert values[CELL]
    assert len(values) == len(lines) > 50


def test_a_number_is_told_with_what_it_rests_on(report, capsys):
    text = run(capsys, report, CELL)
    for name in ("Cell: ", "value: ", "interval: ", "method: "):
        assert any(line.startswith(name) for line in text.splitlines()), name
    assert text.startswith(f"Cell: {CELL}\n")
    assert text.count(" · oak · ") + text.count(" · elm · ") == 3


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_so_many_judgements_are_shown_as_are_asked_for(report, capsys, limit):
    text = run(capsys, report, CELL, "--limit", limit)
    assert text.count(" · oak · ") + text.count(" · elm · ") == limit


def test_a_judgement_shows_scores_links_reply_and_text(report, capsys):
    text = run(capsys, report, CELL, "--limit", 1, "--whole")
    assert "quote Completeness (0–38) · An answer of worth 7. It names line 0. · It says so." in text
    assert "⟦" in text
    assert '"overall_score"' in text
    assert "An answer of worth" in text


def test_a_long_reply_is_cut_unless_it_is_asked_for_whole(report, capsys):
    short, whole = (run(capsys, report, CELL, "--limit", 1, *more) for more in ((), ("--whole",)))
    assert " …" in short.partition("reply:")[2].partition("\ntext:")[0]
    assert len(short) < len(whole)


def test_a_ledger_that_is_not_beside_the_report_must_be_named(report, tmp_path, capsys, monkeypatch):
    moved = tmp_path / "report.json"
    moved.write_bytes(report.read_bytes())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        run(capsys, moved, CELL)
    assert caught.value.values == {"name": "ledger.sqlite"}
    assert " · " in run(capsys, moved, CELL, "--ledger", report.parent / "ledger.sqlite")
    monkeypatch.chdir(report.parent)
    assert " · " in run(capsys, moved, CELL)


@pytest.mark.parametrize("cell", [CELL, "cost.oak.requests"])
def test_it_is_told_how_many_of_those_behind_a_number_are_shown(report, capsys, cell):
    assert "; shown: 2." in run(capsys, report, cell, "--limit", 2)
