from __future__ import annotations

import pytest
from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


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


def test_the_other_language_leads_back_to_the_page_and_to_what_was_asked_of_it(
    client: TestClient, court: Court
) -> None:
    reader = as_a(Role.READER, court)
    assert 'href="/language/zh?back=/audit"' in client.get("/audit", headers=reader).text
    asked = client.get("/audit", params={"x": "1"}, headers=reader).text
    assert 'href="/language/zh?back=/audit%3Fx%3D1"' in asked
