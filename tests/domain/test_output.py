"""Outputs that are collected: their state, their place, and the sample that judges see."""

import pytest

from venire.domain.material import Material, MaterialKind
from venire.domain.output import Case, OutputPlace, OutputState, PlannedOutput, PromptText, sample_of, state_of


@pytest.mark.parametrize(
    ("text", "reason", "state"),
    [
        ("Yes", "stop", OutputState.COMPLETE),
        ("Yes", None, OutputState.COMPLETE),
        ("Yes", "length", OutputState.CUT_OFF),
        ("Yes", "max_tokens", OutputState.CUT_OFF),
        ("Yes", "cut", OutputState.CUT_OFF),
        ("Yes", "content_filter", OutputState.REFUSED),
        ("Yes", "refusal", OutputState.REFUSED),
        ("", "length", OutputState.EMPTY),
        (" \n", "refusal", OutputState.EMPTY),
    ],
)
def test_a_text_and_the_servers_word_tell_the_state(text, reason, state):
    assert state_of(text, reason) is state


def test_the_digest_of_a_case_follows_all_of_it():
    one = Case("q1", {"a": "1"})
    assert one.digest == Case("q1", {"a": "1"}).digest
    assert len({one.digest, Case("q2", {"a": "1"}).digest, Case("q1", {"a": "2"}).digest,
                Case("q1", {"a": "1"}, turns=("x",)).digest}) == 4  # fmt: skip


def test_a_prompt_is_kept_as_its_messages():
    prompt = PromptText("Be kind.", ("One", "Two"))
    assert prompt.data == b'{"system":"Be kind.","turns":["One","Two"]}'
    assert prompt.digest != PromptText("", ("One", "Two")).digest
    assert len(prompt.digest) == 64


PLACE = OutputPlace("q1-a-bot", "q1", "a", "bot", {"language": "zh"}, {"temperature": 0}, 2)
CASE = Case("q1", {"topic": "water", "language": "zh", "empty": ""}, (Material("d1", MaterialKind.DOCUMENT, "Wet."),))


def test_a_sample_is_the_last_answer_with_its_prompt_and_what_else_is_known():
    sample = sample_of(PLACE, CASE, PromptText("Be kind.", ("What is it?",)), ("Wet.",), shows_turns=True)
    assert (sample.output_id, sample.text, sample.question_id) == ("q1-a-bot", "Wet.", "q1")
    assert (sample.prompt_variant, sample.target_model) == ("a", "bot")
    assert sample.task == "Be kind.\n\nWhat is it?"
    assert sample.factors == {"language": "zh"}
    assert sample.notes == {"topic": "water", "repeat": "2"}
    assert sample.materials == CASE.materials
    assert PlannedOutput(PLACE, CASE, PromptText("", ("x",))).name == "q1-a-bot"


def test_a_first_request_is_not_noted_as_a_repeat():
    place = OutputPlace("q1-a-bot", "q1", "a", "bot")
    assert "repeat" not in sample_of(place, CASE, PromptText("", ("x",)), ("y",), shows_turns=False).notes


def test_turns_before_the_last_answer_are_materials_where_such_are_shown():
    prompt = PromptText("Be kind.", ("One?", "Two?"))
    sample = sample_of(PLACE, CASE, prompt, ("Yes.", "No."), shows_turns=True)
    assert sample.text == "No."
    assert sample.task == "Be kind."
    assert [(each.id, each.kind, each.text, each.role) for each in sample.materials[1:]] == [
        ("turn-1", MaterialKind.TURN, "One?", "user"),
        ("turn-2", MaterialKind.TURN, "Yes.", "assistant"),
        ("turn-3", MaterialKind.TURN, "Two?", "user"),
    ]


def test_turns_stand_in_the_task_where_no_materials_are_shown():
    sample = sample_of(PLACE, CASE, PromptText("", ("One?", "Two?")), ("Yes.", "No."), shows_turns=False)
    assert sample.task == "user: One?\n\nassistant: Yes.\n\nTwo?"
    assert sample.materials == CASE.materials
