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


def open_link(registry):
    return registry.issue(CredentialKind.OPEN_LINK, Role.JUROR, lifetime=timedelta(days=30))


def test_each_browser_that_opens_an_open_link_is_a_juror_of_its_own(tmp_path):
    registry = Registry(tmp_path / "people", Clock())
    link = open_link(registry)
    first = registry.open_session(link.secret, timedelta(hours=1), name="Ada")
    second = registry.open_session(link.secret, timedelta(hours=1))

    ada, nameless = (registry.person_of(each.secret) for each in (first, second))
    assert ada.pseudonym != nameless.pseudonym
    assert (ada.name, nameless.name) == ("Ada", "")
    assert ada.role is nameless.role is Role.JUROR
    assert registry.person_of(link.secret) is None


def test_a_browser_that_opens_the_link_again_stays_who_it_was(tmp_path):
    registry = Registry(tmp_path / "people", Clock())
    link = open_link(registry)
    first = registry.open_session(link.secret, timedelta(hours=1))
    again = registry.open_session(link.secret, timedelta(hours=1), held=first.secret)

    assert registry.person_of(again.secret).pseudonym == first.credential.pseudonym
    assert registry.person_of(first.secret) is None


def test_a_session_of_another_link_makes_a_new_juror(tmp_path):
    registry = Registry(tmp_path / "people", Clock())
    first = registry.open_session(open_link(registry).secret, timedelta(hours=1))
    other = registry.open_session(open_link(registry).secret, timedelta(hours=1), held=first.secret)

    assert other.credential.pseudonym != first.credential.pseudonym
    assert registry.person_of(first.secret) is not None


def test_an_open_link_ends_with_all_that_came_by_it(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    link = open_link(registry)
    session = registry.open_session(link.secret, timedelta(hours=1))
    clock.advance(days=29)
    assert registry.person_of(session.secret) is not None
    registry.revoke(link.credential.id)

    assert registry.person_of(session.secret) is None
    assert registry.open_session(link.secret, timedelta(hours=1)) is None
