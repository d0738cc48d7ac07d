"""An invitation is one juror's, in one browser: a forwarded link does not continue somebody's ballot."""

from __future__ import annotations

from datetime import timedelta

import pytest
from click.testing import CliRunner

from making_courts import HOST, Clock, open_bar
from venire.cli.keys import keys
from venire.errors import InUseError, UsageError
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry

HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)


@pytest.fixture
def bar(tmp_path):
    with open_bar(tmp_path) as opened:
        yield opened


@pytest.fixture
def invited(bar):
    return bar.court.registry.issue(CredentialKind.INVITATION, Role.JUROR, name="Ada", lifetime=WEEK)


def enter(bar, secret, cookie="", **headers):
    bar.http.cookies.clear()
    said = {"host": HOST, "accept": "text/html", **headers}
    if cookie:
        token = bar.court.registry.person_of(cookie).csrf_token
        said |= {"cookie": f"venire_session={cookie}", "x-csrf-token": token}
    return bar.http.request("POST", "/login", headers=said, data={"secret": secret}, follow_redirects=False)


def is_in(bar, cookie):
    bar.http.cookies.clear()
    said = {"host": HOST, "cookie": f"venire_session={cookie}"}
    return bar.http.request("GET", "/api/v1/docket", headers=said).status_code == 200


def test_a_second_browser_is_told_that_the_link_is_in_use(bar, invited):
    first = enter(bar, invited.secret).cookies["venire_session"]

    second = enter(bar, invited.secret)

    assert second.status_code == 409
    assert "This link is in use" in second.text
    assert invited.credential.id in second.text
    assert "Ada" not in second.text
    assert "set-cookie" not in second.headers
    assert is_in(bar, first)


def test_it_is_told_in_chinese(bar, invited):
    enter(bar, invited.secret)

    assert "此链接正在使用" in enter(bar, invited.secret, **{"accept-language": "zh"}).text


def test_the_browser_that_holds_the_session_may_open_the_link_again(bar, invited):
    first = enter(bar, invited.secret).cookies["venire_session"]

    again = enter(bar, invited.secret, cookie=first)

    assert again.status_code == 303
    assert is_in(bar, again.cookies["venire_session"])
    assert not is_in(bar, first)
    assert enter(bar, invited.secret).status_code == 409


def test_an_invitation_is_no_key(bar, invited):
    answer = bar.http.get("/api/v1/docket", headers={"host": HOST, "authorization": f"Bearer {invited.secret}"})

    assert answer.status_code == 401


def test_the_session_lasts_as_long_as_the_invitation(tmp_path):
    clock = Clock()
    registry = Registry(tmp_path / "people", clock)
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=WEEK)
    session = registry.open_session(issued.secret, HOUR)
    clock.advance(days=6)

    assert registry.person_of(session.secret) is not None
    with pytest.raises(InUseError):
        registry.open_session(issued.secret, HOUR)


def test_a_program_of_a_curator_frees_a_link(bar, invited):
    enter(bar, invited.secret)
    listed = bar.ask("curator", "GET", "/api/v1/invitations").json()["items"]
    assert [(each["id"], each["in_use"]) for each in listed] == [(invited.credential.id, True)]

    path = f"/api/v1/invitations/{invited.credential.id}/free"
    assert bar.ask("curator", "POST", path).status_code == 204
    assert bar.ask("curator", "POST", "/api/v1/invitations/none/free").status_code == 404

    assert enter(bar, invited.secret).status_code == 303


def test_an_operator_frees_a_link_by_a_command(tmp_path):
    with open_bar(tmp_path) as bar:
        invited = bar.court.registry.issue(CredentialKind.INVITATION, Role.JUROR)
        bar.court.registry.open_session(invited.secret, HOUR)
        config = tmp_path / "server.yaml"
        config.write_text("ledger: ledger.sqlite\nregistry: people.sqlite\n")

        done = CliRunner().invoke(keys, ["free", "--config", str(config), invited.credential.id])

        assert "can be opened again" in done.output
        assert bar.court.registry.open_session(invited.secret, HOUR) is not None
        key = bar.court.registry.issue(CredentialKind.KEY, Role.READER).credential.id
        assert isinstance(CliRunner().invoke(keys, ["free", "--config", str(config), key]).exception, UsageError)


def test_of_two_browsers_that_come_at_once_never_both_get_in(tmp_path, monkeypatch):
    registry = Registry(tmp_path / "people")
    issued = registry.issue(CredentialKind.INVITATION, Role.JUROR)
    look, others = registry._sessions_of, []

    def look_after_another_came(credential_id):
        if not others:
            others.append(None)
            with pytest.raises(InUseError):
                Registry(tmp_path / "people").open_session(issued.secret, HOUR)
        return look(credential_id)

    monkeypatch.setattr(registry, "_sessions_of", look_after_another_came)

    assert registry.open_session(issued.secret, HOUR) is not None
