"""The demo."""

from __future__ import annotations

from datetime import timedelta

import pytest

from making_courts import write_samples
from venire.server.people.person import Role


def test_the_demo_has_something_to_show_everywhere(demo):
    _, http, _ = demo
    overview = http.get("/api/v1/overview").json()

    assert overview["samples"] == 48
    assert overview["valid"] > 100
    assert 0 < overview["ambiguous"] < overview["items"]
    assert http.get("/api/v1/audit").json()["intact"] is True
    assert http.get("/api/v1/runs").json()["items"][0]["state"] == "done"
    assert http.get("/api/v1/checkpoint").status_code == 200


def test_the_demo_gives_a_link_for_each_role(demo):
    court, _, links = demo

    assert set(links) == set(Role)
    for role, link in links.items():
        session = court.registry.open_session(link.partition("/login#")[2], timedelta(hours=1))
        assert session.credential.role is role


@pytest.fixture
def ledger(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    write_samples(path, 1)
    return path
