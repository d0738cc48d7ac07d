"""What jurors see: blinded outputs, in an order of their own."""

from __future__ import annotations

import msgspec
import pytest

from making_courts import Clock, open_bar, sample_of
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.ledger.subjects import subject_drafts
from venire.protocols.catalogue import find_protocol
from venire.server.court.vote_views import Docket
from venire.server.pages.reply_form import compose_reply, questions


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path, samples=12) as opened:
        yield opened


def docket(bar, name="juror"):
    return bar.ask("juror", "GET", "/api/v1/docket", name=name).json()


def vote(bar, item, name="juror"):
    return bar.ask("juror", "POST", "/api/v1/votes", name=name, json={"item": item, "vote": 1})


def test_nothing_on_a_ballot_tells_who_wrote_it(bar):
    text = bar.ask("juror", "GET", "/api/v1/docket").text

    assert "secretmodel" not in text.casefold()
    assert "■" in text
    item = docket(bar)["ballot"]["item"]
    assert "secretmodel" not in vote(bar, item).text.casefold()
    refused = vote(bar, item)
    assert refused.status_code == 409
    assert "secretmodel" not in refused.text.casefold()


def test_a_juror_cannot_vote_by_the_name_of_an_output(bar):
    assert vote(bar, "secretmodel-1").status_code == 404


def test_the_last_vote_is_shown_while_it_can_be_taken_back(tmp_path):
    clock = Clock()
    with open_bar(tmp_path, clock=clock) as bar:
        item = docket(bar)["ballot"]["item"]
        vote(bar, item)
        assert docket(bar)["last"]["item"] == item
        clock.advance(seconds=61)
        assert docket(bar)["last"] is None


@pytest.fixture
def by_dimensions(tmp_path):
    protocol = find_protocol("drift-sample")
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest)])
    samples = [sample_of(number) for number in range(2)]
    ledger.append([Draft(Kind.SAMPLE, {"sample": each}, each.digest) for each in samples])
    ledger.close()
    with open_bar(tmp_path, samples=0, vote_scale="protocol") as opened:
        yield opened


def judge(bar, item, reply):
    return bar.ask("juror", "POST", "/api/v1/votes/judgement", json={"item": item, "reply": reply})


def filled_in(bar, quote, score="2"):
    """Fill in the page's form as a juror does, and return the item and the reply."""
    ballot = msgspec.convert(docket(bar), Docket).ballot
    form = {}
    for question in questions(ballot):
        form |= {f"score.{question.id}": score, f"quote.{question.id}": quote, f"reason.{question.id}": "It shows it."}
    return ballot.item, compose_reply(ballot, form)


def test_a_juror_judges_by_dimensions_with_quotes(by_dimensions):
    bar = by_dimensions
    item, reply = filled_in(bar, "is fine", score="1")

    answer = judge(bar, item, reply).json()

    assert answer["status"] == "valid", answer["findings"]
    assert answer["evidence"][0]["start"] is not None
    assert docket(bar)["done"] == 1
    [vote] = bar.court.state.tally.frame()["vote"]
    assert vote == 0.5
    kept = [each.content for each in bar.court.state.ledger.read(kinds=[Kind.VOTE]) if "judgement" in each.content]
    assert kept[0]["reply"] == reply
    assert kept[0]["vote"]["rule"] == "overall"


def test_a_quote_that_is_not_in_the_text_makes_the_judgement_invalid(by_dimensions):
    item, reply = filled_in(by_dimensions, "words that nobody wrote")

    assert judge(by_dimensions, item, reply).json()["status"] == "invalid"
    assert by_dimensions.court.state.tally.votes == 0


def test_a_second_judgement_of_an_item_is_refused(by_dimensions):
    item, reply = filled_in(by_dimensions, "is fine")
    judge(by_dimensions, item, reply)

    assert judge(by_dimensions, item, reply).status_code == 409


def test_a_judgement_that_breaks_a_rule_comes_back_unrecorded(by_dimensions):
    bar = by_dimensions
    item = docket(bar)["ballot"]["item"]
    before = bar.court.state.head.sequence

    answer = judge(bar, item, "I like it").json()

    assert answer["status"] == "invalid"
    assert answer["findings"]
    assert bar.court.state.head.sequence == before
    assert docket(bar)["done"] == 0


def test_a_judgement_that_comes_back_does_not_tell_who_wrote_the_output(by_dimensions):
    item, reply = filled_in(by_dimensions, "words that nobody wrote")

    refused = judge(by_dimensions, item, reply)
    taken = judge(by_dimensions, *filled_in(by_dimensions, "is fine"))

    assert (refused.json()["sample"], refused.json()["sample_digest"]) == (item, "")
    assert (taken.json()["sample"], taken.json()["sample_digest"]) == (item, "")
    assert "secretmodel" not in (refused.text + taken.text).casefold()


def test_a_kept_judgement_names_the_output_and_its_sample(by_dimensions):
    bar = by_dimensions
    judge(bar, *filled_in(bar, "is fine"))

    [kept] = [each.content for each in bar.court.state.ledger.read(kinds=[Kind.VOTE]) if "judgement" in each.content]

    name = kept["vote"]["inference_id"]
    assert kept["judgement"]["sample"] == name
    assert kept["judgement"]["sample_digest"] == bar.court.state.index.sample(name).digest


def test_where_judgements_are_asked_for_a_plain_vote_is_refused(by_dimensions):
    item = docket(by_dimensions)["ballot"]["item"]

    assert vote(by_dimensions, item).status_code == 422
    batch = {"votes": [{"item": item, "vote": 1}]}
    assert by_dimensions.ask("juror", "POST", "/api/v1/votes/batch", json=batch).json()["accepted"] == 0
    assert by_dimensions.court.state.tally.votes == 0


def test_where_yes_or_no_is_asked_nothing_between_is_a_vote(bar):
    item = docket(bar)["ballot"]["item"]

    refused = bar.ask("juror", "POST", "/api/v1/votes", json={"item": item, "vote": 0.5})

    assert refused.status_code == 422
    assert "expected a vote of 0 (no) or 1 (yes), found 0.5" in refused.json()["detail"]


def test_a_juror_holds_an_output_against_its_documents_with_the_models_name_masked(tmp_path):
    protocol = find_protocol("grounded")
    document = Material("d", MaterialKind.DOCUMENT, "The shop of alder-1 opens at 9 am.")
    sample = Sample("o", "The shop opens at 9 am.", target_model="alder-1", materials=(document,))
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest), *subject_drafts(sample)])
    ledger.close()
    with open_bar(tmp_path, samples=0, vote_scale="protocol") as bar:
        ballot = msgspec.convert(docket(bar), Docket).ballot
        assert [each.text for each in ballot.materials] == ["The shop of ■■■■■■■ opens at 9 am."]
        page = bar.ask("juror", "GET", "/vote").text
        assert 'name="claim.1.finding"' in page
        assert '<option value="d">d</option>' in page
        form = {"claim.1.words": sample.text, "claim.1.finding": "supported", "claim.1.source": "d"}
        form["claim.1.passage"] = "opens at 9 am."
        answer = judge(bar, ballot.item, compose_reply(ballot, form)).json()
        assert answer["status"] == "valid", answer["findings"]
        [vote] = bar.court.state.tally.frame()["vote"]
        assert vote == 1


def test_a_juror_who_votes_yes_or_no_sees_what_stands_beside_the_output_with_names_masked_everywhere(tmp_path):
    materials = (
        Material("alder-1-notes", MaterialKind.DOCUMENT, "Opens at 9."),
        Material("Alder 1 notes", MaterialKind.DOCUMENT, "Opens at 10."),
        Material("turn-1", MaterialKind.TURN, "When?", "alder-1"),
    )
    sample = Sample("o", "At 9 am.", target_model="alder-1", materials=materials)
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append(list(subject_drafts(sample)))
    ledger.close()
    with open_bar(tmp_path, samples=0) as bar:
        shown = msgspec.convert(docket(bar), Docket).ballot.materials
        assert [(each.id, each.role, each.text) for each in shown] == [
            ("■■■■■■■-notes", "", "Opens at 9."),
            ("■■■■■■■ notes", "", "Opens at 10."),
            ("turn-1", "■■■■■■■", "When?"),
        ]
        page = bar.ask("juror", "GET", "/vote").text
        assert "Opens at 9." in page
        assert "alder" not in page.lower()


def test_a_juror_who_cites_sentences_sees_their_numbers_and_names_the_text(tmp_path):
    found = find_protocol("answer")
    protocol = msgspec.structs.replace(
        found, id="by-number", evidence=msgspec.structs.replace(found.evidence, cite="sentences")
    )
    reference = Material("r", MaterialKind.REFERENCE, "It is open. The shop opens at 9 am.")
    sample = Sample("o", "Hello. At 9 am.", materials=(reference,))
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest), *subject_drafts(sample)])
    ledger.close()
    with open_bar(tmp_path, samples=0, vote_scale="protocol") as bar:
        page = bar.ask("juror", "GET", "/vote").text
        assert '<b class="sentence">2</b>At 9 am.' in page
        assert '<b class="sentence">2</b>The shop opens' in page
        assert '<option value="r">r</option>' in page
        assert "Number of the sentence" in page
