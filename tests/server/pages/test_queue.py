from __future__ import annotations

from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_a_decision_that_is_none_or_on_nothing_is_refused(client: TestClient, court: Court) -> None:
    curator = as_a(Role.CURATOR, court)
    assert client.post("/queue", headers=curator, data={"outcome": "maybe"}).status_code == 400
    gone = client.post("/queue", headers=curator, data={"outcome": "accept", "inference_id": "none"})
    assert gone.status_code == 409


def test_who_may_not_decide_reads_how_somebody_can(client: TestClient, court: Court) -> None:
    shown = {role: client.get("/queue", headers=as_a(role, court)).text for role in (Role.OPERATOR, Role.CURATOR)}
    command = "venire keys create --role curator --ledger ledger.sqlite"
    assert [command in shown[role] for role in shown] == [True, False]
    assert ['name="outcome"' in shown[role] for role in shown] == [False, True]
