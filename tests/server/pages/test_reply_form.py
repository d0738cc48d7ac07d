from __future__ import annotations

import json

import msgspec
import pytest

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt
from venire.protocols.catalogue import find_protocol
from venire.server.court.vote_views import Ballot
from venire.server.pages.reply_form import (
    WHOLE,
    asked_parts,
    claim_questions,
    compose_reply,
    findings_by_dimension,
    questions,
    quotable,
    strengths,
)
from venire.shapes.check import Checker

PROTOCOL = find_protocol("drift-sample")
TEXT = "First line of the output.\nSecond line of the output."


def ballot(protocol: str, category: str = "") -> Ballot:
    return Ballot(
        item="item-1",
        prompt=VoterPrompt("good", "Is it good?"),
        text=TEXT,
        scale="protocol",
        protocol=find_protocol(protocol),
        category=category,
    )


def filled(asked: Ballot, score: str) -> dict[str, str]:
    form = {"reason": "On the whole."}
    for question in questions(asked):
        form |= {
            f"score.{question.id}": score,
            f"quote.{question.id}": "line of the output.\r\nSecond line",
            f"reason.{question.id}": "It says so.",
        }
    return form


@pytest.mark.parametrize(("score", "verdict"), [("2", "PASS"), ("1", "PARTIAL"), ("0", "FAIL")])
def test_a_filled_in_form_is_a_valid_reply_on_a_sample(score: str, verdict: str) -> None:
    asked = ballot("drift-sample")
    checker = Checker(find_protocol("drift-sample"), blind=True)
    judgement = checker.check(compose_reply(asked, filled(asked, score)), Sample("o", TEXT), handle="item-1")
    assert judgement.valid, judgement.findings
    assert judgement.verdict == verdict
    assert {item.quote for item in judgement.evidence} == {"line of the output.\nSecond line"}


def test_a_filled_in_form_is_a_valid_reply_by_the_criteria_of_its_category() -> None:
    protocol = find_protocol("quality")
    for category in protocol.categories:
        asked = ballot("quality", category.id)
        assert {question.id for question in questions(asked)} == set(category.weights)
        sample = Sample("o", TEXT, factors={"category": category.id})
        judgement = Checker(protocol).check(compose_reply(asked, filled(asked, "4")), sample)
        assert judgement.valid, judgement.findings
        assert judgement.overall == pytest.approx(4)


def test_a_form_by_claims_asks_for_every_sentence_and_is_a_valid_reply() -> None:
    document = Material("d", MaterialKind.DOCUMENT, "The shop opens at 9 am.")
    sample = Sample("o", "# Hours\nHello! The shop opens at 10 am.", materials=(document,))
    asked = msgspec.structs.replace(ballot("grounded"), text=sample.text, materials=sample.materials)
    assert questions(asked) == ()
    assert [(each.number, each.words) for each in claim_questions(asked)] == [
        (2, "Hello!"),
        (3, "The shop opens at 10 am."),
    ]
    form = {f"claim.{each.number}.words": each.words for each in claim_questions(asked)}
    form |= {"claim.2.finding": "nothing", "claim.3.finding": "contradicted"}
    form |= {"claim.3.source": "d", "claim.3.passage": "The shop opens at 9 am."}
    judgement = Checker(find_protocol("grounded"), blind=True).check(compose_reply(asked, form), sample)
    assert judgement.valid, judgement.findings
    assert judgement.overall == 0


@pytest.mark.parametrize("cite", ["words", "sentences"])
def test_a_form_by_dimensions_quotes_from_the_output_and_from_materials(cite: str) -> None:
    found = find_protocol("answer")
    protocol = msgspec.structs.replace(found, evidence=msgspec.structs.replace(found.evidence, cite=cite))
    reference = Material("r", MaterialKind.REFERENCE, "It is open. The shop opens at 9 am.")
    sample = Sample("o", "Hello. At 9 am.", materials=(reference,))
    asked = msgspec.structs.replace(
        ballot("answer"), protocol=protocol, text=sample.text, materials=sample.materials, item="item-1"
    )
    assert quotable(asked) == (reference,)
    best = {f"score.{name}": str(int(protocol.scale().maximum)) for name in protocol.dimension_ids}
    quoted = {"words": ("At 9 am.", "The shop opens at 9 am."), "sentences": ("2", "2")}[cite]
    first, *others = protocol.dimension_ids
    form = best | {f"quote.{name}": quoted[0] for name in others} | {f"source.{name}": "output" for name in others}
    form |= {f"quote.{first}": quoted[1], f"source.{first}": "r"} | {
        f"reason.{name}": "So." for name in (first, *others)
    }
    judgement = Checker(protocol, blind=True).check(compose_reply(asked, form), sample, handle="item-1")
    assert judgement.valid, judgement.findings
    assert {(each.source, each.quote) for each in judgement.evidence} == {
        ("r", "The shop opens at 9 am."),
        ("", "At 9 am."),
    }


def test_what_a_juror_leaves_out_is_missing_and_not_zero() -> None:
    asked = ballot("drift-sample")
    form = filled(asked, "2")
    del form["score.COMPLETENESS"], form["quote.COMPLETENESS"]
    reply = json.loads(compose_reply(asked, form))
    assert "COMPLETENESS" not in reply["scores"]
    assert "COMPLETENESS" not in {item["dimension"] for item in reply["evidence"]}
    judgement = Checker(find_protocol("drift-sample"), blind=True).check(
        json.dumps(reply), Sample("o", TEXT), handle="item-1"
    )
    assert not judgement.valid


@pytest.mark.parametrize("score", ["two", "-1", "²", "1.5", ""])
def test_a_score_that_is_no_whole_number_is_left_out(score: str) -> None:
    asked = ballot("drift-sample")
    reply = json.loads(compose_reply(asked, filled(asked, score)))
    assert set(reply["scores"]) == {"overall_score"}


def test_levels_are_asked_from_the_highest_in_both_languages() -> None:
    first = questions(ballot("drift-sample"))[0]
    assert [score for score, _ in first.levels] == [2, 1, 0]
    assert all(meaning["en"] and meaning["zh"] for _, meaning in first.levels)


def said(reply: object, language: str = "en") -> dict[str, tuple[str, ...]]:
    judgement = Checker(PROTOCOL, blind=True).check(json.dumps(reply), Sample("o", "Plain words."), handle="item-1")
    return dict(findings_by_dimension(judgement, PROTOCOL.dimension_ids, language))


def drift_reply(quotes: dict[str, str]) -> dict[str, object]:
    return {
        "meta": {"output_id": "item-1"},
        "scores": dict.fromkeys(PROTOCOL.dimension_ids, 2) | {"overall_score": 8},
        "verdict": "PASS",
        "flags": [],
        "evidence": [{"dimension": name, "quote": quote, "reason": "so"} for name, quote in quotes.items()],
    }


def test_each_finding_stands_by_its_dimension() -> None:
    quotes = dict.fromkeys(PROTOCOL.dimension_ids, "Plain words.")
    del quotes["COMPLETENESS"]
    found = said(drift_reply({**quotes, "SEMANTIC_FIDELITY": "Other words."}))
    assert set(found) == {"COMPLETENESS", "SEMANTIC_FIDELITY"}
    assert "at least one quote" in found["COMPLETENESS"][0]
    assert "word for word" in found["SEMANTIC_FIDELITY"][0]


def test_a_missing_score_stands_by_its_dimension_in_the_jurors_language() -> None:
    given = drift_reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))
    given["scores"] = dict.fromkeys(PROTOCOL.dimension_ids[1:], 2) | {"overall_score": 6}
    given["verdict"] = "PARTIAL"
    assert said(given, "zh") == {"FORMAT_COMPLIANCE": ("每个维度都必须有分数。",)}


def test_what_is_about_no_dimension_stands_before_all() -> None:
    given = drift_reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))
    given["verdict"] = "FAIL"
    assert list(said(given)) == [WHOLE]


def test_a_valid_judgement_has_nothing_said_of_it() -> None:
    assert said(drift_reply(dict.fromkeys(PROTOCOL.dimension_ids, "Plain words."))) == {}


def test_only_two_outputs_are_asked_by_how_much_one_is_better():
    assert strengths(ballot("drift-sample")) == ()
    assert strengths(msgspec.structs.replace(ballot("drift-sample"), protocol=None)) == ()
    pair = ballot("preference")
    scale = pair.protocol.scale()
    steps = [step for step, _ in strengths(pair)]
    assert steps == list(range(int(scale.maximum), int(scale.minimum), -1))
    assert [words for _, words in strengths(pair)] == [scale.levels.get(str(step), {}) for step in steps]


def test_findings_stand_beside_dimensions_and_of_two_outputs_beside_the_winner_too():
    single, pair = ballot("drift-sample"), ballot("preference")
    assert asked_parts(single) == tuple(each.id for each in questions(single))
    two = msgspec.structs.replace(pair, second=TEXT)
    overall = pair.protocol.overall.field
    assert asked_parts(two) == (*(each.id for each in questions(two)), "winner", overall, "quotes")
