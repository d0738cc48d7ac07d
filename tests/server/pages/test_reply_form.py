from __future__ import annotations

import json

import pytest

from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt
from venire.protocols.catalogue import find_protocol
from venire.server.court.vote_views import Ballot
from venire.server.pages.reply_form import compose_reply, questions
from venire.shapes.check import Checker

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
