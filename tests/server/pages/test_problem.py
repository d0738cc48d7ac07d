from __future__ import annotations

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from making_courts import open_bar
from venire.errors import LedgerError
from venire.server.court.court import Court
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind


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


def test_what_is_wrong_is_said_in_the_visitors_language(client: TestClient, court: Court) -> None:
    curator = as_a(Role.CURATOR, court, **{"accept-language": "zh"})
    page = client.post("/invitations", headers=curator, data={"invitation": "none"})
    assert page.status_code == 422
    assert "没有邀请 &#39;none&#39;" in page.text
    assert "查看列表：venire keys list" in page.text


def test_what_the_framework_says_in_english_only_is_not_shown_to_who_reads_chinese(
    client: TestClient, court: Court
) -> None:
    page = client.get("/items", headers=as_a(Role.READER, court, **{"accept-language": "zh"}))
    assert page.status_code == 400
    assert "服务器无法按这样的请求作答。" in page.text
    assert "Missing" not in page.text


def test_whoever_comes_when_an_address_has_its_jurors_reads_what_to_do(tmp_path) -> None:
    with open_bar(tmp_path, jurors_per_address=1) as bar:
        secret = bar.court.registry.issue(CredentialKind.OPEN_LINK, Role.JUROR).secret
        came = []
        for _ in range(2):
            bar.http.cookies.clear()
            came.append(bar.ask("stranger", "POST", "/login", data={"secret": secret}, headers={"accept": "text/html"}))
    assert came[1].status_code == 429
    assert "<h1>No more jurors can join from here for now</h1>" in came[1].text
    assert "1 juror has joined from this address within the last hour" in came[1].text
    assert "Too many requests" not in came[1].text
