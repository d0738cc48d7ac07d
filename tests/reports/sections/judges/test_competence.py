"""Models of the hidden verdict in a report: tables where there are verdicts enough, and a reason where not."""

from __future__ import annotations

import pytest

from report_ledger import design, scoring, write_ledger
from venire.reports.report import Choices
from venire.stats.latent.judge_competence import judge_competence
from venire.workflows.analyse import analyse


def tables(report):
    return {table.id: table for table in report.section("judges").tables}


def notes(report):
    return {note.key: note.arguments for note in report.section("judges").notes}


def test_competences_follow_from_the_traced_verdicts(report):
    for row in tables(report)["competence"].rows:
        *cells, count = row.cells
        held = [line for line in report.lines if cells[0].rows.holds(line)]
        found = judge_competence(
            [line.unit for line in held], [line.rater for line in held], [line.verdict for line in held]
        )
        values = [model.competence[row.names[0]].value for model in found.models.values()]
        assert [cell.value for cell in cells] == pytest.approx(values)
        assert count.value == sum(count.rows.holds(line) for line in report.lines)


def test_each_model_says_whether_it_converged_and_what_it_rests_on(report):
    table = tables(report)["competence_models"]
    assert [row.names[0] for row in table.rows] == ["dawid_skene", "one_coin", "mace"]
    assert {cell.word for cell in table.column("converged")} == {"yes"}
    assert {cell.value for cell in table.column("outputs")} == {32}


def test_two_judges_give_a_reason_and_no_table(tmp_path):
    made = analyse(write_ledger(tmp_path / "l.sqlite", design()), Choices())
    assert "competence" not in tables(made)
    assert "2 judges" in notes(made)["competence.none"]["reason"]


def test_scores_without_verdicts_give_a_reason_and_no_table(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [f"u{unit},{judge},{unit % 5}" for unit in range(30) for judge in "abc"]
    path.write_text("unit,rater,score\n" + "\n".join(rows))
    made = analyse(path, Choices(scale=(0, 4)))
    assert "no verdicts" in notes(made)["competence.none"]["reason"]


def test_a_table_with_verdicts_is_modelled(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [
        f"u{unit},{judge},{unit % 5},{'PASS' if (unit + (judge == 'c') * (unit % 2)) % 3 else 'FAIL'}"
        for unit in range(40)
        for judge in "abc"
    ]
    path.write_text("unit,rater,score,verdict\n" + "\n".join(rows))
    made = analyse(path, Choices(scale=(0, 4)))
    assert {cell.text for cell in tables(made)["competence_models"].column("lowest_judge")} == {"c"}


def test_nobody_is_exposed_among_equal_judges(tmp_path):
    answers = {name: scoring() for name in ("oak", "elm", "fir")}
    made = analyse(write_ledger(tmp_path / "l.sqlite", design(), answers), Choices())
    assert "competence.nobody" in notes(made)
    lowest = tables(made)["competence_models"].column("lowest_judge")
    assert {(cell.text, cell.reason) for cell in lowest} == {("", "several judges are alike")}
