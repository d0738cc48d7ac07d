from __future__ import annotations

import re

from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_what_an_address_asks_for_is_shown_as_text(client: TestClient, court: Court) -> None:
    named = {"output": "<script>alert(1)</script>", "prompt": '"><img src=x>'}
    answer = client.get("/items", params=named, headers=as_a(Role.READER, court))
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text


def test_the_dashboard_shows_its_sections_in_order_and_those_of_the_judges_their_own(
    client: TestClient, court: Court
) -> None:
    def sections(path: str) -> list[str]:
        page = client.get(path, headers=as_a(Role.READER, court)).text
        return re.findall(r'<section[^>]* id="([a-z_]+)"', page)

    assert sections("/")[:3] == ["summary", "leaderboard", "dimensions"]
    assert sections("/judges")[:2] == ["judges", "agreement"]
