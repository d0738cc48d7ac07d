"""Local models on a cluster: each in a process of its own, with no server anywhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from experiment import contents, make_samples, settings_for
from venire.judges.local_models import fetch
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.judge import judge

MODEL = "smollm2-135m"


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.long
def test_each_copy_of_a_model_is_loaded_by_a_worker_of_its_own(tmp_path, postgres, shared_cluster):
    fetch(MODEL)
    loaded = set()

    def look(event):
        servers = shared_cluster.processes("venire.judges.local_server")
        loaded.update((pid, parent_of(pid)) for pid in servers)

    judges = {
        "small": {"type": "local", "model": MODEL, "max_tokens": 8, "options": {"threads": 1, "context_tokens": 4096}},
        "length": {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 1}]}}},
    }
    keys = {"ledger": postgres.tcp_url(postgres.new_ledger()), "engine": "ray"}
    ray = {"address": shared_cluster.address, "workers": 1, "models": 2}
    settings = settings_for(tmp_path, judges, make_samples(3), ray=ray, **keys)
    result = asyncio.run(judge(settings, on_event=look))
    assert (result.counts["small"].done, result.counts["length"].done) == (3, 3)
    assert result.failed == 0
    assert len({pid for pid, _ in loaded}) == len({parent for _, parent in loaded}) == 2
    ledger = open_ledger(settings.ledger, read_only=True)
    try:
        replies = [each for each in contents(ledger, Kind.REPLY) if each["task"]["judge"] == "small"]
    finally:
        ledger.close()
    assert {each["model"] for each in replies} == {MODEL}
    assert all(each["output_tokens"] > 0 for each in replies)
