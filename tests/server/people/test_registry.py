"""Keys, invitations and sessions, and how their secrets are kept."""

from __future__ import annotations

from datetime import timedelta

from making_courts import Clock, by_cookie, enter
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry


def test_revoking_an_invitation_ends_its_sessions(bar):
    cookie, _, _ = enter(bar)
    invitation = bar.court.registry.person_of(bar.secret("juror")).credential

    assert bar.ask("operator", "DELETE", f"/api/v1/credentials/{invitation}").status_code == 204
    assert by_cookie(bar, "GET", "/api/v1/me", cookie).status_code == 401


def test_an_invitation_expires(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=timedelta(days=7))
    clock.advance(days=8)

    assert registry.open_session(issued.secret, timedelta(hours=1)) is None
    assert registry.person_of(issued.secret) is None


def test_a_session_does_not_outlive_the_invitation_that_it_came_from(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=timedelta(hours=1))
    session = registry.open_session(issued.secret, timedelta(hours=12))
    clock.advance(minutes=61)

    assert session.credential.expires_at == issued.credential.expires_at
    assert registry.person_of(session.secret) is None


def test_secrets_are_kept_as_digests_only(bar, tmp_path):
    enter(bar)
    bar.court.registry.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("people.sqlite*"))

    assert bar.secret("juror").encode() not in kept
    assert bar.secret("juror").removeprefix("vi_").encode() not in kept


def test_a_key_is_256_random_bits(bar):
    import base64

    assert len(base64.urlsafe_b64decode(bar.secret("reader").removeprefix("vk_") + "=")) == 32
