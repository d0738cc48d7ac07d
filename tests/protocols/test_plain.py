"""A rubric in plain words becomes a full protocol, and everything wrong with it is told at once, each at its line."""

from __future__ import annotations

import pytest

from venire.domain.protocol import EvalProtocol
from venire.errors import ProtocolError
from venire.protocols.catalogue import bundled_text
from venire.protocols.load import parse_protocol

THREE_LINES = """\
ask: You judge an answer of our support bot.
score: {helpful: 'Does it answer the question?', polite: 'Is it friendly?'}
scale: 1-5
"""


def parse(text: str) -> EvalProtocol:
    return parse_protocol(text.encode(), "mine.yaml", bundled_text)


def refused(text: str) -> list[ProtocolError]:
    """Return everything that is wrong, which must be told with a place and a way out."""
    with pytest.raises(ProtocolError) as caught:
        parse(text)
    problems = [caught.value, *caught.value.further]
    assert all(problem.where.startswith("mine.yaml:") and problem.hint for problem in problems)
    return problems  # type: ignore[return-value]


def test_three_lines_are_a_protocol_in_one_language():
    protocol = parse(THREE_LINES)
    assert protocol.id == "mine"
    assert protocol.title == {"en": "Helpful, Polite"}
    assert protocol.instructions == {"en": "You judge an answer of our support bot."}
    assert [(each.id, each.name, each.asks) for each in protocol.dimensions] == [
        ("helpful", {"en": "Helpful"}, {"en": "Does it answer the question?"}),
        ("polite", {"en": "Polite"}, {"en": "Is it friendly?"}),
    ]
    (scale,) = protocol.scales
    assert (scale.minimum, scale.maximum, scale.integer, list(scale.levels)) == (1, 5, True, ["5", "4", "3", "2", "1"])
    assert protocol.asks_for_quotes
    assert protocol.verdict is not None
    assert [protocol.verdict.verdict(total) for total in (4, 5, 7, 8)] == ["FAIL", "PARTIAL", "PARTIAL", "PASS"]


def test_the_texts_that_a_rubric_need_not_give_stay_as_they_are():
    # Another digest is another instrument: whoever resumes a run with the same three lines would be asked anew.
    assert parse(THREE_LINES).digest == "ce0cc7189fa23f72927fd237f05452bf64a242b88960d47f4dcc24a0fd9c25b8"
    assert (
        parse("score: {有帮助: '是否回答了问题？'}\nscale: pass/fail\n").digest
        == "e9afe6430f0b5485093fea73ba67ca551440dded6b950ae61e5f902034212727"
    )


def test_a_chinese_rubric_gets_chinese_words():
    protocol = parse("score: {有帮助: '是否回答了问题？'}\nscale: 1-5\n")
    assert list(protocol.title) == ["zh"]
    assert protocol.instructions["zh"].startswith("你将对照任务要求")
    assert protocol.scales[0].levels["1"] == {"zh": "完全不符合。"}


def test_a_rubric_in_two_languages_has_both_everywhere():
    protocol = parse(
        "ask: {en: Judge it., zh: 评测它。}\nscore:\n  helpful: {en: 'Is it of help?', zh: '有帮助吗？'}\n"
    )
    assert protocol.instructions == {"en": "Judge it.", "zh": "评测它。"}
    assert protocol.dimensions[0].asks == {"en": "Is it of help?", "zh": "有帮助吗？"}
    assert set(protocol.scales[0].levels["5"]) == {"en", "zh"}


def test_a_text_that_lacks_one_of_two_languages_is_named():
    problems = refused("ask: {en: Judge it., zh: 评测它。}\nscore:\n  helpful: {en: 'Is it of help?'}\n")
    assert "no 'zh' text" in problems[0].message
    assert problems[0].where == "mine.yaml:3"


def test_pass_needs_the_higher_of_two_levels_in_every_dimension():
    protocol = parse("score: {a: 'One?', b: 'Two?', c: 'Three?'}\nscale: pass/fail\n")
    assert protocol.verdict is not None
    assert [protocol.verdict.verdict(total) for total in (0, 2, 3)] == ["FAIL", "FAIL", "PASS"]


def test_levels_with_names_are_scored_from_zero_up():
    protocol = parse("score: {clear: 'Is it clear?'}\nscale: {bad: Nobody gets it., fair: Some do., good: ''}\n")
    (scale,) = protocol.scales
    assert scale.levels == {
        "2": {"en": "good"}, "1": {"en": "fair: Some do."}, "0": {"en": "bad: Nobody gets it."},
    }  # fmt: skip


def test_a_dimension_may_say_what_its_own_levels_mean():
    protocol = parse(
        "score:\n  clear: {ask: 'Is it clear?', levels: {bad: Nobody gets it., good: All do.}}\nscale: [bad, good]\n"
    )
    assert protocol.dimensions[0].levels == {"1": {"en": "All do."}, "0": {"en": "Nobody gets it."}}


def test_evidence_and_verdict_can_be_left_out_or_written_as_in_a_full_protocol():
    without = parse(THREE_LINES + "evidence: no\nverdict: no\n")
    assert (without.asks_for_quotes, without.verdict) == (False, None)
    other = parse(THREE_LINES + "evidence: {required: nonzero_scores}\nverdict: {fail_at_most: 5, pass_at_least: 10}\n")
    assert other.evidence.required == "nonzero_scores"
    numbered = parse(THREE_LINES + "evidence: {cite: sentences}\n")
    assert (numbered.evidence.required, numbered.evidence.cite) == ("every_dimension", "sentences")
    assert other.verdict is not None
    assert other.verdict.pass_at_least == 10


def test_a_question_alone_is_a_rubric_of_one_dimension():
    assert parse("score: Is it correct?\n").dimension_ids == ("score",)


def test_a_name_with_blanks_becomes_an_id_without():
    (dimension,) = parse("score: {tone of voice: 'Is it ours?'}\n").dimensions
    assert (dimension.id, dimension.name["en"]) == ("tone_of_voice", "Tone of voice")


def test_everything_wrong_is_told_at_once_each_at_its_line():
    problems = refused(
        "asks: Judge it.\nscore:\n  helpful:\n  polite: {ask: 'Is it?', levels: {9: Very., 1: Not.}, weight: 3}\n"
        "scale: five\nevidence: maybe\n"
    )
    told = {(problem.where.rpartition(":")[2], problem.message) for problem in problems}
    assert told == {
        ("1", "unknown key 'asks'"),
        ("3", "dimension 'helpful' has no question"),
        ("4", "'polite' has words for the level '9', which the scale does not have"),
        ("4", "unknown key 'weight'"),
        ("5", "'five' is not a scale"),
        ("6", "`evidence:` is 'maybe'; expected yes, no, or the keys of a full protocol"),
    }
    assert "Did you mean `ask:`?" in str(problems[0])


@pytest.mark.parametrize(
    ("text", "message", "paste"),
    [
        ("ask: Judge it.\n", "does not say what is scored", "`helpful: Does it answer the question?`"),
        ("score: {}\n", "does not say what is scored", "`helpful: Does it answer the question?`"),
        ("score: {a: 'Is it?'}\nscale: 5\n", "'5' is not a scale", "`scale: 1-5`"),
        ("score: {a: 'Is it?'}\nscale: 5-1\n", "'5-1' is not a scale", "`scale: 1-5`"),
        ("score: {a: 'Is it?'}\nscale: [good, fair, bad]\n", "from the lowest to the highest", "[bad, fair, good]"),
        ("score: {a: 'Is it?'}\nscale: {yes: Yes., no: No.}\n", "from the lowest to the highest", "[no, yes]"),
        ("score: {a: 'Is it?'}\ncriteria: {b: 'Is it?'}\n", "unknown key 'criteria'", "Did you mean `score:`?"),
        ("score: {a: 'Is it?'}\nscal: 1-5\n", "unknown key 'scal'", "Did you mean `scale:`?"),
        ("score: {a: 'Is it?'}\ncolour: red\n", "unknown key 'colour'", "Known here: ask, score, scale"),
        ("score: {a: {ask: [x]}}\n", "expected a text", 'ask: "…"'),
        ("score: {a: {ask: 'Is it?', levels: high}}\n", "not a mapping", 'levels: {1: "…", 5: "…"}'),
        ("score: {overall_score: 'Is it?'}\n", "the name of a dimension", "Give it another name"),
        ("score: {a b: 'Is it?', a_b: 'Is it?'}\n", "duplicate id 'a_b'", "unique"),
        ("score: {a: 'Is it?'}\nverdict: {fail_at_most: 3}\n", "pass_at_least", ""),
    ],
)
def test_a_mistake_comes_with_what_is_expected_and_a_line_to_paste(text, message, paste):
    (problem,) = refused(text)
    assert message in problem.message
    assert paste in problem.hint
