from __future__ import annotations

from pathlib import Path

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from shaped_ledgers import write_votes
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import ServerOptions
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


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("yes_no", "one output at a time"),
        ("pairs", "two outputs at a time"),
        ("protocol", "one thing at a time by a form"),
    ],
)
def test_whoever_is_invited_is_told_what_they_will_see(tmp_path: Path, scale: str, said: str) -> None:
    options = ServerOptions(
        ledger=str(write_votes(tmp_path / "ledger.sqlite")), host="testserver.local", port=80, vote_scale=scale
    )
    with TestClient(create_app(options, Court(options)), base_url="http://testserver.local") as client:
        assert said in client.get("/login", headers={"accept": "text/html"}).text
