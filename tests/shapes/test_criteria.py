"""Replies by criteria: both scales, the computed overall, and the layers of salvage."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from valid_replies import JUDGE, QUALITY, QUALITY_SAMPLE, as_json, changed, quality_reply
from venire.domain.flag import Flag, Severity
from venire.domain.judgement import EvidenceLevel, Judgement, Method, Status
from venire.domain.sample import Sample
from venire.errors import UsageError
from venire.judges.wording import WORDS
from venire.shapes.check import Checker
from venire.shapes.registry import shape_of
from venire.shapes.shape import Telling

FIVE = Checker(QUALITY)
TEN = Checker(QUALITY, scale="0-10")


def check(reply: bytes | str | dict[str, Any], checker: Checker = FIVE, sample: Sample = QUALITY_SAMPLE) -> Judgement:
    return checker.check(as_json(reply) if isinstance(reply, dict) else reply, sample, judge=JUDGE)


def rules(judgement: Judgement) -> list[str]:
    return [finding.rule for finding in judgement.findings]


def test_the_worked_number_of_the_guide_is_recomputed() -> None:
    judgement = check(quality_reply(4.5, 4.0, 4.5))
    assert judgement.findings == ()
    assert judgement.status is Status.VALID
    assert judgement.overall == pytest.approx(4.35, abs=1e-12)
    assert judgement.scores == {"accuracy": 4.5, "conciseness": 4.0, "clarity": 4.5}
    assert (judgement.scale, judgement.method) == ("1-5", Method.CROSS_JUDGE)
    assert judgement.evidence_level is EvidenceLevel.OFF


@pytest.mark.parametrize(
    ("checker", "score"), [(FIVE, 1), (FIVE, 5), (FIVE, 3.14), (TEN, 0), (TEN, 10), (TEN, 7.25), (TEN, 0.5)]
)
def test_scores_on_the_judges_own_scale_are_admissible(checker: Checker, score: float) -> None:
    judgement = check(quality_reply(score, score, score), checker)
    assert judgement.valid
    assert judgement.overall == pytest.approx(score)


@pytest.mark.parametrize(
    ("checker", "score"), [(FIVE, 0.99), (FIVE, 5.01), (FIVE, 0), (FIVE, 10), (TEN, -0.1), (TEN, 10.5)]
)
def test_a_score_off_the_scale_is_never_clamped(checker: Checker, score: float) -> None:
    reply = quality_reply()
    reply["scores"]["clarity"]["score"] = score
    judgement = check(reply, checker)
    assert rules(judgement) == ["score.out-of-scale"]
    assert judgement.status is Status.INVALID
    assert "clarity" not in judgement.scores
    assert (judgement.overall, judgement.recovered_by) == (None, "")


def test_an_overall_alone_stands_on_the_ten_point_scale() -> None:
    judgement = check({"overall_score": 8.26, "reasoning": "Good."}, TEN)
    assert judgement.valid
    assert (judgement.overall, judgement.stated_overall, judgement.scores) == (8.26, 8.26, {})


def test_an_overall_alone_is_not_enough_on_the_five_point_scale() -> None:
    judgement = check({"overall_score": 4.2, "reasoning": "Good."})
    assert judgement.status is Status.INVALID
    assert judgement.overall is None


def test_an_overall_alone_must_lie_on_the_scale() -> None:
    judgement = check({"overall_score": 11, "reasoning": "Good."}, TEN)
    assert rules(judgement) == ["score.out-of-scale"]
    assert judgement.overall is None


@pytest.mark.parametrize(("stated", "noted"), [(4.35, False), (4.4, False), (4.3, False), (4.41, True), (3, True)])
def test_an_overall_that_differs_is_noted_and_the_computed_one_counts(stated: float, noted: bool) -> None:
    reply = quality_reply()
    reply["overall_score"] = stated
    judgement = check(reply)
    assert judgement.valid
    assert judgement.overall == pytest.approx(4.35)
    assert judgement.stated_overall == stated
    assert [(finding.rule, finding.severity) for finding in judgement.findings] == (
        [("overall.mismatch", Severity.NOTE)] if noted else []
    )


def test_a_missing_criterion_stays_missing_and_there_is_no_overall() -> None:
    reply = quality_reply()
    del reply["scores"]["clarity"]
    judgement = check(reply)
    assert rules(judgement) == ["score.missing"]
    assert judgement.status is Status.INVALID
    assert judgement.scores == {"accuracy": 4.5, "conciseness": 4.0}
    assert judgement.overall is None


def test_a_criterion_of_another_category_is_not_scored() -> None:
    reply = quality_reply()
    reply["scores"]["fluency"] = {"score": 4, "justification": ""}
    assert rules(check(reply)) == ["score.unknown-dimension"]


def test_further_fields_are_left_alone_in_the_seed_profile_only() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["confidence"] = 0.9

    raw = changed(quality_reply(), change)
    assert Checker(QUALITY, profile="seed").check(raw, QUALITY_SAMPLE).valid
    judgement = check(raw)
    assert rules(judgement) == ["contract.unknown-field"]
    assert judgement.status is Status.RECOVERED


@pytest.mark.parametrize("category", ["", "poetry"])
def test_a_sample_without_a_known_category_cannot_be_weighed(category: str) -> None:
    sample = msgspec.structs.replace(QUALITY_SAMPLE, factors={"category": category} if category else {})
    judgement = check(quality_reply(), sample=sample)
    assert rules(judgement) == ["coverage.category"]
    assert judgement.flags == (Flag.INCOMPLETE_COVERAGE,)
    assert (judgement.overall, judgement.status, judgement.recovered_by) == (None, Status.INVALID, "")
    assert judgement.scores["accuracy"] == 4.5


def test_a_judge_of_its_own_model_is_marked() -> None:
    sample = msgspec.structs.replace(QUALITY_SAMPLE, target_model="glm-4.7")
    assert check(quality_reply(), sample=sample).method is Method.SELF_JUDGE


@pytest.mark.parametrize("category", QUALITY.categories, ids=lambda category: category.id)
def test_every_category_weighs_its_own_criteria(category: Any) -> None:
    sample = msgspec.structs.replace(QUALITY_SAMPLE, factors={"category": category.id})
    reply = quality_reply()
    reply["scores"] = {
        name: {"score": 1 + position, "justification": ""} for position, name in enumerate(category.weights)
    }
    expected = sum((1 + position) * weight for position, weight in enumerate(category.weights.values()))
    reply["overall_score"] = expected
    judgement = check(reply, sample=sample)
    assert judgement.valid
    assert judgement.overall == pytest.approx(expected)


# What a reply that is not strict JSON looks like, and how its scores are recovered.
PLAIN = as_json(quality_reply()).decode()
BARE = {**quality_reply(), "scores": {"accuracy": 4.5, "conciseness": 4, "clarity": 4.5}}
RECOVERED = {
    "fenced": (f"```json\n{PLAIN}\n```", "fenced-json"),
    "fenced in prose": (f"Here it is:\n```\n{PLAIN}\n```\nBye.", "fenced-json"),
    "prose": (f"我的评价如下：{PLAIN} 以上。", "json-in-prose"),
    "bare numbers": (as_json(BARE).decode(), "bare-numbers"),
    "bare numbers in a fence": (f"```json\n{as_json(BARE).decode()}\n```", "fenced-json"),
    "no scores object": ('{"accuracy": 4.5, "conciseness": 4, "clarity": {"score": 4.5}}', "bare-numbers"),
    "labelled in English": ("Accuracy: 4.5\nConciseness - 4.0\n**Clarity**: 4.5/5", "labelled-numbers"),
    "labelled in Chinese": ("准确性：4.5分\n简洁性：4.0分\n清晰度：4.5分", "labelled-numbers"),
    "labelled in both": ("准确性评分: 4.5；Conciseness score: 4；清晰度（4.5）", "labelled-numbers"),
    "truncated": (PLAIN[: PLAIN.index('"overall_score"')], "labelled-numbers"),
}


@pytest.mark.parametrize(("reply", "how"), RECOVERED.values(), ids=RECOVERED.keys())
def test_scores_are_recovered_and_the_judgement_says_how(reply: str, how: str) -> None:
    judgement = check(reply)
    assert (judgement.status, judgement.recovered_by) == (Status.RECOVERED, how)
    assert judgement.scores == {"accuracy": 4.5, "conciseness": 4.0, "clarity": 4.5}
    assert judgement.overall == pytest.approx(4.35)
    assert not judgement.valid
    assert judgement.flags != ()


@pytest.mark.parametrize(
    "words",
    [
        "Accuracy: 45\nConciseness: 4\nClarity: 4",
        "Accuracy: 90%\nConciseness: 4\nClarity: 4",
        "Accuracy: -4\nConciseness: 4\nClarity: 4",
        "Accuracy: 4-5\nConciseness: 4\nClarity: 4",
        "Accuracy: 4,5\nConciseness: 4\nClarity: 4",
        "Accuracy: 4e2\nConciseness: 4\nClarity: 4",
        "Accuracy: 4e\nConciseness: 4\nClarity: 4",
        "Accuracy: 4/10\nConciseness: 4\nClarity: 4",
        "Accuracy: 4, no, accuracy: 3\nConciseness: 4\nClarity: 4",
        "Inaccuracy: 4\nConciseness: 4\nClarity: 4",
        "Accuracy is good.\nConciseness: 4\nClarity: 4",
        "准确性良好。简洁性：4分。清晰度：4分",
    ],
)
def test_what_is_no_plain_score_is_left_missing(words: str) -> None:
    judgement = check(words)
    assert judgement.scores == {"conciseness": 4, "clarity": 4}
    assert (judgement.status, judgement.overall) == (Status.INVALID, None)


@pytest.mark.parametrize("cut", ["4", "4.", "4.1", "4.1e", "4.1e0", "4.1E+", "4.1E+0"])
def test_a_number_that_may_have_been_cut_off_is_left_missing(cut: str) -> None:
    judgement = check(
        '{"scores": {"accuracy": {"score": 4.5}, "conciseness": {"score": 4}, "clarity": {"score": ' + cut
    )
    assert judgement.scores == {"accuracy": 4.5, "conciseness": 4}


@pytest.mark.parametrize(
    "words",
    [
        "总分：8.5",
        "综合评分: 8.5/10，理由充分。",
        "Overall: 8.5",
        "**Overall score:** 8.5 / 10. Well done.",
        "overall_score = 8.5",
    ],
)
def test_an_overall_in_prose_is_recovered_where_it_may_stand_alone(words: str) -> None:
    judgement = check(words, TEN)
    assert (judgement.status, judgement.recovered_by) == (Status.RECOVERED, "labelled-numbers")
    assert (judgement.overall, judgement.scores) == (8.5, {})


@pytest.mark.parametrize(
    "words", ["总分：85", "Overall: 4/5", "Overall: 7-8", "Overall: 7, or overall: 8", "Overall good"]
)
def test_an_overall_that_could_be_read_otherwise_is_not_recovered(words: str) -> None:
    judgement = check(words, TEN)
    assert (judgement.status, judgement.overall) == (Status.INVALID, None)


def test_an_overall_in_prose_is_not_enough_on_the_five_point_scale() -> None:
    assert check("Overall: 4.5").status is Status.INVALID


def test_an_overall_in_prose_is_held_against_the_criteria() -> None:
    judgement = check("Accuracy: 4.5\nConciseness: 4\nClarity: 4.5\nOverall: 3")
    assert (judgement.status, judgement.stated_overall) == (Status.RECOVERED, 3)
    assert judgement.overall == pytest.approx(4.35)
    assert "overall.mismatch" in rules(judgement)


def test_a_number_that_may_have_been_cut_off_is_not_taken() -> None:
    text = PLAIN[: PLAIN.rindex('{"score": 4.5') + len('{"score": 4')]
    assert check(text).scores == {"accuracy": 4.5, "conciseness": 4.0}


@pytest.mark.parametrize("words", ["", "I cannot judge this.", "抱歉，我不能评测。", "{}", '{"scores": {}}', "4.5"])
def test_a_reply_without_any_score_is_a_refusal(words: str) -> None:
    judgement = check(words)
    assert Flag.JUDGE_REFUSAL_OR_EVASION in judgement.flags
    assert (judgement.scores, judgement.overall, judgement.status) == ({}, None, Status.INVALID)


def test_one_number_off_the_scale_is_a_wrong_score_and_no_refusal() -> None:
    reply = quality_reply(50, 50, 50)
    reply["scores"]["clarity"]["score"] = None
    judgement = check(reply)
    assert "score.out-of-scale" in rules(judgement)
    assert Flag.JUDGE_REFUSAL_OR_EVASION not in judgement.flags


def test_a_reply_that_cannot_be_decoded_is_not_called_a_refusal() -> None:
    assert rules(check(PLAIN.encode("utf-16"))) == ["json.encoding"]


def test_a_score_in_quotation_marks_is_not_a_number() -> None:
    reply = quality_reply()
    reply["scores"]["accuracy"]["score"] = "4.5"
    judgement = check(reply)
    assert rules(judgement) == ["contract.wrong-type"]
    assert (judgement.status, judgement.overall) == (Status.INVALID, None)


def test_a_protocol_without_salvage_recovers_nothing() -> None:
    strict = Checker(msgspec.structs.replace(QUALITY, salvage=False))
    judgement = check(as_json(BARE), strict)
    assert (judgement.status, judgement.scores) == (Status.INVALID, {})


def test_an_unknown_scale_or_category_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="1-5, 0-10"):
        Checker(QUALITY, scale="0-100")
    with pytest.raises(UsageError, match="qa_simple"):
        FIVE.schema("poetry")


@pytest.mark.parametrize(("tolerance", "is_rounded"), [(0.0049, False), (0.005, True), (0.01, True)])
def test_a_judge_is_told_to_round_where_the_tolerance_lets_it(tolerance: float, is_rounded: bool) -> None:
    protocol = msgspec.structs.replace(QUALITY, overall=msgspec.structs.replace(QUALITY.overall, tolerance=tolerance))
    telling = Telling(protocol, protocol.scale(None), WORDS["en"], "a number")
    shape, category = shape_of(protocol), protocol.categories[0]
    told = "\n".join(shape.fields(telling, category, blind=True))
    assert (WORDS["en"]["rounded"] in told) is is_rounded
    assert "weight" in told
    without_category = "\n".join(shape.fields(telling, None, blind=True))
    assert WORDS["en"]["overall_sum"].format(field=protocol.overall.field) in without_category
