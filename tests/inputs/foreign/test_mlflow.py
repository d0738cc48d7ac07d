"""Traces that MLflow wrote: people, judges and code apart, repeats, replaced and failed assessments."""

import json

from foreign_files import by_judge, foreign, samples_of
from venire.domain.material import MaterialKind

TRACES = foreign("mlflow-traces.json")
OPENING, CLOSED = "When does the museum open?", "On which day is it closed?"


def test_people_judges_and_code_are_kept_apart_with_time_and_digest():
    found = {each.scorer: each for each in samples_of(TRACES)[OPENING].judgements}
    assert {name: each.by for name, each in found.items()} == {
        "short": "code",
        "correctness": "judge",
        "helpful": "human",
    }
    assert found["helpful"].time.startswith("2026-11-16T")
    assert found["short"].settings["mlflow.assessment.scorerDigest"].startswith("sha256:")


def test_assessments_of_one_judge_keep_their_number():
    judged = [each for each in samples_of(TRACES)[OPENING].judgements if each.judge == "openai:/made-up-judge"]
    assert [(each.repeat, each.explanation) for each in judged] == [(0, "It names the hour."), (1, "Asked again.")]


def test_a_failed_judge_and_a_replaced_assessment_say_why():
    closed = samples_of(TRACES)[CLOSED]
    failed = by_judge(closed, "correctness")["openai:/second-judge"]
    assert (failed.not_scored, failed.detail, failed.scores) == ("failed", "RATE_LIMIT: the judge was overloaded", {})
    first, second = [each for each in closed.judgements if each.by == "human"]
    assert (first.not_scored, second.not_scored, second.scores) == ("replaced", "", {"helpful": 1.0})


def test_words_for_yes_and_no_are_scores_as_the_tool_counts_them():
    assert by_judge(samples_of(TRACES)[CLOSED], "correctness")["openai:/made-up-judge"].scores == {"correctness": 0.0}


def test_retrieved_documents_and_expectations_are_materials_and_no_judgements():
    traced = samples_of(TRACES)[OPENING]
    assert [(each.kind, each.text) for each in traced.sample.materials] == [
        (MaterialKind.DOCUMENT, "The museum opens at nine."),
        (MaterialKind.DOCUMENT, "The museum is closed on Mondays."),
        (MaterialKind.REFERENCE, "At nine."),
    ]
    assert "expected_response" not in {each.scorer for each in traced.judgements}
    assert (traced.sample.target_model, traced.sample.text) == ("museum-bot-2", "It opens at nine.")


def test_traces_one_a_line_and_in_an_object_are_the_same(tmp_path):
    traces = json.loads(TRACES.read_text())
    lines, held = tmp_path / "traces.jsonl", tmp_path / "traces.json"
    lines.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    held.write_text(json.dumps({"traces": traces}))
    assert samples_of(lines) == samples_of(held) == samples_of(TRACES)
