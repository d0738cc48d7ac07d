"""Keys and invitations over HTTP."""

from __future__ import annotations

from datetime import timedelta


def test_an_operator_invites_and_revokes(bar):
    made = bar.ask("operator", "POST", "/api/v1/invitations", json={"name": "Ann", "hours": 1}).json()
    secret = made["link"].partition("#")[2]
    session = bar.court.registry.open_session(secret, timedelta(hours=1))
    assert session.credential.pseudonym == made["credential"]["pseudonym"]

    revoked = bar.ask("operator", "DELETE", f"/api/v1/credentials/{made['credential']['id']}")

    assert revoked.status_code == 204
    assert bar.ask("curator", "GET", "/api/v1/invitations").json()["items"] == []
    assert bar.court.registry.person_of(session.secret) is None


def test_what_is_not_there_cannot_be_revoked_or_freed(bar):
    assert bar.ask("operator", "DELETE", "/api/v1/credentials/none").status_code == 404
    assert bar.ask("curator", "POST", "/api/v1/invitations/none/free").status_code == 404
