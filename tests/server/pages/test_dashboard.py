from __future__ import annotations

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
