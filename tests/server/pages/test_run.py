from __future__ import annotations

from litestar.testing import TestClient

from courthouse import as_a
from venire.server.court.court import Court
from venire.server.people.person import Role


def test_a_run_is_listed_and_shown_with_its_judges(client: TestClient, court: Court) -> None:
    reader = as_a(Role.READER, court)
    run = court.progress.runs()[0]
    assert f'href="/runs/{run.run}"' in client.get("/runs", headers=reader).text
    page = client.get(f"/runs/{run.run}", headers=reader).text
    assert [f'data-judge="{name}"' in page for name in ("oak", "elm", "ash")] == [True, True, False]


def test_the_events_of_a_run_that_has_ended_end(client: TestClient, court: Court) -> None:
    run = court.progress.runs()[0]
    sent = client.get(f"/runs/{run.run}/live", headers=as_a(Role.READER, court)).text
    assert [line for line in sent.splitlines() if line.startswith("event")] == ["event: progress", "event: end"]
