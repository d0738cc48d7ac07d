from __future__ import annotations

from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_strangers_are_asked_to_sign_in_and_jurors_are_told_what_they_may_not_see(
    client: TestClient, court: Court
) -> None:
    stranger = client.get("/audit", headers={"accept": "text/html"})
    assert stranger.status_code == 401
    assert 'action="/login"' in stranger.text
    juror = client.get("/audit", headers=as_a(Role.JUROR, court))
    assert juror.status_code == 403
    assert "Your role may not see this page." in juror.text
    assert 'id="sign-out"' in juror.text


def test_only_who_entered_something_wrong_is_told_so(client: TestClient, court: Court) -> None:
    page = {"accept": "text/html"}
    assert 'id="problem"' not in client.get("/audit", headers=page).text
    assert 'id="problem"' in client.post("/login", headers=page, data={"secret": "vk_guess"}).text
