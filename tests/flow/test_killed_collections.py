"""`venire run` is killed at random moments, again and again: nothing that was recorded is asked again."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from collecting import RULES, write_collection
from experiment import QUICK, start_venire, venire
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger

KILLS = int(os.environ.get("VENIRE_KILLS", "4"))
SEED = int(os.environ.get("VENIRE_SEED", "1"))
CONCURRENCY = 4
BOT = '''
import json, os, pathlib, time

LOG = pathlib.Path(__file__).with_name("asked.log")


def answer(request):
    """Answer after a moment, and note that it was asked."""
    with LOG.open("a") as log:
        log.write(request["case"]["id"] + "/" + request["variant"] + chr(10))
    time.sleep(0.02)
    return request["prompt"] + " Yes."
'''


def write_study(folder, cases):
    folder.mkdir()
    targets = {"bot": {"type": "python", "function": "bot:answer", "limits": {"concurrency": CONCURRENCY}}}
    judges = {"strict": {"type": "rules", "rules": RULES, "weight": 1}}
    config = write_collection(folder, {"targets": targets}, judges=judges, runner={**QUICK, "reask_share": 0.1})
    (folder / "bot.py").write_text(BOT)
    rows = [{"case_id": f"q{number}", "question": f"Is {number} a number?"} for number in range(cases)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return config


def wait_for_more(log, lines, process, last):
    """Wait until so many more requests were noted, or the process has ended; where all were, until it judges."""
    asked = set(log.read_text().split()) if log.exists() else set()
    wanted, deadline = len(asked) + lines + 1, time.monotonic() + (20 if len(asked) < last else lines / 8)
    while process.poll() is None and time.monotonic() < deadline:
        if log.exists() and len(set(log.read_text().split())) >= wanted:
            return
        time.sleep(0.005)


def is_judging(path):
    """Tell whether the ledger of a killed run says that judging had begun."""
    if not path.exists():
        return False
    ledger = open_ledger(str(path), read_only=True)
    try:
        return next(ledger.read(kinds=[Kind.RUN_OPENED]), None) is not None
    finally:
        ledger.close()


def recorded(folder):
    """Return what a ledger holds but for times, ids of runs and latencies."""
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    try:
        outputs = {entry.key: entry.content["text"] for entry in ledger.read(kinds=[Kind.OUTPUT])}
        judged = {entry.key: entry.content["judgement"] for entry in ledger.read(kinds=[Kind.JUDGEMENT])}
    finally:
        ledger.close()
    return outputs, judged


@pytest.mark.long
def test_killed_studies_ask_again_no_more_than_was_under_way_and_end_as_undisturbed_ones(tmp_path, figures):
    moments, cases = random.Random(SEED), 8 + 2 * KILLS
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    config = write_study(killed, cases)
    kills = in_judging = 0
    for _ in range(KILLS):
        with start_venire("run", config, "--quiet", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            wait_for_more(killed / "asked.log", moments.randint(0, 12), process, 2 * cases)
            time.sleep(moments.uniform(0, 0.05))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
                in_judging += is_judging(killed / "ledger.sqlite")
            process.wait()
    assert kills
    assert venire("run", config, "--quiet") == 0
    assert venire("audit", killed / "ledger.sqlite") == 0
    asked = Counter((killed / "asked.log").read_text().split())
    assert len(asked) == 2 * cases
    again = sum(asked.values()) - len(asked)
    assert again <= kills * 2 * (CONCURRENCY + CONCURRENCY // 2)
    undisturbed = write_study(whole, cases)
    assert venire("run", undisturbed, "--quiet") == 0
    assert recorded(killed) == recorded(whole)
    counts = {"kills": kills, "after_collecting": in_judging, "outputs": 2 * cases, "asked_again": again}
    figures("kills during venire run", **counts)
