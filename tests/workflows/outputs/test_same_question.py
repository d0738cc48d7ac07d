"""The same question across outputs, and how words differ."""

from hypothesis import given
from hypothesis import strategies as st

from venire.reports.outputs.asked import OutputFilter
from venire.workflows.outputs.listing import list_outputs
from venire.workflows.outputs.same_question import MOST_TOKENS, answers_to_same, text_diff


def test_others_are_those_of_the_same_question_with_the_same_place_of_other_models_first(outputs):
    [row] = [each for each in list_outputs(outputs.index, OutputFilter()).rows
             if each.output_id == "q1-conflict-implicit-birch-2"]  # fmt: skip
    others = answers_to_same(outputs.index, row)
    assert {each.question for each in others} == {"q1"}
    assert len(others) == 7
    assert others[0].output_id == "q1-conflict-implicit-alder-1"


@given(st.text(), st.text())
def test_both_texts_can_be_put_together_again_from_their_differences(first, second):
    pieces = text_diff(first, second)
    assert pieces is not None
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == first
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == second


def test_chinese_is_compared_letter_by_letter():
    assert [piece.text for piece in text_diff("今天下雨", "今天下雪")] == ["今天下", "雨", "雪"]


def test_long_texts_are_compared_line_by_line_and_very_long_ones_not_at_all():
    lines = [f"a line number {number}\n" for number in range(MOST_TOKENS // 2)]
    pieces = text_diff("".join(lines), "".join([*lines, "a new line"]))
    assert [(piece.kind, piece.text) for piece in pieces[1:]] == [("added", "a new line")]
    assert text_diff("a\nb\n" * MOST_TOKENS, "c") is None
