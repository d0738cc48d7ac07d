"""A run that judges pairs is killed and started again, on a file and on PostgreSQL: each pair is judged once."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter

import msgspec
import pytest

from judge_server import JudgeServer
from judging_pairs import MODELS, prefer, write_config, write_outputs
from venire.config import load_settings
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.runner.records import JudgementRecord
from venire.workflows.audit import audit
from venire.workflows.judge import judge
from venire.workflows.rank import rank_pairs

QUESTIONS, CONCURRENCY, KILLED_AT = 6, 8, 25
PLANNED = 2 * 6 * QUESTIONS


@pytest.fixture(params=["file", "postgresql"])
def location(request, tmp_path):
    if request.param == "file":
        return str(tmp_path / "ledger.sqlite")
    postgres = request.getfixturevalue("postgres")
    return postgres.tcp_url(postgres.new_ledger())


async def judge_twice(folder, location):
    """Kill a first run in the middle, and let a second one go on to the end; return how often judges were asked."""
    reached = asyncio.Event()
    asked = 0

    def reply(body):
        nonlocal asked
        asked += 1
        if asked == KILLED_AT:
            reached.set()
        return prefer(body)

    async with JudgeServer(reply_for=reply) as server:
        runner = {"insecure_http": True, "reask_share": 0}
        config = write_config(folder, {"fair": f"{server.base_url}/v1"}, ledger=location, runner=runner)
        quiet = {"stdout": asyncio.subprocess.DEVNULL, "stderr": asyncio.subprocess.DEVNULL}
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", "venire", "judge", str(config), **quiet)
        ended, met = asyncio.create_task(process.wait()), asyncio.create_task(reached.wait())
        await asyncio.wait([ended, met], return_when=asyncio.FIRST_COMPLETED)
        assert met.done(), "the run ended before it was killed"
        process.kill()
        assert await ended == -9
        result = await judge(load_settings(config, need_keys=False))
        return result, asked


def test_a_killed_run_of_pairs_goes_on_and_judges_each_pair_once(tmp_path, location):
    write_outputs(tmp_path / "outputs.csv", QUESTIONS)
    result, asked = asyncio.run(judge_twice(tmp_path, location))
    counts = result.counts["fair"]
    assert counts.was_done > 0
    # Only what was under way is asked again, and replies that wait for their record, half as many.
    assert PLANNED <= asked <= PLANNED + CONCURRENCY + CONCURRENCY // 2
    ledger = open_ledger(location, read_only=True)
    records = [msgspec.convert(entry.content, JudgementRecord) for entry in ledger.read(kinds=[Kind.JUDGEMENT])]
    judged = Counter(record.judgement.sample for record in records)
    assert len(judged) == PLANNED
    assert set(judged.values()) == {1}
    assert audit(ledger).intact
    ledger.close()
    found = rank_pairs(location, {})
    assert {each.model for each in found.ranking.models} == set(MODELS)
    assert found.orders.both == PLANNED // 2
