"""What pages answer, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from courthouse import write_judged_ledger
from venire.errors import LedgerError
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import ServerOptions
from venire.server.pages.router import HANDLERS
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind

READ = ("/", "/judges", "/runs", "/queue", "/audit", "/cells/leaderboard.alder-1.score")


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    path: Path = tmp_path_factory.mktemp("answers") / "ledger.sqlite"
    return Court(ServerOptions(ledger=str(write_judged_ledger(path)), host="testserver.local", port=80))


@pytest.fixture(scope="module")
def client(court: Court) -> Iterator[TestClient]:
    with TestClient(create_app(court.options, court), base_url="http://testserver.local") as opened:
        yield opened


def as_a(role: Role, court: Court, **headers: str) -> dict[str, str]:
    secret = court.registry.issue(CredentialKind.KEY, role).secret
    return {"authorization": f"Bearer {secret}", "accept": "text/html", **headers}


@pytest.mark.parametrize("path", READ)
def test_a_page_allows_only_files_of_this_server_and_carries_no_script_or_style_itself(
    path: str, client: TestClient, court: Court
) -> None:
    answer = client.get(path, headers=as_a(Role.READER, court))
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src")
    assert not re.search(r'<style|\sstyle=|\son\w+="|<script(?! src="/static/)|(?:src|href)="(?!/|#)', answer.text)


def test_pages_are_chosen_by_the_browsers_language_and_then_by_the_visitor(client: TestClient, court: Court) -> None:
    chinese = as_a(Role.READER, court, **{"accept-language": "fr, zh-CN;q=0.9, en;q=0.8"})
    assert "<h1>审计</h1>" in client.get("/audit", headers=chinese).text
    chosen = client.get("/language/en?back=/audit", headers=chinese)
    assert "<h1>Audit</h1>" in chosen.text
    client.cookies.clear()


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example", "/\\evil.example", "/a b", "javascript:1"])
def test_choosing_a_language_never_leads_to_another_server(back: str, client: TestClient) -> None:
    answer = client.get("/language/zh", params={"back": back}, follow_redirects=False)
    assert answer.headers["location"] == "/"
    client.cookies.clear()


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


def test_what_was_filled_in_for_another_output_does_not_come_back(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for name, expected in ((item[1], True), ("item-0000000000", False)):
        answer = client.post("/vote", headers=juror, data={"item": name, "vote": "", "reason": "Because of its end."})
        assert ("Because of its end." in answer.text) is expected


def test_numbers_judgements_runs_and_files_that_are_not_there_are_not_found(client: TestClient, court: Court) -> None:
    for path in ("/cells/none", "/judgements/none", "/judgements/a/entries/b", "/runs/none", "/static/none.css"):
        assert client.get(path, headers=as_a(Role.READER, court)).status_code == 404, path


def test_what_an_address_asks_for_is_shown_as_text(client: TestClient, court: Court) -> None:
    named = {"output": "<script>alert(1)</script>", "prompt": '"><img src=x>'}
    answer = client.get("/items", params=named, headers=as_a(Role.READER, court))
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text


def test_while_the_ledger_is_out_of_reach_people_are_told_what_to_do(
    client: TestClient, court: Court, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise LedgerError("the server cannot be reached", where="postgresql://owner@/venire")

    monkeypatch.setattr(court.state, "catch_up", gone)
    answer = client.get("/queue", headers={**as_a(Role.READER, court), "accept-language": "zh"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert "暂时无法完成" in answer.text
    assert "请返回上一页" in answer.text
    assert "postgresql" not in answer.text


def test_every_page_says_who_may_open_it() -> None:
    assert all(handler.opt.get("public") or handler.opt.get("roles") for handler in HANDLERS)


def test_a_vote_without_a_number_or_on_nothing_is_refused(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for vote in ("", "2", "nan", "0.3", "-1"):
        assert client.post("/vote", headers=juror, data={"item": item[1], "vote": vote}).status_code == 400
    assert client.post("/vote", headers=juror, data={"item": "none", "vote": "1"}).status_code == 409
    assert client.post("/vote/undo", headers=juror).status_code == 409


def test_a_decision_that_is_none_or_on_nothing_is_refused(client: TestClient, court: Court) -> None:
    curator = as_a(Role.CURATOR, court)
    assert client.post("/queue", headers=curator, data={"outcome": "maybe"}).status_code == 400
    gone = client.post("/queue", headers=curator, data={"outcome": "accept", "inference_id": "none"})
    assert gone.status_code == 409
