"""`venire judge` is killed at random moments, again and again: nothing that was kept is lost, little is asked twice."""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from experiment import QUICK, make_samples, served_judge, server_process, start_venire, write_config, write_samples
from venire.ledger.entry import Head, Kind
from venire.ledger.hashing import find_damage
from venire.ledger.location import open_ledger

KILLS = int(os.environ.get("VENIRE_KILLS", "50"))
SEED = int(os.environ.get("VENIRE_SEED", "1"))
CONCURRENCY = 4
JUDGES = ("oak", "elm")
MOST_LOST = (CONCURRENCY + CONCURRENCY // 2) * len(JUDGES)
"""Requests that a kill may cost: those under way, and replies that wait for their record, half as many."""
REQUESTS_PER_LIFE = 10
COLD_STARTS = 0.1
"""The share of lives that begin with a new interpreter and not as a copy of a warm one."""


class Lines:
    """The lines of a file that others append to, parsed as they come; half a line at the end is left for later."""

    def __init__(self, path):
        self.path = path
        self._read = 0

    def new(self):
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._read)
            whole = file.read().rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        return [json.loads(line) for line in whole.splitlines() if line.endswith(b"}")]

    def size(self):
        return self.path.stat().st_size if self.path.exists() else 0


@contextmanager
def warm_starts(errors):
    """Yield a function that starts a command line and yields its process id; the process is gone at the end."""
    script = Path(__file__).with_name("warm_venire.py")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(script), str(errors)], **pipes) as zygote:

        @contextmanager
        def start(*args):
            zygote.stdin.write(json.dumps([str(arg) for arg in args]) + "\n")
            zygote.stdin.flush()
            yield int(zygote.stdout.readline())
            start.code = int(zygote.stdout.readline())

        yield start
        zygote.stdin.close()


@contextmanager
def cold_start(*args):
    with start_venire(*args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        yield process.pid
        cold_start.code = process.wait()


def live_until_killed(start, args, log, moments):
    """Start a run and kill it some requests and some milliseconds later; return its exit code."""
    wanted = log.size() + moments.choice([0, 1, moments.randint(1, 2 * REQUESTS_PER_LIFE) * 3500])
    with start(*args) as process_id:
        descriptor = os.pidfd_open(process_id)
        deadline = time.monotonic() + 60
        while log.size() < wanted and time.monotonic() < deadline:
            if select.select([descriptor], [], [], 0.003)[0]:
                break
        select.select([descriptor], [], [], moments.uniform(0, 0.05 if wanted > log.size() else 0.02))
        signal.pidfd_send_signal(descriptor, signal.SIGKILL) if is_alive(descriptor) else None
        os.close(descriptor)
    return start.code


def is_alive(descriptor):
    return not select.select([descriptor], [], [], 0)[0]


class Witness:
    """Remembers what was in the ledger, and what the process has told, and looks whether it is still there."""

    def __init__(self, path, events):
        self._path = path
        self._events = Lines(events)
        self._head = Head()
        self._replies = set()
        self._judged = set()

    def look(self):
        ledger = open_ledger(str(self._path))
        try:
            if self._head.sequence:
                last = next(ledger.read(after=self._head.sequence - 1))
                assert last.hash == self._head.hash  # and so is everything before it, by the chain
            for entry in ledger.read(after=self._head.sequence):
                assert find_damage(entry, self._head) is None
                self._head = Head(entry.sequence, entry.hash)
                self._take(entry)
        finally:
            ledger.close()
        told = {(event["judge"], event["sample"], event["repeat"]) for event in self._answered()}
        assert told <= self._judged

    def _take(self, entry):
        if entry.kind is Kind.REPLY:
            assert entry.key not in self._replies
            self._replies.add(entry.key)
        if entry.kind is Kind.JUDGEMENT:
            content = entry.content
            self._judged.add((content["task"]["judge"], content["judgement"]["sample"], content["task"]["repeat"]))

    def _answered(self):
        return [event for event in self._events.new() if event["event"] == "answered"]

    @property
    def tasks(self):
        assert len(self._judged) == len(self._replies)
        return len(self._replies)


@pytest.mark.long
def test_killed_runs_lose_nothing_and_repeat_no_more_than_was_under_way_or_not_recorded(tmp_path, figures):
    moments = random.Random(SEED)
    log, path, events = Lines(tmp_path / "requests.jsonl"), tmp_path / "ledger.sqlite", tmp_path / "events.jsonl"
    write_samples(tmp_path, make_samples(KILLS * REQUESTS_PER_LIFE // 4))
    witness, seen, kills, errors = Witness(path, events), Counter(), 0, tmp_path / "errors"
    script = {"steps": [{"fault": "slow", "seconds": 0.01}], "repeat": True}
    with server_process(log.path, script) as address, warm_starts(errors) as warm_start:
        judges = {name: served_judge(address, model=name, limits={"concurrency": CONCURRENCY}) for name in JUDGES}
        config = write_config(tmp_path, judges, runner={**QUICK, "reask_share": 0.1})
        args = ("judge", config, "--quiet", "--events", events)
        for _ in range(KILLS):
            start = cold_start if moments.random() < COLD_STARTS else warm_start
            code = live_until_killed(start, args, log, moments)
            assert code in (0, -signal.SIGKILL), errors.read_text()
            kills += code != 0
            witness.look()
            # A fence is different for every task, and the same whenever the task is asked.
            prompts = [line["body"]["messages"][-1]["content"] for line in log.new()]
            seen.update(prompt.split("===DATA-")[1].split("===")[0] for prompt in prompts)
            assert seen.total() - len(seen) <= kills * MOST_LOST
        with start_venire(*args) as last:
            output, complaints = last.communicate()
        assert last.returncode == 0, output + complaints
        witness.look()
        with start_venire("audit", path) as audit:
            report, _ = audit.communicate()
        assert audit.returncode == 0, report
    prompts = [line["body"]["messages"][-1]["content"] for line in log.new()]
    seen.update(prompt.split("===DATA-")[1].split("===")[0] for prompt in prompts)
    again = seen.total() - len(seen)
    # The witness fails at the first judgement that is lost or stored twice.
    figures("killed runs", kills=kills, judgements=witness.tasks, lost=0, doubled=0, requests_sent_again=again)
    assert len(seen) == witness.tasks
    assert again <= kills * MOST_LOST
    assert kills >= KILLS * 0.9
