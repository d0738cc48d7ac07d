"""Limits and budgets of a run hold for all workers of a cluster together, as they do in one process."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

from experiment import make_samples, served_judge, serving, settings_for, write_config
from judge_server import drift_sample_reply
from making_pdfs import make_pdf
from postgres_server import WRITER
from venire.config import load_settings
from venire.distributed import worker_pool
from venire.distributed.admission_server import AdmissionServer
from venire.errors import ConfigError, LedgerError
from venire.workflows.judge import judge

pytestmark = pytest.mark.usefixtures("joined_cluster")


@pytest.fixture
def settings(tmp_path, postgres, shared_cluster):
    """Make the settings of a run with three workers."""

    def make(judges, count, **keys):
        ray = {"address": shared_cluster.address, "workers": 3}
        ledger = postgres.tcp_url(postgres.new_ledger())
        return settings_for(
            tmp_path, judges, make_samples(count), **{"ledger": ledger, "engine": "ray", "ray": ray, **keys}
        )

    return make


def test_requests_in_a_minute_are_counted_over_all_workers(settings, monkeypatch, tmp_path):
    log = tmp_path / "reservations"

    class TimedAdmissionServer(AdmissionServer):
        """Begins when all workers want something, and writes down when it lets whose requests through.

        When they arrive at the judge depends on how busy the machine is.
        """

        begun = False

        async def _grant(self, state, request):
            while not self.begun:
                self.begun = sum(1 for each in self._workers.values() if each.requests) == 3
                await asyncio.sleep(0.001)
            before = time.monotonic()  # A busy machine may write the first one down late; it was not before this.
            await super()._grant(state, request)
            with log.open("a") as file:
                file.write(f"{before} {time.monotonic()} {id(state)}\n")

    monkeypatch.setattr(worker_pool, "AdmissionServer", TimedAdmissionServer)
    with serving() as server:
        limits = {"concurrency": 32, "requests_per_minute": 1200}
        asyncio.run(judge(settings({"oak": served_judge(server.base_url, limits=limits)}, 80)))
    begun, let_through, workers = zip(*(line.split() for line in log.read_text().splitlines()), strict=True)
    assert len(let_through) == server.count == 80
    assert len(set(workers)) == 3
    assert (80 - 1) / (max(map(float, let_through)) - min(map(float, begun))) * 60 <= 1200 * 1.05


def test_no_more_requests_are_under_way_than_a_judge_allows(settings):
    under_way = most = 0
    first, several = True, asyncio.Event()

    async def answer_slowly(*given):
        nonlocal under_way, most, first
        if first:  # It is sent alone.
            first = False
            return await server.fault_none(*given)
        under_way += 1
        most = max(most, under_way)
        if under_way > 1:
            several.set()
        await several.wait()  # However slow the workers are, they do not ask one after the other.
        await asyncio.sleep(0.1)
        under_way -= 1
        return await server.fault_none(*given)

    with serving({"steps": [{"fault": "slow"}], "repeat": True}) as server:
        server.fault_slow = answer_slowly
        asyncio.run(judge(settings({"oak": served_judge(server.base_url, limits={"concurrency": 5})}, 40)))
    assert 1 < most <= 5


def test_the_budget_is_one_for_all_workers(settings):
    with serving() as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 16})}
        runner = {"reask_share": 0, "budget": {"calls": 30}}
        result = asyncio.run(judge(settings(judges, 100, runner=runner)))
    assert server.count == result.spent.calls == result.counts["oak"].done == 30
    assert result.stopped == "the budget of 30 calls is reached: 30 spent"


@pytest.mark.long
def test_a_judge_that_keeps_failing_is_given_up_by_all_workers(settings):
    script = {"steps": [{"fault": "status", "status": 500}], "repeat": True}
    with serving(script) as server:
        judges = {"oak": served_judge(server.base_url, limits={"concurrency": 4})}
        runner = {"reask_share": 0, "attempts": 1, "stop_judge_after": 3, "rest_seconds": 0.01}
        result = asyncio.run(judge(settings(judges, 200, runner=runner)))
    counts = result.counts["oak"]
    assert counts.failed == 200
    assert server.count < 100
    assert any(re.match(r"\d+ tasks failed in a row", cause) for cause in counts.failures)


@pytest.mark.long
def test_a_sequential_run_has_one_request_under_way_and_one_judge_after_the_other(settings):
    order = []

    def reply(seen):
        order.append(seen["model"])
        return drift_sample_reply(seen)

    with serving(reply_for=reply) as server:
        judges = {name: served_judge(server.base_url, model=name) for name in ("oak", "elm")}
        result = asyncio.run(judge(settings(judges, 10, runner={"mode": "sequential", "reask_share": 0})))
    assert not result.failed
    assert order == ["oak"] * 10 + ["elm"] * 10


def test_documents_go_to_the_workers_with_their_tasks(tmp_path, postgres, shared_cluster):
    (tmp_path / "pdfs").mkdir()
    make_pdf(tmp_path / "pdfs" / "model-a_q1_v1.pdf", ["A page of words."])
    keys = {"ledger": postgres.tcp_url(postgres.new_ledger()), "engine": "ray"}
    with serving() as server:
        judges = {"oak": served_judge(server.base_url, "anthropic_compatible", attach_files=True)}
        samples = {"path": "pdfs", "pattern": "{target_model}_{question_id}_{prompt_variant}"}
        config = write_config(tmp_path, judges, samples=samples, ray={"address": shared_cluster.address}, **keys)
        result = asyncio.run(judge(load_settings(config)))
    assert result.counts["oak"].done == 1
    assert '"media_type": "application/pdf"' in str(server.requests[0]["body"]).replace("'", '"')


def test_keys_reach_the_workers_from_the_environment_of_the_driver(settings, monkeypatch):
    monkeypatch.setenv("OAK_KEY", "a-key-of-a-test")
    with serving() as server:
        asyncio.run(judge(settings({"oak": served_judge(server.base_url, api_key_env="OAK_KEY")}, 1)))
    assert server.requests[0]["headers"]["Authorization"] == "Bearer a-key-of-a-test"


def test_what_a_worker_cannot_make_is_told_as_on_one_machine(settings):
    judges = {"oak": served_judge("http://127.0.0.1:9", options={"no-such-option": 1})}
    with pytest.raises(ConfigError, match=r"judge 'oak'.*no-such-option") as here:
        asyncio.run(judge(settings(judges, 1, engine="local")))
    with pytest.raises(ConfigError) as there:
        asyncio.run(judge(settings(judges, 1)))
    assert str(there.value) == str(here.value)


def test_a_ledger_in_a_file_is_refused_with_the_way_to_a_shared_one(tmp_path, settings):
    with pytest.raises(ConfigError, match="a ledger that all machines can write to") as caught:
        asyncio.run(judge(settings({"oak": served_judge("http://127.0.0.1:9")}, 1, ledger="ledger.sqlite")))
    assert "venire ledger copy" in caught.value.hint


def test_an_error_of_a_worker_ends_the_run_with_that_error(settings, postgres):
    def close_the_door(event):
        if event.event == "answered":
            with postgres.connect(made.ledger.rpartition("/")[2]) as owner:
                owner.execute(f"REVOKE INSERT ON venire.entry FROM {WRITER}")

    with serving() as server:
        made = settings({"oak": served_judge(server.base_url, limits={"concurrency": 2})}, 200)
        with pytest.raises(LedgerError, match="permission denied"):
            asyncio.run(judge(made, on_event=close_the_door))
        assert server.count < 100
