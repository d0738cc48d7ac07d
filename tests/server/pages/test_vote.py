from __future__ import annotations

import re

from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_what_was_filled_in_for_another_output_does_not_come_back(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for name, expected in ((item[1], True), ("item-0000000000", False)):
        answer = client.post("/vote", headers=juror, data={"item": name, "vote": "", "reason": "Because of its end."})
        assert ("Because of its end." in answer.text) is expected


def test_a_vote_without_a_number_or_on_nothing_is_refused(client: TestClient, court: Court) -> None:
    juror = as_a(Role.JUROR, court)
    shown = client.get("/vote", headers=juror).text
    item = re.search(r'name="item" value="([^"]+)"', shown)
    assert item
    for vote in ("", "2", "nan", "0.3", "-1"):
        assert client.post("/vote", headers=juror, data={"item": item[1], "vote": vote}).status_code == 400
    assert client.post("/vote", headers=juror, data={"item": "none", "vote": "1"}).status_code == 409
    assert client.post("/vote/undo", headers=juror).status_code == 409
