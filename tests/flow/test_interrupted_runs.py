"""Ctrl-C in a real process: once finishes what is under way, twice stops at once, and the next run goes on."""

import json
import os
import signal

import pytest

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
from venire.ledger.entry import Kind

CONCURRENCY = 3


def prepare(folder, base_url, **runner):
    write_samples(folder, make_samples(12))
    judge = served_judge(base_url, limits={"concurrency": CONCURRENCY})
    return write_config(folder, {"oak": judge}, runner={**QUICK, **runner})


def wait_for_words(words, process):
    """Wait until the process has said so; it may say other things before."""
    said = b""
    while words not in said:
        more = os.read(process.stderr.fileno(), 1000)
        assert more, said
        said += more


def run_again(config, folder, samples=12):
    with start_venire("judge", config, "--quiet") as process:
        output, errors = process.communicate()
    assert process.returncode == 0, output + errors
    with reading(folder / "ledger.sqlite") as ledger:
        assert len(contents(ledger, Kind.REPLY)) == samples


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_finishes_what_is_under_way_and_exits_with_three(tmp_path, number):
    with serving({"steps": [{"fault": "slow", "seconds": 0.5}], "repeat": True}) as server:
        config, events = prepare(tmp_path, server.base_url), tmp_path / "events.jsonl"
        with start_venire("judge", config, "--events", events) as process:
            wait_for_requests(server, CONCURRENCY, process)
            process.send_signal(number)
            _, errors = process.communicate(timeout=120)
        asked = server.count
    assert process.returncode == 3, errors
    assert "waiting for requests that are under way" in errors
    assert "stopped: interrupted. Run the same command again to resume." in errors
    assert asked < 12
    with reading(tmp_path / "ledger.sqlite") as ledger:
        assert len(contents(ledger, Kind.REPLY)) == len(contents(ledger, Kind.JUDGEMENT)) == asked
        assert contents(ledger, Kind.RUN_CLOSED)[0]["stopped"] == "interrupted"
    told = [json.loads(line) for line in events.read_text().splitlines()]
    assert {"event": "stopping", "reason": "interrupted"} in told
    assert told[-1]["event"] == "run_closed"
    with serving() as server:
        config = prepare(tmp_path, server.base_url)
        run_again(config, tmp_path)
        assert server.count == 12 - asked


def test_a_second_signal_stops_at_once(tmp_path):
    with serving({"steps": [{"fault": "stall"}], "repeat": True}) as server:
        config = prepare(tmp_path, server.base_url)
        with start_venire("judge", config) as process:
            wait_for_requests(server, 1, process)  # Nothing more is sent before the first reply.
            process.send_signal(signal.SIGINT)
            wait_for_words(b"waiting for requests that are under way", process)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "stopped at once" in errors
    assert "Traceback" not in errors
    with serving() as server:
        run_again(prepare(tmp_path, server.base_url), tmp_path)


def test_a_run_that_waits_for_a_busy_server_ends_at_the_first_signal(tmp_path):
    busy = {"steps": [{"fault": "status", "status": 429, "retry_after": "600"}], "repeat": True}
    with serving(busy) as server:
        config = prepare(tmp_path, server.base_url)
        with start_venire("judge", config, "--quiet") as process:
            wait_for_requests(server, 1, process)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
    assert process.returncode == 3, errors
