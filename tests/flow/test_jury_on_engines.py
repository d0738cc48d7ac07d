"""One jury on a file, on PostgreSQL and on Ray: the same choices, drawn and recorded before they are asked."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from asking_juries import graded_samples, uneven_reply, write_jury
from experiment import contents, serving
from venire.config import load_settings
from venire.domain.jury import JuryChoice
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.audit import audit
from venire.workflows.judge import judge

ESTIMATE = {"until": {"half_width": 0.05}, "most": 4}


@pytest.fixture(scope="module")
def choices_on(tmp_path_factory):
    """Ask a jury on an engine and ledger, twice; returns its choices, and holds that nothing was asked twice."""

    def run_on(engine, location, **ray):
        folder = tmp_path_factory.mktemp(engine)
        keys = {"engine": engine, "ray": ray, "ledger": location or str(folder / "ledger.sqlite")}
        with serving(reply_for=uneven_reply) as server:
            settings = load_settings(write_jury(folder, server.base_url, ESTIMATE, graded_samples(140), **keys))
            for _ in range(2):
                result = asyncio.run(judge(settings))
                assert not result.stopped
                assert not result.failed
            asked = server.count
        ledger = open_ledger(settings.ledger, read_only=True)
        try:
            checked = audit(ledger)
            assert checked.intact
            replies = [entry.key for entry in ledger.read(kinds={Kind.REPLY})]
            assert asked == len(replies) == len(set(replies))
            return [msgspec.convert(each, JuryChoice) for each in contents(ledger, Kind.CHOICE)]
        finally:
            ledger.close()

    return run_on


@pytest.fixture(scope="module")
def expected(choices_on):
    choices = choices_on("local", "")
    assert [each.rule for each in choices[:3]] == ["start", "pilot", "where_uncertain"]
    return choices


@pytest.mark.long
def test_a_jury_on_postgresql_chooses_the_same(choices_on, expected, postgres):
    assert choices_on("local", postgres.tcp_url(postgres.new_ledger())) == expected


@pytest.mark.long
def test_a_jury_on_a_ray_cluster_chooses_the_same(choices_on, expected, postgres, shared_cluster):
    location = postgres.tcp_url(postgres.new_ledger())
    assert choices_on("ray", location, address=shared_cluster.address, workers=2) == expected
