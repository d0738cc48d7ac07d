"""One evaluation on every engine and store, against the same judge: the same judgements and the same statistics."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from experiment import contents, served_judge, serving, write_config
from judge_server import drift_sample_reply
from venire.config import load_settings
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.reports.report import Choices
from venire.words.said import as_text
from venire.workflows.analyse import analyse
from venire.workflows.audit import audit
from venire.workflows.judge import judge

EXAMPLE = Path(__file__).parents[2] / "examples" / "drift"
OF_A_RUN = {"cost", "run_log"}
"""Sections that tell of times and runs, not of judgements."""


def reply_by_content(seen):
    """Judge by a hash of what is asked, with a reply now and then that breaks the contract."""
    if sha256(seen["messages"][-1]["content"].encode()).digest()[0] < 24:
        return "I would rather not say."
    return drift_sample_reply(seen)


def without_sequences(value):
    """Leave out where in its ledger a judgement stands, which is another place in every run."""
    if isinstance(value, dict):
        return {name: without_sequences(each) for name, each in value.items() if name != "sequences"}
    return [without_sequences(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.fixture(scope="module")
def run(tmp_path_factory, postgres):
    """Run the example's samples on an engine and ledger; returns judgements by key, the report's sections, the plan."""
    faults = [{"fault": "status", "status": 429, "retry_after": "0"}, {"fault": "reset", "times": 2}]

    def run_on(engine, location, **ray):
        folder = tmp_path_factory.mktemp(engine)
        with serving([{"fault": "none", "times": 40}, *faults], reply_by_content) as server:
            judges = {
                "oak": served_judge(server.base_url, limits={"concurrency": 16}),
                "elm": served_judge(server.base_url, "anthropic_compatible", language="zh", model="elm-2"),
                "length": {"type": "rules", "rules": str(EXAMPLE / "rules" / "strict.yaml")},
            }
            runner = {"backoff_seconds": 0.01, "reask_share": 0.2, "reask_invalid": 1}
            keys = {"samples": str(EXAMPLE / "outputs.jsonl"), "ledger": location or str(folder / "ledger.sqlite")}
            settings = load_settings(write_config(folder, judges, engine=engine, ray=ray, runner=runner, **keys))
            result = asyncio.run(judge(settings))
            assert not result.stopped
            assert not result.failed
            assert (
                server.count == sum(counts.calls for counts in result.counts.values()) - result.counts["length"].calls
            )
        ledger = open_ledger(settings.ledger, read_only=True)
        try:
            assert audit(ledger).intact
            (opened,) = contents(ledger, Kind.RUN_OPENED)
            recorded = ledger.read(kinds={Kind.JUDGEMENT, Kind.REPLY, Kind.ATTEMPT, Kind.RUN_CLOSED})
            assert {entry.content["run"] for entry in recorded} == {opened["run"]}
            judgements = {entry.key: entry.content["judgement"] for entry in ledger.read(kinds={Kind.JUDGEMENT})}
        finally:
            ledger.close()
        sections = {section.id: section for section in analyse(settings.ledger, Choices()).sections}
        kept = {name: section for name, section in sections.items() if name not in OF_A_RUN}
        return judgements, without_sequences(msgspec.to_builtins(kept, enc_hook=as_text)), opened["plan"]

    return run_on


@pytest.fixture(scope="module")
def expected(run):
    judgements, sections, plan = run("local", "")
    statuses = [judgement["status"] for judgement in judgements.values()]
    assert len(judgements) > 300
    assert statuses.count("invalid") > 10
    assert all(planned["tasks"] > 96 for planned in plan.values())
    return judgements, sections, plan


def test_a_local_run_on_postgresql_gives_the_same(run, expected, postgres):
    assert run("local", postgres.tcp_url(postgres.new_ledger())) == expected


def test_a_run_on_a_ray_cluster_gives_the_same(run, expected, postgres, shared_cluster):
    assert run("ray", postgres.tcp_url(postgres.new_ledger()), address=shared_cluster.address, workers=3) == expected
