"""What outsiders can check: hashes, audits, checkpoints and proofs."""

from __future__ import annotations

import base64

import msgspec
import pytest

from making_courts import open_bar, write_samples
from venire.ledger.audit import audit_chain
from venire.ledger.checkpoint import Checkpoint, create_key, verify_checkpoint
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.hashing import verify_chain
from venire.ledger.location import open_ledger
from venire.ledger.merkle import verify_inclusion
from venire.server.court.entry_views import EntryProof
from venire.server.options import DEFAULT_PROMPT
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind


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


def test_the_audit_is_the_local_one(bar):
    found = bar.ask("reader", "GET", "/api/v1/audit").json()
    local = audit_chain(bar.court.state.ledger)

    assert found["intact"] is True
    assert (found["count"], found["merkle_root"]) == (local.count, local.merkle_root)


def test_a_checkpoint_is_signed_and_agrees_with_the_ledger(bar):
    checkpoint = msgspec.convert(bar.ask("reader", "GET", "/api/v1/checkpoint").json(), Checkpoint)

    verify_checkpoint(checkpoint, bar.public_key)
    assert audit_chain(bar.court.state.ledger, [checkpoint]).intact


def test_an_operator_records_that_a_checkpoint_was_handed_out(bar):
    signed = bar.ask("operator", "POST", "/api/v1/checkpoint").json()

    kept = list(bar.court.state.ledger.read(kinds=[Kind.CHECKPOINT]))
    assert kept[-1].content == signed


def test_a_proof_leads_from_each_entry_to_the_root(bar):
    for entry in list(bar.court.state.ledger.read()):
        found = msgspec.convert(bar.ask("reader", "GET", f"/api/v1/proof/{entry.sequence}").json(), EntryProof)
        assert verify_inclusion(entry.hash, found.proof, found.merkle_root)


def test_a_proof_leads_to_the_root_of_an_older_checkpoint(bar):
    checkpoint = bar.ask("reader", "GET", "/api/v1/checkpoint").json()
    bar.ask("operator", "POST", "/api/v1/votes", json={"item": "x", "vote": 1})

    found = bar.ask("reader", "GET", f"/api/v1/proof/3?size={checkpoint['sequence']}").json()

    assert found["merkle_root"] == checkpoint["merkle_root"]


@pytest.mark.parametrize("path", ["/api/v1/proof/100000", "/api/v1/proof/1?size=100000"])
def test_there_is_no_proof_of_what_is_not_there(bar, path):
    assert bar.ask("reader", "GET", path).status_code == 404


def test_without_a_key_there_are_no_checkpoints(tmp_path):
    with open_bar(tmp_path) as bar:
        answer = bar.ask("reader", "GET", "/api/v1/checkpoint")

        assert answer.status_code == 404
        assert "--signing-key" in answer.json()["hint"]


def test_deleting_everything_about_people_breaks_no_link(tmp_path):
    with open_bar(tmp_path) as bar:
        invited = bar.court.registry.issue(CredentialKind.KEY, Role.JUROR, name="Ada Lovelace")
        bar.secrets["juror"] = invited.secret
        item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
        assert bar.ask("juror", "POST", "/api/v1/votes", json={"item": item, "vote": 1}).status_code == 201
    for path in tmp_path.glob("people.sqlite*"):
        path.unlink()

    assert b"Ada" not in (tmp_path / "ledger.sqlite").read_bytes()
    assert audit_chain(open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True)).intact
    with open_bar(tmp_path) as bar:
        assert bar.ask("reader", "GET", "/api/v1/overview").json()["votes"] == 1


def test_forgetting_one_person_leaves_the_votes(tmp_path):
    with open_bar(tmp_path) as bar:
        item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
        bar.ask("juror", "POST", "/api/v1/votes", json={"item": item, "vote": 1})

        bar.court.registry.forget(bar.pseudonym("juror"))

        assert bar.ask("juror", "GET", "/api/v1/docket").status_code == 401
        assert bar.ask("reader", "GET", "/api/v1/overview").json()["votes"] == 1


def test_a_court_knows_the_end_of_a_ledger_also_if_nothing_is_counted_there(tmp_path):
    write_samples(tmp_path / "ledger.sqlite", 2)
    ledger = open_ledger(str(tmp_path / "ledger.sqlite"))
    ledger.append([Draft(Kind.VOTE, {"voter_prompt": DEFAULT_PROMPT}, f"voter-prompt:{DEFAULT_PROMPT.id}")])
    end = ledger.append([Draft(Kind.REPLY, {"text": "not read when a court opens"}, "task")])
    ledger.close()

    with open_bar(tmp_path) as bar:
        assert bar.court.state.head == end
