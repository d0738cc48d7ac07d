"""`venire report` and `venire compare` on tables of scores, with the same options and hints that can be typed."""

from __future__ import annotations

import json

import pytest

import odd_tables
from venire.cli.decide.compare import compare
from venire.cli.report import report
from venire.errors import InputError, PoolingError, UsageError
from venire.reports.report import Choices
from venire.workflows.evidence.from_table import read_table


@pytest.fixture
def renamed(tmp_path):
    """A table whose columns have names of their own."""
    head = ("key", "who", "system", "prompt_id", "points")
    return odd_tables.write(tmp_path / "scores.csv", head, odd_tables.rows(odd_tables.drawn()))


NAMED = ["--column", "output_id=key", "--column", "judge=who", "--column", "score=points"]


def run(command, *args):
    return command.main([str(arg) for arg in args], standalone_mode=False)


def test_compare_takes_the_scale_and_the_columns_of_a_table(renamed, tmp_path, capsys):
    written = tmp_path / "comparison.json"
    run(compare, renamed, "--models", "alder", "cedar", *NAMED, "--scale", 1, 5, "--json", written)
    overall = json.loads(written.read_text())["scores"][0]
    assert overall["difference"]["pairs"] == 12
    assert 0 < overall["second"]["value"] < overall["first"]["value"] < 10
    assert "12 pairs by question_id" in capsys.readouterr().out


@pytest.mark.parametrize("command", [report, compare])
def test_a_missing_column_is_named_with_options_that_the_file_can_fulfil(renamed, command):
    options = ["--pairwise"] if command is compare else []
    with pytest.raises(InputError, match="no column holds the output_id, the judge or the score") as stop:
        run(command, renamed, *options)
    assert "'key', 'who', 'system', 'prompt_id', 'points'." in stop.value.hint
    assert "--column output_id=key --column judge=who --column score=points" in stop.value.hint


def test_a_column_that_the_file_lacks_is_refused_with_those_that_it_has(renamed):
    with pytest.raises(InputError, match="no column is called 'grade'") as stop:
        run(report, renamed, "--column", "score=grade")
    assert "'points'" in stop.value.hint


def test_a_field_that_ratings_do_not_have_is_refused(renamed):
    with pytest.raises(UsageError, match="no field 'marks'") as stop:
        run(report, renamed, "--column", "marks=points")
    assert "output_id, judge, score, target_model" in stop.value.hint


@pytest.mark.parametrize("options", [["--models", "alder", "birch"], ["--pairwise"]])
def test_scores_without_a_scale_are_not_compared_and_the_hint_says_how(tmp_path, options):
    table = odd_tables.one_judge(tmp_path / "scores.csv")
    with pytest.raises(UsageError, match="the scale of the scores is not known") as stop:
        run(compare, table, *options)
    assert "--scale" in stop.value.hint


@pytest.mark.parametrize("options", [["--models", "alder", "birch"], ["--pairwise"]])
def test_nothing_is_compared_where_no_score_counts(tmp_path, options):
    with pytest.raises(UsageError, match="none that counts \\(72 without a score\\)"):
        run(compare, odd_tables.all_null(tmp_path / "scores.csv"), *options, "--scale", 1, 5)


def test_a_model_without_scores_is_not_said_to_be_unknown(tmp_path):
    table = odd_tables.model_without_scores(tmp_path / "scores.csv")
    with pytest.raises(UsageError, match="no score counts for target_model 'cedar'"):
        run(compare, table, "--models", "alder", "cedar", "--scale", 1, 5)


def test_names_give_no_orders_to_the_terminal(tmp_path, capsys):
    table = odd_tables.strange_names(tmp_path / "scores.csv")
    run(compare, table, "--pairwise", "--scale", 1, 5)
    run(compare, table, "--models", "a\x1b[31mred", "[red]rich[/red]", "--scale", 1, 5)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "⟨U+001B⟩" in shown
    assert "second [red]rich[/red]" in shown


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("rater_version", []),
        ("judge_version", []),
        ("Judge version", []),
        ("version of the judge", []),
        ("judge_prompt_version", []),
        ("build", ["--column", "judge_version=build"]),
        ("build", ["--column", "version of the judge=build"]),
    ],
)
def test_versions_of_a_judge_are_never_pooled_however_the_column_is_called(tmp_path, column, options):
    lines = [(f"u{n}", "oak", n % 3, version) for n in range(6) for version in ("v1", "v2")]
    table = odd_tables.write(tmp_path / "scores.csv", ("output_id", "judge", "score", column), lines)
    with pytest.raises(PoolingError, match="expected one version of judge 'oak', found 2"):
        run(report, table, *options)
    assert run(report, table, *options, "--judge-version", "oak=v2") == 0


def test_a_judge_that_scores_its_own_outputs_in_a_table_is_self_judging(tmp_path):
    lines = [
        (f"u{n}", judge, model, 1 + n % 3) for n in range(6) for judge in ("Oak 4.1", "elm") for model in ["oak-4.1"]
    ]
    table = odd_tables.write(tmp_path / "scores.csv", ("output_id", "judge", "model", "score"), lines)
    material, _ = read_table(table, Choices())
    assert material.primary.excluded == {"self-judged": 6}
    assert material.primary.raters == ("elm",)
    everything, _ = read_table(table, Choices(include_self=True))
    assert everything.primary.excluded == {}


def test_outputs_of_several_models_with_equal_names_do_not_collide(tmp_path):
    lines = [(f"q{n}.pdf", "oak", model, n % 3) for n in range(4) for model in ("alder", "birch")]
    table = odd_tables.write(tmp_path / "scores.csv", ("output_id", "judge", "model", "score"), lines)
    material, _ = read_table(table, Choices())
    assert sorted(material.outputs)[:2] == ["alder/q0.pdf", "alder/q1.pdf"]
    assert len(material.outputs) == 8


@pytest.mark.parametrize("column", ["overall", "Overall"])
def test_an_overall_score_is_the_score_of_a_table_without_dimensions(tmp_path, column):
    lines = [(f"a{number}", "oak", "alder", number, 9) for number in range(3)]
    table = odd_tables.write(tmp_path / "scores.csv", ("output_id", "judge", "model", column, "latency"), lines)
    frame = read_table(table, Choices(scale=(0.0, 5.0)))[0].table.frame
    assert frame["score"].to_list() == frame["overall"].to_list() == [0.0, 1.0, 2.0]
    assert set(frame["overall_maximum"]) == {5.0}
    assert set(frame["dimension"].cast(str)) == {""}


@pytest.fixture
def wide(tmp_path):
    """A table as engineers write it: the answer's text, a column for each dimension, and a measurement."""
    rows = [
        (f"{model}-{number}", f"q{number}", "some text", model, judge, 1 + number % 5, 5 - number % 3, 100 + number)
        for number in range(6)
        for model in ("v1", "v2")
        for judge in ("oak", "elm")
    ]
    head = ("id", "question", "answer", "model", "judge", "helpful", "correct", "latency_ms")
    return odd_tables.write(tmp_path / "wide.csv", head, rows)


def test_a_column_for_each_dimension_is_a_row_for_each(wide):
    material, _ = read_table(wide, Choices(columns={"dimensions": "helpful,correct"}, scale=(1.0, 5.0)))
    frame = material.table.frame
    scores = frame.filter((frame["unit"].cast(str) == "v1-4") & (frame["rater"].cast(str) == "oak"))
    assert dict(scores.select("dimension", "score").cast({"dimension": str}).rows())["helpful"] == 5.0
    assert dict(scores.select("dimension", "score").cast({"dimension": str}).rows())["correct"] == 4.0
    assert material.derived_overall == "mean"


def test_a_wide_table_gets_the_option_to_type_and_an_answer_is_no_verdict(wide):
    with pytest.raises(InputError, match="no column holds the score") as stop:
        run(report, wide)
    assert "--column dimensions=helpful,correct" in stop.value.hint
    with pytest.raises(InputError, match="no column is called 'polite'"):
        run(report, wide, "--column", "dimensions=helpful,polite")
