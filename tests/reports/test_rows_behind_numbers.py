"""Every number knows its rows: what a trace leads to gives the number again."""

from __future__ import annotations

import shutil
from statistics import fmean

import apsw
import pytest

from report_ledger import DIMENSIONS, design, scoring, write_ledger
from venire.errors import InputError, LedgerError, TamperedError, UsageError
from venire.reports.report import Choices, ListedLines, Rows
from venire.workflows.analyse import analyse
from venire.workflows.trace import find_cell, trace


def cells_of(report, *columns):
    for table in report.tables():
        for column in table.columns:
            if (table.id, column.id) in columns or (table.id, "") in columns:
                yield from table.column(column.id)


def lines(report, cell, ledger_path):
    return [each.line for each in trace(report, cell.id, str(ledger_path)).judgements]


def held(report, cell):
    return [line for line in report.lines if cell.rows.holds(line)]


def test_all_cells_are_asked_at_once_which_lines_are_behind_them(report):
    listed, kinds = ListedLines(report.lines), set()
    counted = Rows(sequences=tuple(line.sequence for line in report.lines[:3]))
    for rows in [counted, *(cell.rows for cell in report.cells())]:
        found = listed.places_behind(rows)
        kinds.add((rows.among, rows.sequences is None, bool(found)))
        if rows.among in ("counted", "recorded"):
            assert found == [place for place, line in enumerate(report.lines) if rows.holds(line)]
        else:
            assert found is None
    assert {("counted", True, True), ("recorded", True, True), ("counted", False, True)} <= kinds
    assert ListedLines(()).places_behind(Rows()) is None


def test_mean_totals_are_the_means_of_the_traced_overall_scores(report):
    wanted = (
        ("leaderboard", "mean"),
        ("slices", "mean"),
        ("worst_slices", "mean"),
        ("drift_map", ""),
        ("drift_models", ""),
    )
    found = list(cells_of(report, *wanted))
    assert len(found) > 20
    for cell in found:
        assert cell.value == pytest.approx(fmean(line.overall for line in held(report, cell))), cell.id


def test_dimension_means_and_failures_come_from_the_traced_scores(report):
    for cell in cells_of(report, ("dimension_means", "")):
        assert cell.value == pytest.approx(fmean(line.scores[cell.rows.dimension] for line in held(report, cell)))
    for cell in cells_of(report, ("dimension_failures", "")):
        assert cell.value == pytest.approx(fmean(line.scores[cell.rows.dimension] < 2 for line in held(report, cell)))


def test_hard_break_rates_come_from_the_structure_of_the_traced_judgements(report):
    for cell in cells_of(report, ("leaderboard", "hard_break"), ("slices", "hard_break")):
        assert cell.value == pytest.approx(fmean(line.scores[DIMENSIONS[0]] == 0 for line in held(report, cell)))


def test_counts_are_the_numbers_of_traced_judgements(report):
    wanted = (
        ("leaderboard", "judgements"), ("slices", "judgements"), ("judges", "recorded"), ("judges", "counted"),
        ("broken_rules", "judgements"), ("people", "labelled"), ("people_slices", "labelled"), ("confusion", "PASS"),
        ("confusion", "PARTIAL"), ("confusion", "FAIL"), ("people_verdicts", "labelled"),
        ("people_verdict_slices", "labelled"),
    )  # fmt: skip
    for cell in cells_of(report, *wanted):
        assert cell.value == len(held(report, cell)), cell.id


def test_validity_is_the_share_of_valid_ones_among_all_recorded(report):
    for cell in cells_of(report, ("judges", "valid")):
        assert cell.value == pytest.approx(fmean(line.status == "valid" for line in held(report, cell)))


def test_panel_scores_follow_from_the_traced_judgements_by_weight(report):
    weights = dict.fromkeys(("oak", "elm", "fir"), 1 / 3)
    for cell in cells_of(report, ("leaderboard", "score")):
        units = {}
        for line in held(report, cell):
            units.setdefault(line.unit, {})[line.rater] = line.overall / 8 * 10
        scores = [
            sum(weights[judge] * score for judge, score in given.items()) / sum(weights[judge] for judge in given)
            for given in units.values()
        ]
        assert cell.value == pytest.approx(fmean(scores))


def test_differences_of_models_follow_from_the_traced_judgements(report):
    (cell,) = cells_of(report, ("comparisons", "difference"))
    cells = {}
    for line in held(report, cell):
        key = (line.rater, line.question_id, line.prompt_variant, line.factors["trigger"])
        cells.setdefault(key, {})[line.target_model] = line.overall
    assert cell.value == pytest.approx(fmean(pair["alder-1"] - pair["birch-2"] for pair in cells.values()))


def test_retests_lead_to_both_askings(report):
    for cell in cells_of(report, ("retests", "exact_match")):
        found = held(report, cell)
        assert {line.repeat for line in found} == {"0", "retest-1"}
        by_unit = {}
        for line in found:
            by_unit.setdefault(line.unit, {})[line.repeat] = (line.overall, line.status)
        pairs = [pair for pair in by_unit.values() if all(status == "valid" for _, status in pair.values())]
        assert cell.n["values"] == len(pairs)
        assert cell.value == pytest.approx(fmean(pair["0"] == pair["retest-1"] for pair in pairs))


def test_a_trace_walks_to_the_same_judgements_as_the_report_lists(report, ledger_path):
    for cell_id in ("leaderboard.alder-1.mean", "judges.fir.valid", "broken_rules.json_syntax.judgements"):
        cell = find_cell(report, cell_id)
        traced = lines(report, cell, ledger_path)
        assert [line.judgement for line in traced] == [line.judgement for line in held(report, cell)]


def test_a_trace_leads_to_reply_and_to_the_quoted_words_in_the_judged_text(report, ledger_path):
    found = trace(report, "dimension_means.alder-1.COMPLETENESS", str(ledger_path))
    assert found.total == len(found.judgements) > 0
    for each in found.judgements:
        assert '"overall_score"' in each.reply_text
        assert each.evidence
        assert all(each.text[quote.start : quote.end] == quote.quote for quote in each.evidence)
        assert each.sample.sequence < each.reply.sequence < each.judgement.sequence


def test_costs_lead_to_requests_and_replies(report, ledger_path):
    cell = find_cell(report, "cost.oak.requests")
    found = trace(report, cell.id, str(ledger_path), limit=2)
    assert (found.total, len(found.requests)) == (cell.value, 2)
    assert trace(report, "cost.oak.cost", str(ledger_path)).total == cell.value


def test_a_trace_of_masked_text_marks_what_the_judge_saw(tmp_path):
    from experiment import make_judge

    samples = [
        sample.__class__(sample.output_id, f"I am alder-1. {sample.text}", sample.question_id, "v", "alder-1")
        for sample in design(("alder-1",), 1)
    ]
    path = write_ledger(tmp_path / "l.sqlite", samples, judges=[make_judge("oak", mask_identity=True)])
    made = analyse(path, Choices())
    found = trace(made, "leaderboard.alder-1.mean", str(path))
    assert found.judgements
    for each in found.judgements:
        assert "alder-1" not in each.text
        assert all(each.text[quote.start : quote.end] == quote.quote for quote in each.evidence)


def test_entries_appended_after_the_report_do_not_change_its_trace(tmp_path):
    path = write_ledger(tmp_path / "l.sqlite", design(questions=2))
    made = analyse(path, Choices())
    before = trace(made, "leaderboard.alder-1.mean", str(path)).total
    write_ledger(path, design(questions=3))
    assert trace(made, "leaderboard.alder-1.mean", str(path)).total == before
    assert trace(analyse(path, Choices()), "leaderboard.alder-1.mean", str(path)).total > before


def test_another_ledger_is_refused(report, tmp_path):
    other = write_ledger(tmp_path / "other.sqlite", design(), {"oak": scoring()}, reask_share=1.0)
    with pytest.raises(LedgerError, match="expected entry"):
        trace(report, "leaderboard.alder-1.mean", str(other))


def test_a_changed_entry_is_refused(report, ledger_path, tmp_path):
    copy = tmp_path / "ledger.sqlite"
    shutil.copy(ledger_path, copy)
    connection = apsw.Connection(str(copy))
    names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'trigger'")]
    for name in names:
        connection.execute(f'drop trigger "{name}"')
    changed = "cast(replace(cast(payload as text), 'worth 8', 'worth 1') as blob)"
    connection.execute(f"update entry set payload = {changed} where kind = 'sample'")
    assert connection.total_changes() > 0
    connection.close()
    with pytest.raises(TamperedError, match="expected the hash"):
        trace(report, "leaderboard.alder-1.mean", str(copy))


def test_an_unknown_cell_is_refused_with_the_nearest(report, ledger_path):
    with pytest.raises(UsageError, match="no cell") as stop:
        trace(report, "leaderboard.alder.mean", str(ledger_path))
    assert "leaderboard.alder-1.mean" in stop.value.hint


def test_a_changed_table_is_refused(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("unit,rater,score\na,x,1\nb,x,2\n")
    made = analyse(table, Choices(scale=(0, 2)))
    assert trace(made, "leaderboard.none.mean", str(table)).total == 2
    table.write_text("unit,rater,score\na,x,1\nb,x,3\n")
    with pytest.raises(InputError, match="SHA-256"):
        trace(made, "leaderboard.none.mean", str(table))
