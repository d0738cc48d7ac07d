"""Jurors who judge two outputs by a protocol: blind, on their own sides, checked like judges, and ranked with them."""

from __future__ import annotations

import json

import msgspec
import pytest

from making_courts import open_bar
from venire.domain.sample import Sample
from venire.inputs.pairs import PairPlan, read_pairs
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.ledger.subjects import subject_drafts
from venire.protocols.catalogue import find_protocol
from venire.server.court.vote_views import Docket
from venire.server.pages.reply_form import compose_reply
from venire.workflows.rank import rank_pairs

REASONS = {f"reason.{name}": "It says more." for name in ("correctness", "completeness", "clarity")}


@pytest.fixture
def bar(tmp_path):
    protocol = find_protocol("preference")
    samples = [
        Sample(
            f"{model}-{number}",
            f"Answer {number} by {model} is worth {worth}.",
            f"q{number}",
            target_model=model,
            task="Why?",
        )
        for number in range(4)
        for worth, model in enumerate(("alder", "birch", "cedar"))
    ]
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    pairs = list(read_pairs(samples, PairPlan(order="fixed"), seed=0, where="here", on_problem=None))
    drafts = [draft for each in (*samples, *pairs) for draft in subject_drafts(each)]
    ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest), *drafts])
    ledger.close()
    with open_bar(tmp_path, samples=0, vote_scale="protocol") as opened:
        yield opened


def ballot_of(bar, name="juror"):
    return msgspec.convert(bar.ask("juror", "GET", "/api/v1/docket", name=name).json(), Docket).ballot


def judge(bar, item, reply, name="juror"):
    return bar.ask("juror", "POST", "/api/v1/votes/judgement", name=name, json={"item": item, "reply": reply})


def worth(text):
    return int(text.split("worth ")[1][0])


def form_for(ballot, **more):
    """Fill the form in for the output of the higher worth."""
    winner = "first" if worth(ballot.text) > worth(ballot.second) else "second"
    quotes = {"quote.first": ballot.text[:8], "quote.second": ballot.second[-10:]}
    return {"winner": winner, "strength": "2", **REASONS, **quotes, **more}


def entries(bar):
    ledger = open_ledger(str(bar.court.state.options.ledger), read_only=True)
    found = [entry.content for entry in ledger.read(kinds=[Kind.VOTE]) if "vote" in entry.content]
    ledger.close()
    return found


def test_a_juror_sees_two_outputs_and_a_form_without_the_names_of_models(bar):
    ballot = ballot_of(bar)
    assert ballot.protocol.id == "preference"
    assert ballot.second is not None
    page = bar.ask("juror", "GET", "/vote").text
    assert "Which of these two outputs" in page
    for name in (
        'name="winner"',
        'name="strength"',
        'name="quote.first"',
        'name="quote.second"',
        'name="reason.clarity"',
    ):
        assert name in page
    assert not any(model in page for model in ("alder", "birch", "cedar"))


def test_a_judgement_is_recorded_with_its_reply_and_counts_for_the_output_whatever_its_side(bar):
    for number in range(20):  # Sides are drawn: all alike in one run of half a million.
        ballot = ballot_of(bar, name=f"juror {number}")
        answer = judge(bar, ballot.item, compose_reply(ballot, form_for(ballot)), name=f"juror {number}")
        assert answer.json()["status"] == "valid", answer.text
        assert not any(model in answer.text for model in ("alder", "birch", "cedar"))
    found = entries(bar)
    assert len(found) == 20
    assert len({entry["shown_first"] == entry["vote"]["inference_id"].split(" | ")[0] for entry in found}) == 2
    for entry in found:
        one, two = entry["vote"]["inference_id"].split(" | ")
        # Models are the better the later they come in the alphabet, so the output that is named second wins.
        assert (one < two, entry["vote"]["vote"], entry["vote"]["rule"]) == (True, 0.0, "winner")
        said = json.loads(entry["reply"])
        assert (said["winner"] == "first") == (entry["shown_first"] == two)
        kept = entry["judgement"]
        assert kept["sample"] == entry["vote"]["inference_id"]
        assert [each["source"] for each in kept["evidence"]] == ["first", "second"]
        assert kept["preference"]["strength"] == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"quote.second": "words that stand nowhere"}, "quote"),
        ({"quote.first": ""}, "quote"),
        ({"winner": ""}, "winner"),
        ({"strength": ""}, "strength"),
    ],
)
def test_what_a_judge_could_not_say_a_juror_cannot_either(bar, change, told):
    ballot = ballot_of(bar)
    reply = compose_reply(ballot, form_for(ballot, **change))
    answer = judge(bar, ballot.item, reply).json()
    assert answer["status"] == "invalid"
    assert any(told in finding["pointer"] for finding in answer["findings"]), answer["findings"]
    assert entries(bar) == []


def test_a_tie_needs_no_strength(bar):
    ballot = ballot_of(bar)
    reply = compose_reply(ballot, form_for(ballot, winner="tie", strength=""))
    assert judge(bar, ballot.item, reply).json()["status"] == "valid"
    assert entries(bar)[0]["vote"]["vote"] == 0.5


def test_a_plain_vote_is_refused_where_a_judgement_is_asked(bar):
    refused = bar.ask("juror", "POST", "/api/v1/votes", json={"item": ballot_of(bar).item, "vote": 1})
    assert refused.status_code == 422


def test_judgements_of_people_rank_models(bar, tmp_path):
    for number in range(4):
        for _ in range(12):
            ballot = ballot_of(bar, name=f"juror {number}")
            turned = {"winner": "tie"} if number == 3 else {}
            judge(bar, ballot.item, compose_reply(ballot, form_for(ballot, **turned)), name=f"juror {number}")
    found = rank_pairs(tmp_path / "ledger.sqlite", {}, by="people")
    assert [each.model for each in found.ranking.models] == ["cedar", "birch", "alder"]
    assert found.votes == 48
    standing = bar.ask("reader", "GET", "/").text
    assert "comparisons" in standing
