"""The queue: what waits, what curators decide, and what another round means."""

from __future__ import annotations

import pytest

from making_courts import Clock, open_bar
from venire.ledger.location import open_ledger
from venire.votes.entries import read_ledger_votes
from venire.votes.queue import vote_queue

QUEUE = "/api/v1/queue"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bar(tmp_path, clock):
    with open_bar(tmp_path, clock=clock) as opened:
        yield opened


def disagree(bar, item="secretmodel-1", *, voters=("ann", "ben", "cid", "dan"), reason=""):
    for number, voter in enumerate(voters):
        body = {"item": item, "vote": number % 2, "voter_id": voter, "reason": reason}
        assert bar.ask("operator", "POST", "/api/v1/votes", json=body).status_code == 201


def decide(bar, outcome, item="secretmodel-1"):
    body = {"inference_id": item, "outcome": outcome, "note": "seen"}
    return bar.ask("curator", "POST", f"{QUEUE}/decisions", json=body)


def waiting(bar):
    return [item["inference_id"] for item in bar.ask("reader", "GET", QUEUE).json()["items"]]


def test_an_item_on_which_jurors_disagree_waits_with_its_votes(bar):
    disagree(bar, reason="because")

    [item] = bar.ask("reader", "GET", QUEUE).json()["items"]

    assert item["inference_id"] == "secretmodel-1"
    assert [(vote["voter"], vote["vote"], vote["reason"]) for vote in item["votes"]] == [
        ("ann", 0.0, "because"),
        ("ben", 1.0, "because"),
        ("cid", 0.0, "because"),
        ("dan", 1.0, "because"),
    ]
    assert sum(vote["weight"] for vote in item["votes"]) == pytest.approx(1)
    assert item["variance"] == 0.25
    assert item["text"].startswith("The answer 1")


def test_the_most_disputed_item_comes_first(bar):
    disagree(bar, "secretmodel-0", voters=("a", "b", "c"))
    disagree(bar, "secretmodel-2", voters=("a", "b", "c", "d"))
    disagree(bar, "secretmodel-1", voters=("a", "b"))  # One against one is no dispute yet.

    assert waiting(bar) == ["secretmodel-2", "secretmodel-0"]


@pytest.mark.parametrize("outcome", ["accept", "reject", "ambiguous"])
def test_a_decision_settles_an_item_for_good(bar, clock, outcome):
    disagree(bar)

    assert decide(bar, outcome).status_code == 201
    clock.advance(hours=1)
    disagree(bar, voters=("eve", "fay"))

    assert waiting(bar) == []


def test_a_decided_item_cannot_be_decided_again(bar):
    disagree(bar)
    decide(bar, "accept")

    assert decide(bar, "reject").status_code == 409


def test_what_jurors_agree_on_cannot_be_decided(bar):
    disagree(bar, voters=("ann",))

    assert decide(bar, "accept").status_code == 409


def test_another_round_lets_everybody_vote_again_and_may_wait_again(bar, clock):
    disagree(bar)
    again = {"item": "secretmodel-1", "vote": 1, "voter_id": "ann"}
    assert bar.ask("operator", "POST", "/api/v1/votes", json=again).status_code == 409
    decide(bar, "another-round")
    assert waiting(bar) == []

    clock.advance(hours=1)
    disagree(bar)

    assert waiting(bar) == ["secretmodel-1"]
    assert bar.ask("reader", "GET", QUEUE).json()["items"][0]["round"] == 2


def test_a_juror_sees_an_item_again_in_another_round(tmp_path):
    with open_bar(tmp_path, samples=1) as bar:
        for name, value in ("a", 0), ("b", 1), ("c", 0):
            item = bar.ask("juror", "GET", "/api/v1/docket", name=name).json()["ballot"]["item"]
            bar.ask("juror", "POST", "/api/v1/votes", name=name, json={"item": item, "vote": value})
        assert bar.ask("juror", "GET", "/api/v1/docket", name="a").json()["ballot"] is None

        decide(bar, "another-round", "secretmodel-0")

        again = bar.ask("juror", "GET", "/api/v1/docket", name="a").json()
        assert (again["ballot"]["item"], again["ballot"]["round"], again["done"]) == (item, 2, 0)


def test_rounds_and_decisions_are_known_after_a_restart(tmp_path, clock):
    with open_bar(tmp_path, clock=clock) as bar:
        disagree(bar)
        decide(bar, "another-round")
    with open_bar(tmp_path, clock=clock) as bar:
        assert waiting(bar) == []
        clock.advance(hours=1)
        disagree(bar)
        assert waiting(bar) == ["secretmodel-1"]


def test_the_queue_is_that_of_the_command_line(tmp_path, clock):
    with open_bar(tmp_path, clock=clock) as bar:
        disagree(bar, "secretmodel-0")
        disagree(bar, "secretmodel-1")
        disagree(bar, "secretmodel-2", voters=("a", "b", "c"))
        decide(bar, "accept", "secretmodel-1")
        shown = waiting(bar)
    votes = read_ledger_votes(open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True))

    assert shown == [item.inference_id for item in vote_queue(votes)]
