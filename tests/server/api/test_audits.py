"""How outsiders check the ledger over HTTP."""

from __future__ import annotations

import base64

import pytest

from making_courts import open_bar
from venire.ledger.checkpoint import create_key
from venire.ledger.entry import Entry, Kind
from venire.ledger.hashing import verify_chain


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    public_key = create_key(folder / "key")
    with open_bar(folder, signing_key=folder / "key") as opened:
        opened.public_key = public_key
        for number in range(9):
            body = {"item": "secretmodel-1", "vote": 1, "voter_id": f"voter-{number}"}
            opened.ask("operator", "POST", "/api/v1/votes", json=body)
        yield opened


def read_entries(bar, limit):
    after = 0
    while after is not None:
        page = bar.ask("reader", "GET", f"/api/v1/audit/entries?after={after}&limit={limit}").json()
        yield from page["items"]
        after = page.get("next_after")


def entry_of(shown):
    payload, blob = base64.b64decode(shown["payload"]), base64.b64decode(shown["blob"])
    return Entry(**{**shown, "kind": Kind(shown["kind"]), "payload": payload, "blob": blob})


@pytest.mark.parametrize("limit", [1, 4, 500])
def test_entries_can_be_checked_on_the_other_side(bar, limit):
    report = verify_chain(entry_of(shown) for shown in read_entries(bar, limit))

    assert report.first_broken is None
    assert report.head == bar.court.state.ledger.head()


@pytest.mark.parametrize("path", ["/api/v1/proof/100000", "/api/v1/proof/1?size=100000"])
def test_there_is_no_proof_of_what_is_not_there(bar, path):
    assert bar.ask("reader", "GET", path).status_code == 404


def test_without_a_key_there_are_no_checkpoints(tmp_path):
    with open_bar(tmp_path) as bar:
        answer = bar.ask("reader", "GET", "/api/v1/checkpoint")

        assert answer.status_code == 404
        assert "--signing-key" in answer.json()["hint"]
