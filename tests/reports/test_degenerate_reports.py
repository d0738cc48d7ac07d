"""Data that hardly is any: the report says what is not known, in both languages, and why."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kept_reports import keep
from report_ledger import design, scoring, write_ledger
from venire.domain.sample import Sample
from venire.errors import InputError, LedgerError, PoolingError, UsageError
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.terminal.report import print_report
from venire.reports.words import ReportWords
from venire.workflows.analyse import analyse


def empty(path):
    open_ledger(str(path)).close()
    return path


def same_text(count):
    return [Sample(f"s{number}", "An answer of worth 5.", question_id="q", target_model="m") for number in range(count)]


CASES = {
    "empty ledger": empty,
    "no samples": lambda path: write_ledger(path, []),
    "one sample": lambda path: write_ledger(path, design()[:1]),
    "one judge": lambda path: write_ledger(path, design(), {"oak": scoring()}),
    "one sample, one judge": lambda path: write_ledger(path, design()[:1], {"oak": scoring()}),
    "all invalid": lambda path: write_ledger(
        path, design(), {"oak": scoring(broken_at="An"), "elm": scoring(broken_at="An")}, pause_invalid=False
    ),
    "one judge all invalid": lambda path: write_ledger(
        path, design(), {"oak": scoring(), "elm": scoring(broken_at="An")}, pause_invalid=False
    ),
    "all scores equal": lambda path: write_ledger(path, same_text(5)),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("degenerate")
    return {
        name: analyse(write(folder / f"{number}.sqlite"), Choices())
        for number, (name, write) in enumerate(CASES.items())
    }


def said(report, section_id):
    return [note.key for note in report.section(section_id).notes]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", CASES)
def test_a_page_and_a_terminal_show_it(made, case, language):
    report = made[case]
    page = html_page(report, language)
    console = Console(file=io.StringIO(), width=100)
    print_report(console, report, language, full=True)
    words = ReportWords(language, report.names)
    for section in report.sections:
        assert section.notes or section.tables
        assert words(f"section.{section.id}") in page
        assert words(f"section.{section.id}") in console.file.getvalue()


@pytest.mark.parametrize("case", CASES)
def test_what_it_says_stays(made, case):
    keep(case.replace(",", "").replace(" ", "_"), made[case])


@pytest.mark.parametrize("case", CASES)
def test_whatever_is_not_known_has_a_reason_in_both_languages(made, case):
    words = ReportWords("zh", {})
    for cell in made[case].cells():
        if cell.unit != "word" and cell.value is None:
            assert cell.reason, cell.id
        if cell.reason:
            assert words.of(cell.reason) != cell.reason, cell.reason


def test_an_empty_ledger_says_that_nothing_can_be_concluded(made):
    assert said(made["empty ledger"], "summary") == ["summary.empty"]
    assert said(made["no samples"], "summary") == ["summary.empty"]
    assert "nothing.counts" in said(made["empty ledger"], "leaderboard")


def test_invalid_replies_alone_give_no_score_but_are_counted(made):
    report = made["all invalid"]
    assert report.section("leaderboard").tables == ()
    assert "summary.excluded.invalid" in said(report, "summary")
    counts = {row.names[0]: row.cells[0].value for row in report.section("invalid").tables[0].rows}
    assert counts == {"counted": 0, "invalid": 64}


def test_a_judge_without_a_valid_reply_is_missing_and_not_zero(made):
    report = made["one judge all invalid"]
    alone = made["one judge"]
    score = {cell.id: cell.value for cell in report.cells()}
    assert score["leaderboard.alder-1.score"] == pytest.approx(
        {cell.id: cell.value for cell in alone.cells()}["leaderboard.alder-1.score"]
    )
    assert score["leaderboard.alder-1.coverage"] == pytest.approx(0.5)
    assert "panel.incomplete" in said(report, "leaderboard")


def test_one_judge_agrees_with_nobody_and_the_summary_says_so(made):
    assert said(made["one judge"], "agreement") == ["agreement.one_judge"]
    assert "limits.one_judge" in said(made["one judge"], "summary")


def test_data_without_variants_has_no_drift_and_says_why(made):
    assert made["all scores equal"].section("drift").tables == ()
    assert said(made["all scores equal"], "drift") == ["drift.none"]


def test_nothing_is_said_about_agreement_on_one_output(made):
    assert "summary.alpha_unknown" in said(made["one sample"], "summary")


def test_a_table_of_bare_scores_has_means_and_no_panel_score(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("output_id,judge,score\na,x,1\na,y,3\nb,x,2\nb,y,2\n")
    report = analyse(table, Choices())
    cells = {cell.id: cell for cell in report.cells()}
    assert cells["leaderboard.none.mean"].value == 2
    assert cells["leaderboard.none.score"].reason == "the scale is not known"
    assert cells["leaderboard.none.judgements"].value == 4
    with_scale = {cell.id: cell for cell in analyse(table, Choices(scale=(0, 4))).cells()}
    assert with_scale["leaderboard.none.score"].value == pytest.approx(5)


@pytest.fixture
def styled(tmp_path):
    """A table of scores with a style of two levels, a latency and a remark."""
    table = tmp_path / "scores.csv"
    rows = [
        f"u{n},{judge},{n % 3},{'short' if n % 2 else 'long'},{300 + n % 4},remark {n}"
        for n in range(12)
        for judge in "xy"
    ]
    table.write_text("unit,rater,score,style,latency_ms,remark\n" + "\n".join(rows))
    return table


def test_columns_with_few_levels_are_offered_as_factors_and_others_are_not(styled):
    drift = analyse(styled, Choices()).section("drift")
    slices = next(table for table in drift.tables if table.id == "slices")
    assert {row.names for row in slices.rows} == {("style", "long"), ("style", "short")}


def test_a_column_that_is_named_becomes_a_factor_whatever_it_holds(styled):
    drift = analyse(styled, Choices(factors=("latency_ms",))).section("drift")
    slices = next(table for table in drift.tables if table.id == "slices")
    assert ("latency_ms", "301") in {row.names for row in slices.rows}


def test_a_table_without_outputs_is_refused_with_what_it_has(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("judge,score\noak,1\n")
    with pytest.raises(InputError, match="no column holds the output_id") as stop:
        analyse(table, Choices())
    assert "'judge', 'score'" in stop.value.hint


def test_two_versions_of_a_judge_are_not_pooled(tmp_path):
    from experiment import make_judge

    path = tmp_path / "l.sqlite"
    write_ledger(path, design(), judges=[make_judge("oak")])
    write_ledger(path, design(), judges=[make_judge("oak", prompt_version="2")])
    with pytest.raises(PoolingError) as stop:
        analyse(path, Choices())
    assert "--judge-version" in stop.value.hint
    chosen = analyse(path, Choices(judge_versions={"oak": make_judge("oak").digest}))
    assert {line.rater for line in chosen.lines} == {"oak"}
    assert len(chosen.lines) == len(design())


def test_two_protocols_in_one_ledger_need_a_choice(tmp_path):
    from venire.ledger.entry import Draft, Kind
    from venire.protocols.catalogue import find_protocol

    path = write_ledger(tmp_path / "l.sqlite", design())
    ledger = open_ledger(str(path))
    other = find_protocol("quality")
    ledger.append([Draft(Kind.PROTOCOL, other, other.digest)])
    ledger.close()
    with pytest.raises(UsageError, match="never pooled") as stop:
        analyse(path, Choices())
    assert "drift-sample" in stop.value.hint
    assert analyse(path, Choices(protocol="drift-sample")).section("leaderboard").tables


def test_an_entry_of_another_version_is_named_instead_of_a_traceback(tmp_path):
    path = write_ledger(tmp_path / "ledger.sqlite", design()[:1], {"oak": scoring()})
    ledger = open_ledger(str(path))
    last = ledger.append([Draft(Kind.REPLY, {"task": {"judge": "oak"}}, key="other")])
    ledger.close()
    with pytest.raises(LedgerError, match=rf"entry {last.sequence}: expected an entry of kind reply"):
        analyse(path, Choices())
