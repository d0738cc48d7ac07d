"""Logs that Inspect wrote: panels member by member, epochs, errors, conversations, unscored values."""

import json

from foreign_files import by_judge, changed, foreign, samples_of
from venire.domain.material import MaterialKind
from venire.inputs.foreign.recognise import read_foreign

PANEL, AGENT = foreign("inspect-panel.eval"), foreign("inspect-agent.json")


def test_a_log_names_the_version_that_wrote_it():
    read = read_foreign(PANEL)
    assert (read.tool, read.version) == ("inspect", "0.3.285")
    assert read.created.startswith("2026-11-16")


def test_every_member_of_a_panel_is_a_judge_with_its_own_words():
    members = by_judge(samples_of(PANEL)["closed 1"], "model_graded_qa")
    assert {name: each.verdict for name, each in members.items() if name} == {
        "mockllm/ash": "I",
        "mockllm/birch": "I",
        "mockllm/cedar": "C",
    }
    assert members["mockllm/birch"].reply == "Wrong day.\nGRADE: I"
    assert members["mockllm/cedar"].scores == {"model_graded_qa": 1.0}


def test_what_the_tool_combined_of_a_panel_is_no_further_judge_of_it():
    combined = [each for each in samples_of(PANEL)["closed 1"].judgements if each.by == "combined"]
    assert [(each.scorer, each.judge, each.verdict) for each in combined] == [("model_graded_qa", "", "I")]


def test_a_grade_that_cannot_be_read_is_not_a_zero():
    member = by_judge(samples_of(PANEL)["opening 2"], "model_graded_qa")["mockllm/birch"]
    assert (member.not_scored, member.scores) == ("unreadable", {})
    assert member.detail == "I would rather not grade this."


def test_a_scorer_that_asked_no_model_names_no_judge():
    (judgement,) = [each for each in samples_of(PANEL)["opening 1"].judgements if each.scorer == "includes"]
    assert (judgement.judge, judgement.by, judgement.verdict) == ("", "", "C")


def test_epochs_keep_their_number_and_their_own_output():
    samples = samples_of(PANEL)
    first, second = samples["opening 1"].sample, samples["opening 2"].sample
    assert first.question_id == second.question_id == "opening"
    assert first.output_id != second.output_id
    assert first.text == "It opens at nine."
    assert second.text.startswith("It opens at nine. Come early.")


def test_a_sample_that_ended_with_an_error_is_missing_for_every_scorer():
    failed = samples_of(PANEL)["price 1"]
    assert not failed.judgements
    assert set(failed.unjudged) == {"model_graded_qa", "includes"}
    assert "the search index is not reachable" in failed.unjudged["includes"]


def test_a_conversation_brings_references_turns_calls_and_results():
    sample = samples_of(AGENT)["hours"].sample
    kinds = [(each.kind, each.role) for each in sample.materials]
    assert [text.text for text in sample.materials if text.kind is MaterialKind.REFERENCE] == [
        "9:00 to 17:00",
        "from nine to five",
    ]
    assert (MaterialKind.TOOL_CALL, "opening_hours") in kinds
    assert (MaterialKind.TOOL_RESULT, "opening_hours") in kinds
    assert (MaterialKind.TURN, "system") in kinds
    assert sample.task == "When may I come on Tuesday?"
    assert sample.text not in [each.text for each in sample.materials]


def test_a_score_of_several_numbers_has_several_dimensions():
    (manners,) = [each for each in samples_of(AGENT)["hours"].judgements if each.scorer == "manners"]
    assert manners.scores == {"polite": 4.0, "short": 5.0}


def test_an_unscored_value_says_why():
    (late,) = [each for each in samples_of(AGENT)["hours"].judgements if each.scorer == "judged_later"]
    assert (late.not_scored, late.scores, late.verdict) == ("unscored", {}, "")
    assert late.detail == "grader_failed: the grader timed out"


def test_older_logs_that_count_an_unreadable_grade_as_incorrect_are_read_as_unreadable(tmp_path):
    def as_older_versions_wrote(log):
        score = log["samples"][0]["scores"]["judged_later"]
        score |= {"value": "I", "explanation": "Grade not found in model output: No."}

    log = changed("inspect-agent.json", tmp_path, as_older_versions_wrote)
    (judgement,) = [each for each in samples_of(log)["hours"].judgements if each.scorer == "judged_later"]
    assert (judgement.not_scored, judgement.scores, judgement.verdict) == ("unreadable", {}, "")


def test_members_of_a_panel_whose_votes_were_not_recorded_are_read_from_their_words(tmp_path):
    def add_graders(log):
        sample = log["samples"][0]
        span = next(each["id"] for each in sample["events"] if each.get("name") == "judged_later")
        for model, said in (
            ("ash", "First GRADE: I, but no: GRADE: C"),
            ("birch", "GRADE: partial"),
            ("cedar", "Fine."),
        ):
            output = {"model": model, "completion": said}
            sample["events"].append({"event": "model", "span_id": span, "model": model, "output": output})

    log = changed("inspect-agent.json", tmp_path, add_graders)
    members = by_judge(samples_of(log)["hours"], "judged_later")
    assert {name: each.verdict for name, each in members.items() if name} == {"ash": "C", "birch": "P", "cedar": ""}
    assert members["cedar"].not_scored == "unreadable"


def test_long_texts_that_stand_elsewhere_in_the_log_are_put_in_their_place(tmp_path):
    def attach(log):
        log["samples"][0]["output"]["completion"] = "attachment://0a1b"
        log["samples"][0]["attachments"]["0a1b"] = "A long answer."

    assert samples_of(changed("inspect-agent.json", tmp_path, attach))["hours"].sample.text == "A long answer."


def test_a_log_without_samples_gives_none(tmp_path):
    log = changed("inspect-agent.json", tmp_path, lambda log: log.pop("samples"))
    assert samples_of(log) == {}
    assert json.loads(log.read_text())["eval"]["model"] == "mockllm/guide"


def test_the_task_of_a_conversation_is_what_the_user_said_last(tmp_path):
    def go_on(log):
        log["samples"][0]["input"] += [
            {"role": "user", "content": "And on Sunday?"},
            {"role": "assistant", "content": "…"},
        ]

    assert samples_of(changed("inspect-agent.json", tmp_path, go_on))["hours"].sample.task == "And on Sunday?"
