"""Votes over HTTP: durable, one for each juror, item and round, taken back in time."""

from __future__ import annotations

import pytest

from making_courts import Clock, open_bar
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.votes.entries import read_ledger_votes

VOTES = "/api/v1/votes"


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path) as opened:
        yield opened


def next_item(bar, name=""):
    return bar.ask("juror", "GET", "/api/v1/docket", name=name).json()["ballot"]["item"]


def vote(bar, item, value=1.0, *, name="", key=None, **more):
    headers = {"idempotency-key": key} if key else {}
    return bar.ask("juror", "POST", VOTES, name=name, headers=headers, json={"item": item, "vote": value, **more})


def test_a_vote_is_in_the_ledger_when_it_is_confirmed(bar, tmp_path):
    answer = vote(bar, next_item(bar), 1.0, reason="it is right")

    assert answer.status_code == 201
    [found] = [each for each in bar.court.state.ledger.read(kinds=[Kind.VOTE]) if "vote" in each.content]
    assert bar.court.state.secret.receipt_key(found.key) == answer.json()["key"]
    assert found.content["vote"]["vote"] == 1.0
    assert found.content["reason"] == "it is right"
    assert found.content["vote"]["voter_id"] == bar.pseudonym("juror")


def test_a_second_vote_on_an_item_is_refused(bar):
    item = next_item(bar)
    vote(bar, item, 1.0)

    again = vote(bar, item, 0.0)

    assert again.status_code == 409
    assert again.headers["content-type"] == "application/problem+json"
    assert bar.court.state.tally.votes == 1


def test_by_policy_a_second_vote_is_a_recorded_change(tmp_path):
    with open_bar(tmp_path, second_vote="change") as bar:
        item = next_item(bar)
        first = vote(bar, item, 1.0).json()
        second = vote(bar, item, 0.0).json()

        assert second["replaces"] == first["key"]
        assert bar.court.state.tally.votes == 1
    counted = read_ledger_votes(open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True))
    assert counted.frame["vote"].drop_nulls().to_list() == [0.0]


def test_an_undone_vote_no_longer_counts_but_stays_in_the_ledger(tmp_path):
    with open_bar(tmp_path) as bar:
        item = next_item(bar)
        vote(bar, item, 1.0)
        before = bar.court.state.head.sequence

        assert bar.ask("juror", "POST", f"{VOTES}/undo").status_code == 200

        assert bar.court.state.tally.votes == 0
        assert bar.court.state.head.sequence == before + 1
        assert next_item(bar) == item
    counted = read_ledger_votes(open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True))
    assert counted.frame["vote"].drop_nulls().to_list() == []
    assert counted.superseded == 1


def test_after_an_undo_the_juror_may_vote_again(bar):
    item = next_item(bar)
    vote(bar, item, 1.0)
    bar.ask("juror", "POST", f"{VOTES}/undo")

    assert vote(bar, item, 0.0).status_code == 201


def test_after_a_minute_a_vote_stands(tmp_path):
    clock = Clock()
    with open_bar(tmp_path, clock=clock) as bar:
        vote(bar, next_item(bar))
        clock.advance(seconds=61)

        assert bar.ask("juror", "POST", f"{VOTES}/undo").status_code == 409
        assert bar.court.state.tally.votes == 1


def test_a_request_repeated_under_its_key_is_done_once(bar):
    item = next_item(bar)

    first, second = vote(bar, item, 1.0, key="k1"), vote(bar, item, 1.0, key="k1")

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["key"] == second.json()["key"]
    assert bar.court.state.tally.votes == 1


def test_a_repeated_request_is_known_after_a_restart(tmp_path):
    with open_bar(tmp_path) as bar:
        item = next_item(bar)
        first, secret = vote(bar, item, 1.0, key="k1").json(), bar.secret("juror")
    with open_bar(tmp_path) as bar:
        bar.secrets["juror"] = secret
        second = vote(bar, item, 1.0, key="k1")

        assert second.status_code == 201
        assert second.json()["key"] == first["key"]


def test_an_idempotency_key_cannot_be_used_for_another_vote(bar):
    item = next_item(bar)
    vote(bar, item, 1.0, key="k1")

    assert vote(bar, item, 0.0, key="k1").status_code == 422


def test_the_same_key_of_two_jurors_is_two_requests(bar):
    item = next_item(bar, "a")

    assert vote(bar, item, 1.0, name="a", key="k1").status_code == 201
    assert vote(bar, item, 1.0, name="b", key="k1").status_code == 201
    assert bar.court.state.tally.votes == 2


def test_a_batch_names_what_it_refuses_and_records_the_rest(bar):
    first = next_item(bar)
    votes = [{"item": first, "vote": 1}, {"item": first, "vote": 0}, {"item": "item-none", "vote": 1}]

    result = bar.ask("juror", "POST", f"{VOTES}/batch", json={"votes": votes}).json()

    assert (result["accepted"], result["refused"]) == (1, 2)
    assert [each["problem"]["status"] for each in result["outcomes"] if each.get("problem")] == [409, 404]
    assert result["outcomes"][0]["receipt"]["item"] == first


def test_a_repeated_batch_is_recorded_once(bar):
    votes = {"votes": [{"item": f"other-{number}", "vote": 1, "voter_id": "v"} for number in range(5)]}
    for _ in range(2):
        answer = bar.ask("operator", "POST", f"{VOTES}/batch", json=votes, headers={"idempotency-key": "b1"}).json()
        assert answer["accepted"] == 5

    assert bar.court.state.tally.votes == 5


def test_an_operator_brings_votes_of_others(bar):
    body = {"item": "secretmodel-1", "vote": 0.25, "voter_id": "ann", "vote_time": "2025-01-31T12:00:00+01:00"}

    assert bar.ask("operator", "POST", VOTES, json=body).status_code == 201

    frame = bar.court.state.tally.frame()
    assert frame.select("inference_id", "voter_id", "vote").rows() == [("secretmodel-1", "ann", 0.25)]


@pytest.mark.parametrize("more", [{"voter_id": "somebody"}, {"reputation": 5}, {"vote_time": "2025-01-31T12:00:00Z"}])
def test_a_juror_votes_in_the_own_name_and_now(bar, more):
    assert vote(bar, next_item(bar), 1.0, **more).status_code == 422


def test_a_vote_of_the_far_future_is_refused(bar):
    body = {"item": "x", "vote": 1, "voter_id": "ann", "vote_time": "9999-01-31T12:00:00Z"}

    assert bar.ask("operator", "POST", VOTES, json=body).status_code == 422


@pytest.mark.parametrize("value", [-0.1, 1.5, "yes", None])
def test_what_is_no_vote_is_refused_with_its_place(bar, value):
    answer = vote(bar, next_item(bar), value)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["key"] == "vote"


def test_a_read_only_court_refuses_votes_and_says_why(tmp_path):
    with open_bar(tmp_path):
        pass
    with open_bar(tmp_path, read_only=True) as bar:
        answer = vote(bar, next_item(bar))

        assert answer.status_code == 503
        assert "open for reading only" in answer.json()["detail"]


def test_a_failed_commit_leaves_the_place_free(bar, monkeypatch):
    item = next_item(bar)

    def fail(seen, decide):
        from venire.errors import LedgerError

        raise LedgerError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(bar.court.state.ledger, "append_after", fail)
        refused = vote(bar, item)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert "disk" not in refused.text
    assert vote(bar, item).status_code == 201


def test_after_a_restart_a_vote_can_still_be_taken_back(tmp_path):
    with open_bar(tmp_path) as bar:
        item, secret = next_item(bar), bar.secret("juror")
        vote(bar, item, 1.0)
    with open_bar(tmp_path) as bar:
        bar.secrets["juror"] = secret

        assert bar.ask("juror", "POST", f"{VOTES}/undo").status_code == 200
        assert bar.court.state.tally.votes == 0
        assert bar.ask("juror", "POST", f"{VOTES}/undo").status_code == 409


def test_an_abstention_is_on_record_and_counts_for_nothing(tmp_path):
    with open_bar(tmp_path) as bar:
        item = next_item(bar)
        assert bar.ask("juror", "POST", f"{VOTES}/skip", json={"item": item}).status_code == 204
        assert bar.court.state.tally.votes == 0
        assert bar.ask("reader", "GET", "/api/v1/scores").json()["items"] == []
    counted = read_ledger_votes(open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True))
    assert counted.frame["vote"].to_list() == [None]
