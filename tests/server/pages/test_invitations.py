"""The page on which curators free links."""

from __future__ import annotations

from datetime import timedelta

import pytest

from making_courts import HOST, open_bar
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind

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


def test_a_curator_frees_a_link_on_a_page(bar, invited):
    first = enter(bar, invited.secret).cookies["venire_session"]
    enter(bar, bar.secret("curator"))
    shown = bar.http.get("/invitations", headers={"host": HOST, "accept": "text/html"}).text
    assert invited.credential.id in shown
    assert "in use" in shown
    assert "Ada" not in shown

    token = bar.court.registry.person_of(bar.http.cookies["venire_session"]).csrf_token
    form = {"invitation": invited.credential.id, "csrf_token": token}
    freed = bar.http.post("/invitations", headers={"host": HOST}, data=form)

    assert "can be opened again" in freed.text
    assert not is_in(bar, first)
    assert enter(bar, invited.secret).status_code == 303
