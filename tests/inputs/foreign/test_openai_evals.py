"""Logs that OpenAI Evals wrote: matches, model-graded answers, grades that cannot be read, errors."""

import json

from foreign_files import by_judge, foreign, samples_of
from venire.domain.material import MaterialKind

FACT, MATCH = foreign("openai-evals-fact.jsonl"), foreign("openai-evals-match.jsonl")


def test_a_grade_that_the_tool_counts_as_the_lowest_is_unreadable():
    graded = by_judge(samples_of(FACT)["museum-fact.dev.1"], "museum-fact")["grader"]
    assert (graded.not_scored, graded.scores, graded.verdict) == ("unreadable", {}, "")
    assert graded.reply == graded.detail == "The day differs.\n\nI would rather not grade this."


def test_a_graded_answer_keeps_the_words_of_both_models():
    graded = samples_of(FACT)["museum-fact.dev.0"]
    assert (graded.sample.text, graded.sample.target_model) == ("It opens at nine.", "visitor")
    judgement = by_judge(graded, "museum-fact")["grader"]
    assert (judgement.scores, judgement.verdict, judgement.reply) == ({"museum-fact": 1.0}, "C", "They agree.\n\n(C)")


def test_a_match_is_held_against_its_reference_and_names_no_judge():
    matched = samples_of(MATCH)["museum-match.dev.1"]
    assert by_judge(matched, "museum-match")[""].verdict == "incorrect"
    assert [each.text for each in matched.sample.materials if each.kind is MaterialKind.REFERENCE] == [
        "It is closed on Mondays."
    ]


def test_a_sample_that_ended_with_an_error_is_missing(tmp_path):
    lines = [json.loads(line) for line in MATCH.read_text().splitlines()]
    for line in lines:
        if line.get("type") == "match":
            line |= {"type": "error", "data": {"type": "RuntimeError", "error": "no answer came"}}
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert samples_of(log)["museum-match.dev.0"].unjudged == {"museum-match": "no answer came"}
