"""Replies on one sample: how the form is told, recognised, composed of checks, and made of a person's form."""

import msgspec
import pytest

from valid_replies import DRIFT_SAMPLE, QUOTES, SAMPLE, as_json, sample_reply
from venire.domain.protocol import VerdictRule
from venire.judges.wording import WORDS
from venire.shapes.check import Checker
from venire.shapes.sample import SampleShape
from venire.shapes.shape import DimensionScore, Signature, Telling

SHAPE = SampleShape()
TELLING = Telling(DRIFT_SAMPLE, DRIFT_SAMPLE.scale(), WORDS["en"], "a number")
NO_QUOTES = msgspec.structs.replace(
    DRIFT_SAMPLE, evidence=msgspec.structs.replace(DRIFT_SAMPLE.evidence, required="none"), verdict=None
)


@pytest.mark.parametrize("part", ["meta", "verdict", "evidence"])
def test_bare_scores_beside_one_other_part_are_of_this_form(part):
    assert SHAPE.is_form_of({"scores": {"a": None, "b": 1.5}, part: None})
    assert not SHAPE.is_form_of({"scores": {"a": {"score": 1}}, part: None})
    assert not SHAPE.is_form_of({"scores": [1], part: None})


def test_bare_scores_alone_are_of_no_form():
    assert not SHAPE.is_form_of({"scores": {"a": 1}, "notes": ""})


def test_a_judge_is_told_what_to_replace_and_only_what_the_protocol_asks_for():
    words = WORDS["en"]
    assert SHAPE.placeholders(TELLING) == ["`verdict`", words["all_quotes"], words["all_reasons"]]
    assert SHAPE.placeholders(Telling(NO_QUOTES, NO_QUOTES.scale(), words, "")) == []


def test_a_blind_judge_is_not_told_the_names_that_an_open_one_copies():
    opened, blind = (SHAPE.fields(TELLING, None, blind=blind)[0] for blind in (False, True))
    assert "`judge_model`, `target_model`, `question_id`, `prompt_variant`, `output_id` and `method`" in opened
    assert blind == WORDS["en"]["meta_blind"]


def test_the_limits_of_the_verdict_are_told_in_order():
    [told] = [line for line in SHAPE.fields(TELLING, None, blind=True) if "PARTIAL" in line]
    rule = DRIFT_SAMPLE.verdict
    assert told == WORDS["en"]["verdict"].format(
        field="overall_score", fail=f"{rule.fail_at_most:g}", passing=f"{rule.pass_at_least:g}"
    )
    bare = SHAPE.fields(Telling(NO_QUOTES, NO_QUOTES.scale(), WORDS["en"], ""), None, blind=True)
    assert not [line for line in bare if "PARTIAL" in line]


def test_the_example_has_the_lowest_scores_their_sum_and_its_verdict():
    protocol = msgspec.structs.replace(DRIFT_SAMPLE, verdict=VerdictRule(fail_at_most=3.0, pass_at_least=4.0))
    scale = msgspec.structs.replace(protocol.scale(), minimum=1)
    example = SHAPE.example(Telling(protocol, scale, WORDS["en"], ""), {"output_id": "", "method": "m"}, None)
    assert example["meta"] == {"output_id": "unknown", "method": "m"}
    assert example["scores"] == {**dict.fromkeys(protocol.dimension_ids, 1), "overall_score": 4}
    assert (example["verdict"], example["flags"]) == ("PASS", [])
    assert [set(each) for each in example["evidence"]] == [{"dimension", "quote", "reason"}] * 4


def test_the_example_of_a_protocol_without_quotes_and_verdict_has_none():
    example = SHAPE.example(Telling(NO_QUOTES, NO_QUOTES.scale(), WORDS["en"], ""), {}, None)
    assert set(example) == {"meta", "scores", "flags"}


def scored(sample, dimensions):
    assert sample is SAMPLE
    return tuple(
        DimensionScore(dimension, 0.1 + 0.2, quote, f"why {dimension}", True)
        for dimension, quote in zip(dimensions, QUOTES, strict=True)
    )


def test_a_judge_made_of_checks_signs_and_names_only_what_it_knows():
    reply = SHAPE.compose(SAMPLE, DRIFT_SAMPLE, scored, Signature("rules", "h-1", "2026-01-31"))
    blind = dict.fromkeys(("target_model", "question_id", "prompt_variant"), "blind")
    signed = {"judge_model": "rules", "output_id": "h-1", "method": "cross_judge", "timestamp": "2026-01-31"}
    assert reply["meta"] == signed | blind
    assert reply["scores"]["overall_score"] == 1.2
    assert reply["verdict"] == DRIFT_SAMPLE.verdict.verdict(1.2)
    first = DRIFT_SAMPLE.dimension_ids[0]
    assert reply["evidence"][0] == {"dimension": first, "quote": QUOTES[0], "reason": f"why {first}"}
    assert (reply["flags"], reply["notes"]) == ([], "All checks passed.")


def test_a_judge_made_of_checks_without_a_handle_says_that_it_is_blind_and_gives_no_verdict_unasked():
    reply = SHAPE.compose(SAMPLE, NO_QUOTES, scored, Signature("rules", "", "2026-01-31"))
    assert reply["meta"]["output_id"] == "blind"
    assert "verdict" not in reply


def filled_in():
    reply = sample_reply()
    form = {f"score.{name}": str(score) for name, score in reply["scores"].items()}
    for each in reply["evidence"]:
        form |= {f"quote.{each['dimension']}": each["quote"], f"reason.{each['dimension']}": each["reason"]}
    return form


def test_a_filled_in_form_is_a_valid_reply():
    written = SHAPE.from_form(DRIFT_SAMPLE, None, "q3-a.txt", filled_in())
    expected = sample_reply() | {"meta": {"output_id": "q3-a.txt"}}
    del expected["notes"]
    assert written == expected
    assert Checker(DRIFT_SAMPLE, blind=True).check(as_json(written), SAMPLE).valid


def test_a_remark_and_the_source_of_a_quote_are_kept_where_a_person_gave_them():
    first, second, *_ = DRIFT_SAMPLE.dimension_ids
    form = filled_in() | {"reason": "A remark.", f"source.{first}": "document-1", f"source.{second}": ""}
    written = SHAPE.from_form(DRIFT_SAMPLE, None, "q3-a.txt", form)
    assert written["notes"] == "A remark."
    assert [each.get("source") for each in written["evidence"]] == ["document-1", None, None, None]


def test_line_ends_of_browsers_and_blank_quotes_do_not_come_into_the_reply():
    first, second, *_ = DRIFT_SAMPLE.dimension_ids
    form = filled_in() | {f"quote.{first}": " one\r\ntwo \r\n", f"quote.{second}": "  "}
    written = SHAPE.from_form(DRIFT_SAMPLE, None, "q3-a.txt", form)
    assert [each["quote"] for each in written["evidence"]] == ["one\ntwo", *QUOTES[2:]]


def test_a_form_for_a_protocol_without_a_verdict_states_none():
    assert "verdict" not in SHAPE.from_form(NO_QUOTES, None, "q3-a.txt", filled_in())
