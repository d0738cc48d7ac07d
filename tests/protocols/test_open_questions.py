"""What a rubric leaves open is told, and nothing that it says."""

from __future__ import annotations

import pytest

from venire.protocols.catalogue import bundled_ids, bundled_text, find_protocol
from venire.protocols.load import parse_with_lines
from venire.protocols.open_questions import find_open_questions


def left_open(text: str) -> list[tuple[str, str]]:
    protocol, source = parse_with_lines(text.encode(), "mine.yaml", bundled_text)
    return [(source.where(each.place).rpartition(":")[2], str(each.message)) for each in find_open_questions(protocol)]


WORDED = "  {}: {{ask: '{}', levels: {{bad: It is bad., good: It is good.}}}}\n"
SCALE = "scale: [bad, good]\nscore:\n"


def test_a_rubric_that_says_everything_leaves_nothing_open():
    text = SCALE + WORDED.format("clear", "Is it clear?") + WORDED.format("short", "Could anything be cut?")
    assert left_open(text) == []


def test_general_words_are_told_once_for_all_dimensions():
    text = "score:\n  helpful: Does it answer the question?\n  polite: Is it friendly?\nscale: 1-5\n"
    assert left_open(text) == [("4", "only general words say what 1 to 5 mean for helpful, polite")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("score:\n  a: 'Is it?'\nscale: {1: No., 4: Yes.}\n", "3", "scale 1-4 has no words for 2, 3"),
        ("score:\n  a: {ask: 'Is it?', levels: {1: No.}}\nscale: 1-2\n", "2", "'a' describes other scores, but not 2"),
        (SCALE + "  a: {ask: 'Is it?', levels: {bad: So., good: So.}}\n", "3", "'a' says the same of 1 and 0"),
        (
            SCALE + WORDED.format("a", "Does the answer help the customer?")
            + WORDED.format("b", "Does the answer help a customer?"), "4", "'b' asks nearly the same as 'a'",
        ),
        (
            "score:\n  a: 'Is it?'\nscale: {0: No., 100: Yes.}\n", "3",
            "scale 0-100 has 101 scores and words for 2 of them: what the others mean is left to each judge",
        ),
    ],
)  # fmt: skip
def test_what_is_left_open_is_told_at_its_line(text, line, message):
    ((found, said),) = left_open(text)
    assert (found, said[: len(message)]) == (line, message)


@pytest.mark.parametrize("protocol_id", bundled_ids())
def test_bundled_protocols_leave_nothing_open(protocol_id):
    assert list(find_open_questions(find_protocol(protocol_id))) == []
