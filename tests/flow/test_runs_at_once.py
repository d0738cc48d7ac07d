"""Two real commands at once on one database: nothing is asked and paid twice."""

from __future__ import annotations

import asyncio
import select
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from claim_holders import taking_over, wait_for_claims
from experiment import (
    QUICK,
    contents,
    make_samples,
    reading,
    served_judge,
    serving,
    start_venire,
    wait_for_requests,
    write_config,
    write_samples,
)
from judge_server import drift_sample_reply
from postgres_server import WRITER, PostgresServer
from venire.config import load_settings
from venire.ledger.entry import Kind
from venire.runner.stop import StopSignal
from venire.workflows.judge import judge as run_settings

SAMPLES = 12


class Gate:
    """Lets a judge answer only when it is open."""

    def __init__(self):
        self.open = Event()

    def reply_for(self, seen):
        self.open.wait()
        return drift_sample_reply(seen)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def judge(gate):
    with serving(reply_for=gate.reply_for) as server:
        yield server
        gate.open.set()


@pytest.fixture
def url(postgres):
    return postgres.url(postgres.new_ledger(), WRITER)


def prepare(folder, judges, url, first=0, **keys):
    folder.mkdir()
    write_samples(folder, make_samples(SAMPLES + first)[first:])
    return write_config(folder, judges, ledger=url, runner=QUICK, **keys)


def run(config):
    with start_venire("judge", config, "--quiet") as process:
        output, errors = process.communicate()
    return process.returncode, output + errors


def test_two_commands_that_ask_the_same_pay_once_and_both_are_complete(tmp_path, judge, gate, url):
    panel = {"oak": served_judge(judge.base_url)}
    config = prepare(tmp_path / "here", panel, url)
    copied = prepare(tmp_path / "there", {**panel, "elm": served_judge(judge.base_url, temperature=0.5)}, url)
    with start_venire("judge", config) as first:
        wait_for_requests(judge, 1, first)
        with start_venire("judge", copied) as second:  # Another panel, but one judge of it is the same.
            line = second.stderr.readline()
            assert f"another run is asking this at the moment: process {first.pid} on" in line, line
            gate.open.set()
            said = [process.communicate() for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert f"{SAMPLES} of these were in the ledger already" in said[1][0]
    assert judge.count == 2 * SAMPLES  # those of elm


def test_runs_that_overlap_in_part_pay_once_for_the_overlap(tmp_path, judge, gate, url):
    panel = {"oak": served_judge(judge.base_url, limits={"concurrency": 2})}
    first, second = prepare(tmp_path / "first", panel, url), prepare(tmp_path / "second", panel, url, first=5)
    with start_venire("judge", first, "--quiet") as one, start_venire("judge", second, "--quiet") as other:
        wait_for_requests(judge, 1, one)
        gate.open.set()
        said = [process.communicate() for process in (one, other)]
    assert (one.returncode, other.returncode) == (0, 0), said
    assert judge.count == SAMPLES + 5
    with reading(url) as ledger:
        assert len(contents(ledger, Kind.REPLY)) == SAMPLES + 5
        assert contents(ledger, Kind.ATTEMPT) == []
        opened = contents(ledger, Kind.RUN_OPENED)
    assert [each["plan"]["oak"]["tasks"] for each in opened] == [SAMPLES, SAMPLES]
    assert len({each["run"] for each in opened}) == 2


def test_runs_on_other_samples_and_of_other_judges_go_side_by_side(tmp_path, judge, gate, url):
    panel = {"oak": served_judge(judge.base_url)}
    others = (
        prepare(tmp_path / "samples", panel, url, first=SAMPLES),
        prepare(tmp_path / "judges", {"oak": served_judge(judge.base_url, temperature=0.5)}, url),
    )
    with start_venire("judge", prepare(tmp_path / "first", panel, url), "--quiet") as first:
        wait_for_requests(judge, 1, first)
        with (
            start_venire("judge", others[0], "--quiet") as second,
            start_venire("judge", others[1], "--quiet") as third,
        ):
            gate.open.set()
            processes = (first, second, third)
            said = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert judge.count == 3 * SAMPLES
    with reading(url) as ledger:
        assert len(contents(ledger, Kind.REPLY)) == 3 * SAMPLES


def test_a_killed_run_can_be_started_again_at_once(tmp_path, judge, gate, url):
    config = prepare(tmp_path / "here", {"oak": served_judge(judge.base_url, limits={"concurrency": 1})}, url)
    with start_venire("judge", config, "--quiet") as first:
        wait_for_requests(judge, 1, first)
        first.kill()
    gate.open.set()
    code, said = run(config)
    assert code == 0, said
    assert judge.count == SAMPLES + 1


def test_a_run_goes_on_and_keeps_others_out_when_the_server_is_killed_and_restarted(tmp_path, judge, gate):
    server = PostgresServer()
    try:
        database = server.new_ledger()
        config = prepare(tmp_path / "here", {"oak": served_judge(judge.base_url)}, server.url(database, WRITER))
        with start_venire("judge", config, "--quiet") as first:
            wait_for_requests(judge, 1, first)
            server.kill()
            server.start()
            wait_for_claims(server, database, SAMPLES)
            with start_venire("judge", config) as second:
                line = second.stderr.readline()
                assert f"asking this at the moment: process {first.pid} on" in line, line
                gate.open.set()
                said = [process.communicate() for process in (first, second)]
        assert (first.returncode, second.returncode) == (0, 0), said
        assert judge.count == SAMPLES
    finally:
        server.remove()


def test_a_run_whose_claim_was_taken_over_finishes_what_is_under_way_and_stops(tmp_path, judge, gate, postgres):
    database = postgres.new_ledger()
    config = prepare(
        tmp_path / "here",
        {"oak": served_judge(judge.base_url, limits={"concurrency": 1})},
        postgres.url(database, WRITER),
    )
    stop = StopSignal()
    with ThreadPoolExecutor(1) as pool:
        run_result = pool.submit(asyncio.run, run_settings(load_settings(config), stop=stop))
        while not judge.count:
            assert not run_result.done(), run_result.result()
            select.select([], [], [], 0.005)
        with taking_over(postgres, database):
            while not stop.reason:
                assert not run_result.done()
                select.select([], [], [], 0.005)
            gate.open.set()
            result = run_result.result()
    assert result.stopped.startswith("another run took over while the database was unreachable")
    assert (result.counts["oak"].done, judge.count) == (1, 1)
