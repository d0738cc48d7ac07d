"""People compare two outputs: blinded, on random sides, counted by the outputs' names, and ranked."""

import asyncio
import math

import msgspec
import pytest

from making_courts import Clock, open_bar
from venire.domain.protocol import PairPolicy
from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt
from venire.inputs.pairs import PairPlan, read_pairs
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.protocols.catalogue import find_protocol
from venire.server.court.compared import PairIndex, blind_pair
from venire.server.people.court_secret import CourtSecret
from venire.votes.entries import read_ledger_votes
from venire.workflows.import_votes import open_voting

PROMPT = VoterPrompt("prefer", "Which is better?")
WORTH = {"oakmodel": 3, "elmmodel": 2, "ashmodel": 1}


def write_pairs(folder, questions=4, protocol=None):
    samples = [
        Sample(
            output_id=f"{model}-{number}",
            text=f"Answer {number} of {model}, worth {worth}.",
            question_id=f"q{number}",
            target_model=model,
            task=f"What do you say to question {number}?",
        )
        for number in range(questions)
        for model, worth in WORTH.items()
    ]
    ledger = open_ledger(str(folder / "ledger.sqlite"))
    open_voting(ledger, samples, PROMPT)
    pairs = list(read_pairs(samples, PairPlan(order="both"), seed=1, where="here", on_problem=None))
    assert open_voting(ledger, pairs, PROMPT) == 2 * 3 * questions
    if protocol is not None:
        ledger.append([Draft(Kind.PROTOCOL, protocol, protocol.digest)])
    ledger.close()


def open_pairs(folder, **terms):
    return open_bar(folder, vote_scale="pairs", voter_prompt=PROMPT, **terms)


def docket(bar, name="juror"):
    return bar.ask("juror", "GET", "/api/v1/docket", name=name).json()


def worth(text):
    return int(text.rpartition("worth ")[2].rstrip("."))


def vote(bar, name="juror", *, prefers=lambda first, second: float(first > second)):
    """Vote on the next pair for the side that is worth more; return the ballot and the receipt."""
    ballot = docket(bar, name)["ballot"]
    given = prefers(worth(ballot["text"]), worth(ballot["second"]))
    answer = bar.ask("juror", "POST", "/api/v1/votes", name=name, json={"item": ballot["item"], "vote": given})
    assert answer.status_code == 201, answer.text
    return ballot, answer.json()


def votes_in(folder):
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    found = [entry.content for entry in ledger.read(kinds=[Kind.VOTE]) if "vote" in entry.content]
    ledger.close()
    return found


def test_each_two_outputs_are_one_pair_in_whatever_orders_the_ledger_holds_them(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        assert docket(bar)["total"] == 12
        assert len(bar.court.state.index.samples) == 12


def test_a_juror_sees_two_outputs_and_nothing_of_who_wrote_them(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        ballot = docket(bar)["ballot"]
    assert ballot["scale"] == "pairs"
    assert ballot["ties"] is True
    shown = " ".join((ballot["item"], ballot["text"], ballot["second"], ballot["task"])).casefold()
    assert not any(model in shown for model in WORTH)


def test_sides_are_drawn_for_each_juror_and_pair_and_stay(tmp_path):
    secret = CourtSecret(b"secret")
    sides = {juror: [secret.is_swapped(juror, f"item-{number}") for number in range(40)] for juror in ("ada", "bob")}
    assert sides["ada"] != sides["bob"]
    assert 10 <= sum(sides["ada"]) <= 30
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        assert docket(bar)["ballot"] == docket(bar)["ballot"]


def test_a_vote_is_counted_by_names_whatever_side_it_was_given_for_and_the_receipt_says_the_side(tmp_path):
    write_pairs(tmp_path, questions=8)
    with open_pairs(tmp_path) as bar:
        cast = [vote(bar) for _ in range(24)]
        done = docket(bar)
    recorded = votes_in(tmp_path)
    swapped = 0
    for (ballot, receipt), content in zip(cast, recorded, strict=True):
        first, second = content["vote"]["inference_id"].split(" | ")
        is_first = WORTH[first.partition("-")[0]] > WORTH[second.partition("-")[0]]
        assert content["vote"]["vote"] == float(is_first)
        assert receipt["vote"] == float(worth(ballot["text"]) > worth(ballot["second"]))
        assert content["shown_first"] == (first if receipt["vote"] == content["vote"]["vote"] else second)
        swapped += content["shown_first"] == second
    assert 0 < swapped < 24
    assert done["ballot"] is None
    assert done["done"] == done["total"] == 24


def test_undoing_says_the_side_that_was_chosen_and_shows_the_same_pair_again(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        ballot, receipt = vote(bar)
        assert docket(bar)["last"]["vote"] == receipt["vote"]
        assert bar.ask("juror", "POST", "/api/v1/votes/undo").status_code == 200
        assert docket(bar)["ballot"] == ballot


def test_a_tie_is_half_and_anything_else_is_refused(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        _, receipt = vote(bar, prefers=lambda _first, _second: 0.5)
        assert receipt["vote"] == 0.5
        item = docket(bar)["ballot"]["item"]
        refused = bar.ask("juror", "POST", "/api/v1/votes", json={"item": item, "vote": 0.7})
        assert refused.status_code == 422
        assert "0.5 for neither" in refused.json()["detail"]


def test_ties_are_refused_where_the_protocol_of_the_pairs_forbids_them(tmp_path):
    protocol = msgspec.structs.replace(find_protocol("preference"), pairs=PairPolicy(ties=False))
    write_pairs(tmp_path, protocol=protocol)
    with open_pairs(tmp_path) as bar:
        ballot = docket(bar)["ballot"]
        assert ballot["ties"] is False
        refused = bar.ask("juror", "POST", "/api/v1/votes", json={"item": ballot["item"], "vote": 0.5})
        assert refused.status_code == 422
        assert "ties are not allowed" in refused.json()["detail"]


def test_votes_on_pairs_give_models_in_order_with_their_chance_to_win(tmp_path):
    write_pairs(tmp_path, questions=12)

    with open_pairs(tmp_path) as bar:
        for name in ("ada", "bob"):
            for _ in range(36):
                number = int(docket(bar, name)["ballot"]["task"].rstrip("?").rpartition(" ")[2])
                is_wrong = number % 4 == 0
                vote(bar, name, prefers=lambda first, second, wrong=is_wrong: float((first > second) != wrong))
        standing = asyncio.run(bar.court.vote_standing())
    assert standing.compares
    assert not standing.reason
    assert [each.model for each in standing.models] == sorted(WORTH, key=WORTH.get, reverse=True)
    best = standing.models[0]
    assert 0 < best.low < best.score < best.high < 1
    assert best.score > 0.6
    assert (best.votes, best.outputs, best.voters) == (48, 24, 2)
    logits = [math.log(each.score / (1 - each.score)) for each in standing.models]
    assert sum(logits) == pytest.approx(0, abs=1e-9)
    assert standing.votes_needed == 36  # three votes for each of 36 pairs, of which two are there


def test_models_that_always_win_have_shares_of_points_and_the_reason_why_no_strength(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        for _ in range(12):
            vote(bar)
        standing = asyncio.run(bar.court.vote_standing())
    assert standing.reason
    assert [(each.model, each.score, each.low) for each in standing.models] == [
        ("oakmodel", 1.0, None), ("elmmodel", 0.5, None), ("ashmodel", 0.0, None),
    ]  # fmt: skip
    assert not standing.is_led


def test_curators_see_both_outputs_of_a_pair_that_is_disputed(tmp_path):
    write_pairs(tmp_path, questions=1)
    clock = Clock()
    with open_pairs(tmp_path, clock=clock) as bar:
        for name, prefers in (("ada", 1), ("bob", 0), ("cy", 1)):
            for _ in range(3):
                vote(bar, name, prefers=lambda first, second, sign=prefers: float((first > second) == bool(sign)))
        queued = bar.ask("curator", "GET", "/api/v1/queue").json()
        page = bar.ask("curator", "GET", "/queue").text
    assert len(queued) == 3
    assert "a vote of 1 is for it" in page
    assert "of elmmodel, worth 2" in page


def test_a_ledger_without_pairs_has_nothing_to_compare(tmp_path):
    with open_bar(tmp_path, vote_scale="pairs") as bar:
        found = docket(bar)
    assert (found["ballot"], found["total"]) == (None, 0)


def test_a_server_that_is_opened_again_goes_on_where_jurors_were(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        ballot, _ = vote(bar)
        key, following = bar.secrets["juror"], docket(bar)["ballot"]
    with open_pairs(tmp_path) as bar:
        bar.secrets["juror"] = key
        assert docket(bar)["done"] == 1
        assert docket(bar)["ballot"] == following != ballot


def test_votes_of_the_ledger_keep_their_columns(tmp_path):
    write_pairs(tmp_path)
    with open_pairs(tmp_path) as bar:
        vote(bar)
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True)
    frame = read_ledger_votes(ledger).frame
    ledger.close()
    assert frame.height == 1
    assert " | " in frame["inference_id"].cast(str)[0]


def test_two_outputs_of_one_name_are_no_pair():
    index = PairIndex(CourtSecret(b"secret"))
    first = Sample(output_id="a", text="x", target_model="m")
    index.add([first, first], [0, 0])
    assert index.listed == []


def test_the_names_of_both_models_are_masked_in_both_texts():
    first = Sample(output_id="a", text="I am oakmodel, better than elmmodel.", target_model="oakmodel", task="t")
    second = Sample(output_id="b", text="I am elmmodel.", target_model="elmmodel", task="t")
    shown = blind_pair(first, second, frozenset())
    assert "oakmodel" not in shown.first + shown.second
    assert "elmmodel" not in shown.first + shown.second
