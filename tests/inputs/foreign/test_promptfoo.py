"""Exports that promptfoo wrote: grader errors, repeats, providers that fail, and who graded."""

import pytest

from foreign_files import by_judge, changed, foreign, samples_of
from venire.domain.material import MaterialKind
from venire.errors import InputError
from venire.inputs.foreign.recognise import read_foreign

MUSEUM = foreign("promptfoo-museum.json")


def test_the_version_is_that_of_the_tool():
    read = read_foreign(MUSEUM)
    assert (read.tool, read.version) == ("promptfoo", "0.121.20")


def test_each_assertion_is_a_scorer_and_each_provider_a_target_model():
    samples = samples_of(MUSEUM)
    good, late = samples["opening bot-1 1"], samples["opening bot-2 1"]
    assert by_judge(good, "answers")["file://grader.js"].scores == {"answers": 0.9}
    assert by_judge(late, "answers")["file://grader.js"].verdict == "fail"
    assert by_judge(late, "icontains")[""].scores == {"icontains": 0.0}


def test_a_grader_error_is_not_a_zero():
    judgement = by_judge(samples_of(MUSEUM)["closed bot-1 1"], "answers")["file://grader.js"]
    assert (judgement.not_scored, judgement.scores, judgement.verdict) == ("failed", {}, "")
    assert judgement.detail == "Could not extract JSON from llm-rubric response"


def test_repeats_keep_their_number_and_their_question():
    samples = samples_of(MUSEUM)
    first, second = samples["opening bot-1 1"].sample, samples["opening bot-1 2"].sample
    assert (first.factors, second.factors) == ({"repeat": "1"}, {"repeat": "2"})
    assert first.question_id == second.question_id == "opening"
    assert first.output_id != second.output_id


def test_answers_that_were_asked_for_once_have_no_number(tmp_path):
    def keep_one_answer_to_each_test(export):
        results = export["results"]
        results["results"] = list({row["testCase"]["description"]: row for row in results["results"]}.values())
        export["runtimeOptions"]["repeat"] = 1

    samples = samples_of(changed("promptfoo-museum.json", tmp_path, keep_one_answer_to_each_test))
    assert [each.sample.factors for each in samples.values()] == [{}] * 3


def test_an_answer_that_failed_is_missing_for_the_assertions_of_its_own_test():
    failed = samples_of(MUSEUM)["price bot-1 1"]
    assert failed.unjudged == {"answers": "the search index is not reachable"}


def test_variables_with_well_known_names_are_materials():
    materials = samples_of(MUSEUM)["opening bot-1 1"].sample.materials
    assert [(each.kind, each.text) for each in materials] == [
        (MaterialKind.DOCUMENT, "The museum opens at nine."),
        (MaterialKind.REFERENCE, "At nine."),
    ]


def test_a_grader_that_nothing_names_is_not_guessed(tmp_path):
    def forget_the_grader(export):
        for row in export["results"]["results"]:
            row["testCase"]["options"] = {}

    judgements = samples_of(changed("promptfoo-museum.json", tmp_path, forget_the_grader))["opening bot-1 1"]
    assert list(by_judge(judgements, "answers")) == [""]


def test_two_assertions_of_one_name_are_two_scorers(tmp_path):
    def repeat_assertions(export):
        for row in export["results"]["results"]:
            if row["gradingResult"]:
                row["gradingResult"]["componentResults"] *= 2

    judged = samples_of(changed("promptfoo-museum.json", tmp_path, repeat_assertions))["opening bot-1 1"]
    assert [each.scorer for each in judged.judgements] == ["answers", "icontains", "answers 2", "icontains 2"]


def test_tests_that_share_a_description_are_told_apart_by_their_variables(tmp_path):
    def describe_alike(export):
        for row in export["results"]["results"]:
            row["testCase"]["description"] = "same"

    read = read_foreign(changed("promptfoo-museum.json", tmp_path, describe_alike))
    assert len({each.sample.question_id for each in read.samples()}) == 3


def test_an_export_of_one_row_a_line_holds_the_same_as_one_of_a_single_value():
    def told(name):
        return [
            (
                each.sample.question_id,
                each.sample.target_model,
                each.sample.text,
                each.sample.factors,
                [(material.kind, material.text) for material in each.sample.materials],
                [(j.scorer, j.by, j.judge, j.scores, j.verdict, j.not_scored, j.detail) for j in each.judgements],
                each.unjudged,
            )
            for each in read_foreign(foreign(name)).samples()
        ]

    assert told("promptfoo-museum.jsonl") == told("promptfoo-museum.json")
    read = read_foreign(foreign("promptfoo-museum.jsonl"))
    assert (read.tool, read.version) == ("promptfoo", "not stated")
    assert len({each.sample.output_id for each in read.samples()}) == 12


@pytest.mark.parametrize("tool", ["", "promptfoo"])
def test_an_export_that_shows_a_failed_grader_as_a_zero_is_refused_with_a_better_one(tmp_path, tool):
    with pytest.raises(InputError, match="CSV export, which shows a grader that failed as a grade of 0") as raised:
        read_foreign(foreign("promptfoo-museum.csv"), tool)
    assert "promptfoo export eval latest -o results.json" in raised.value.hint
    page = tmp_path / "results.html"
    page.write_text("<!DOCTYPE html>\n<html><head><title>Promptfoo report</title></head></html>")
    with pytest.raises(InputError, match="HTML export"):
        read_foreign(page, tool)
