"""What is checked of a reply about a pair."""

import msgspec
import pytest

from judging_pairs import preference_reply
from valid_replies import JUDGE, PAIR, PREFERENCE, as_json
from venire.domain.judgement import EvidenceLevel, Method, Preference, Winner
from venire.domain.protocol import PairPolicy
from venire.domain.sample import make_pair
from venire.errors import UsageError
from venire.shapes.check import Checker
from venire.words.said import as_text

OUTPUTS = {"first": PAIR.samples[0].text, "second": PAIR.samples[1].text}


def check(change=lambda reply: None, protocol=PREFERENCE, winner="first", pair=PAIR, **terms):
    reply = preference_reply(winner, OUTPUTS)
    change(reply)
    return Checker(protocol, **terms).check(as_json(reply), pair, judge=JUDGE)


def rules_of(judgement):
    return [finding.rule for finding in judgement.findings if finding.flag is not None]


@pytest.mark.parametrize(("winner", "strength"), [("first", 2), ("second", 2), ("tie", 0)])
def test_a_good_reply_says_who_won_and_where_its_quotes_stand(winner, strength):
    judgement = check(winner=winner)
    assert judgement.valid, judgement.findings
    assert judgement.preference == Preference(Winner(winner), strength)
    assert judgement.verdict == winner
    assert judgement.overall is None
    assert not judgement.scores
    assert [(each.source, each.start, each.end, each.level) for each in judgement.evidence] == [
        (place, 0, 25, EvidenceLevel.EXACT) for place in OUTPUTS
    ]
    assert judgement.method is Method.CROSS_JUDGE


def test_a_quote_from_the_other_output_is_misplaced():
    judgement = check(lambda reply: reply["quotes"][0].update(quote=OUTPUTS["second"][:30]))
    assert rules_of(judgement) == ["evidence.not-verbatim"]
    assert "second" in str(judgement.findings[-1].found) or "second" in str(judgement.findings[0].found)
    assert not judgement.valid


@pytest.mark.parametrize("place", [0, 1])
def test_each_output_must_be_quoted(place):
    assert rules_of(check(lambda reply: reply["quotes"].pop(place))) == ["evidence.missing"]


def test_a_blank_quote_is_none():
    assert rules_of(check(lambda reply: reply["quotes"][1].update(quote=" "))) == ["evidence.missing"]


@pytest.mark.parametrize(("winner", "strength"), [("tie", 1), ("first", 0)])
def test_winner_and_strength_must_agree(winner, strength):
    judgement = check(lambda reply: reply.update(strength=strength), winner=winner)
    assert rules_of(judgement) == ["pair.strength"]


def test_a_tie_is_refused_where_the_protocol_forbids_it():
    strict = msgspec.structs.replace(PREFERENCE, pairs=PairPolicy(ties=False))
    judgement = check(winner="tie", protocol=strict)
    assert "contract.unknown-value" in rules_of(judgement)
    assert judgement.preference is msgspec.UNSET


def test_a_reason_for_each_dimension_is_asked_for_and_one_where_there_are_none():
    assert rules_of(check(lambda reply: reply["reasons"].pop("clarity"))) == ["contract.missing-field"]
    bare = msgspec.structs.replace(PREFERENCE, dimensions=())
    assert "contract.missing-field" in rules_of(check(protocol=bare))

    def with_one(reply):
        del reply["reasons"]
        reply["reason"] = "It is worth more."

    assert check(with_one, protocol=bare).valid


def test_a_winner_that_is_no_place_is_refused():
    judgement = check(lambda reply: reply.update(winner="A"))
    assert rules_of(judgement) == ["contract.unknown-value"]
    assert judgement.verdict is None


def test_a_judge_that_wrote_one_of_the_two_judges_itself():
    own = msgspec.structs.replace(PAIR.samples[1], target_model="GLM-4.7")
    assert check(pair=make_pair(PAIR.samples[0], own)).method is Method.SELF_JUDGE


def test_quotes_that_are_not_compared_are_noted_with_the_reason():
    without = Checker(PREFERENCE).check(as_json(preference_reply("first", OUTPUTS)), None)
    for judgement, reason in (
        (without, "no source for this sample"),
        (check(evidence=EvidenceLevel.OFF), "evidence off"),
    ):
        notes = [str(finding.found) for finding in judgement.findings if finding.rule == "evidence.unchecked"]
        assert notes == [reason]


def test_a_reply_that_is_no_json_is_invalid():
    assert not Checker(PREFERENCE).check("the first one", PAIR).valid


def test_a_single_sample_is_not_judged_by_it():
    with pytest.raises(UsageError, match="compares two outputs"):
        Checker(PREFERENCE).check("{}", PAIR.samples[0])


def test_other_forms_of_reply_are_kept_without_a_word_about_preferences():
    kept = check()
    encoded = msgspec.json.encode(kept, enc_hook=as_text)
    assert msgspec.json.decode(encoded, type=type(kept)).preference == kept.preference
    without = msgspec.structs.replace(kept, preference=msgspec.UNSET)
    assert b'"preference":' not in msgspec.json.encode(without, enc_hook=as_text)
