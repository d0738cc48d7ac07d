"""Replies by claims: what a person's form becomes, and what the form of reply says of itself."""

import pytest

from valid_replies import CITING, GROUNDED, GROUNDED_SAMPLE, as_json, grounded_reply
from venire.errors import RuleError
from venire.shapes.check import Checker
from venire.shapes.claims import ClaimsShape
from venire.shapes.shape import Signature

SHAPE = ClaimsShape()


def test_only_a_reply_with_claims_and_without_scores_is_of_this_form():
    assert SHAPE.is_form_of(grounded_reply())
    assert not SHAPE.is_form_of({**grounded_reply(), "scores": {}})
    assert not SHAPE.is_form_of({"claims": "none"})


def test_a_filled_in_form_is_a_valid_reply():
    reply = grounded_reply()
    form = {}
    for number, claim in enumerate(reply["claims"], start=2):
        form |= {f"claim.{number}.{name}": words for name, words in claim.items()}
    form |= {"claim.1.words": "Hello!", "claim.1.finding": "nothing", "reason": "A remark."}
    written = SHAPE.from_form(GROUNDED, None, "lib-1", form)
    assert written == {**reply, "notes": "A remark."}
    assert Checker(GROUNDED).check(as_json(written), GROUNDED_SAMPLE).valid


def test_a_sentence_that_a_person_left_open_is_missing_in_the_reply():
    form = {"claim.1.words": "Hello!", "claim.1.finding": "", "claim.2.words": "Dogs", "claim.2.finding": "absent"}
    assert SHAPE.from_form(GROUNDED, None, "lib-1", form) == {
        "claims": [{"words": "Dogs", "finding": "absent"}],
        "nothing_to_check": [],
    }


def test_a_person_in_a_protocol_that_cites_sentences_gives_their_numbers():
    form = {"claim.1.words": "Hello!", "claim.1.finding": "nothing", "claim.2.words": "The library opens at 10 am."}
    form |= {"claim.2.finding": "absent", "claim.3.finding": "supported", "claim.3.words": "图书可以借三周。"}
    form |= {"claim.3.source": "document-2", "claim.3.passage": "2"}
    assert SHAPE.from_form(CITING, None, "lib-1", form) == {
        "claims": [
            {"sentence": 2, "finding": "absent"},
            {"sentence": 3, "finding": "supported", "source": "document-2", "passage": 2},
        ],
        "nothing_to_check": [1],
    }


def test_a_judge_made_of_checks_is_told_which_judge_can_find_claims():
    with pytest.raises(RuleError) as caught:
        SHAPE.compose(GROUNDED_SAMPLE, GROUNDED, lambda *_: (), Signature("j", "h", "2026-01-01"))
    assert "matching" in caught.value.hint
