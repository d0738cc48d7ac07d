"""What outsiders can check: hashes, audits, checkpoints and proofs."""

from __future__ import annotations

import msgspec
import pytest

from making_courts import open_bar
from venire.ledger.audit import audit_chain
from venire.ledger.checkpoint import Checkpoint, create_key, verify_checkpoint
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.ledger.merkle import verify_inclusion
from venire.server.court.entry_views import EntryProof
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
