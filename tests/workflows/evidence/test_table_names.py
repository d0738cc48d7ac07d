"""Tables of scores without ids of outputs, or without judges."""

from __future__ import annotations

import pytest

import odd_tables
from venire.cli.decide.compare import compare
from venire.errors import InputError
from venire.reports.report import Choices
from venire.workflows.analyse import analyse
from venire.workflows.evidence.from_table import read_table

SCORES = [("q1", "a", 4), ("q1", "b", 3), ("q2", "a", 5), ("q2", "b", 1)]


def write(tmp_path, columns, rows):
    return odd_tables.write(tmp_path / "scores.csv", columns, rows)


def test_outputs_without_ids_are_named_after_question_variant_and_model(tmp_path):
    rows = [(*row, judge, variant) for row in SCORES for judge in ("oak", "elm") for variant in ("long", "short")]
    path = write(tmp_path, ("question", "model", "score", "judge", "variant"), rows)
    evidence, _ = read_table(path, Choices())
    assert {*evidence.outputs} == {f"{q}/{v}/{m}" for q, m, _ in SCORES for v in ("long", "short")}
    assert evidence.table.judgement_count == 16
    assert evidence.assumed_judge == ""


def test_scores_without_a_judge_are_one_judges_and_the_report_says_so(tmp_path):
    path = write(tmp_path, ("question", "model", "points"), SCORES)
    report = analyse(path, Choices(columns={"score": "points"}, scale=(1, 5)))
    assert {line.rater for line in report.lines} == {"points"}
    notes = {note.key: note for note in report.section("summary").notes}
    assert notes["summary.assumed_judge"].warning
    assert notes["summary.assumed_judge"].arguments["judge"] == "points"


def test_a_report_on_named_judges_says_nothing_of_assumed_ones(tmp_path):
    path = write(tmp_path, ("question", "model", "score", "judge"), [(*row, "oak") for row in SCORES])
    notes = {note.key for note in analyse(path, Choices()).section("summary").notes}
    assert "summary.assumed_judge" not in notes


def test_a_comparison_says_that_all_scores_count_as_one_judges(tmp_path, capsys):
    path = write(tmp_path, ("question", "model", "score"), SCORES)
    compare.main([str(path), "--models", "a", "b", "--scale", "1", "5"], standalone_mode=False)
    assert "all scores count as those of one judge, called 'score'" in " ".join(capsys.readouterr().out.split())


def test_a_row_without_its_question_or_model_names_no_output(tmp_path):
    path = write(tmp_path, ("question", "model", "score", "judge"), [("q1", "b", 3, "oak"), ("q1", "", 3, "oak")])
    with pytest.raises(InputError, match="row 2 has no question or no model"):
        read_table(path, Choices())


def test_two_scores_of_one_output_by_one_judge_ask_for_ids_of_outputs(tmp_path):
    rows = [("q1", "a", 4, "oak"), ("q2", "a", 4, "oak"), ("q1", "a", 2, "oak")]
    path = write(tmp_path, ("question", "model", "score", "judge"), rows)
    with pytest.raises(InputError, match="rows 1 and 3 are both scores of 'q1/a' by the same judge") as stop:
        read_table(path, Choices())
    assert "--column output_id=COLUMN" in stop.value.hint


def test_two_scores_of_one_output_without_judges_ask_for_judges(tmp_path):
    path = write(tmp_path, ("id", "score"), [("u1", 4), ("u1", 2)])
    with pytest.raises(InputError, match="rows 1 and 2 are both scores of 'u1', and no column says which judge"):
        read_table(path, Choices())


@pytest.mark.parametrize("column", ["dimension", "repeat"])
def test_dimensions_and_repeats_keep_scores_of_one_output_apart(tmp_path, column):
    rows = [(*row, value) for row in SCORES for value in ("1", "2")]
    path = write(tmp_path, ("question", "model", "score", column), rows)
    assert read_table(path, Choices())[0].table.frame.height == 8
