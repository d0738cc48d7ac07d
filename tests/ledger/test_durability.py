"""A real process is killed at random moments; what it was told is durable must be there afterwards."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from venire.ledger.audit import audit_chain
from venire.ledger.entry import Kind
from venire.ledger.sqlite import SqliteLedger

KILLS = int(os.environ.get("VENIRE_KILLS", "30"))
SEED = int(os.environ.get("VENIRE_SEED", "1"))

WRITER = Path(__file__).with_name("killed_writer.py")


def run_until_killed(path, acknowledgements, seconds):
    """Start a writer, kill it some time after it has acknowledged so many entries, and return all it acknowledged."""
    with subprocess.Popen([sys.executable, str(WRITER), str(path)], stdout=subprocess.PIPE) as writer:
        lines = [writer.stdout.readline() for _ in range(acknowledgements)]
        with suppress(subprocess.TimeoutExpired):
            writer.wait(seconds)
        writer.kill()
        lines += writer.stdout.readlines()
    assert writer.returncode == -signal.SIGKILL
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()  # Killed in the middle of the line.
    return [tuple(line.decode().split()) for line in lines]


def test_no_acknowledged_entry_is_lost_when_the_writer_is_killed(tmp_path):
    path = tmp_path / "ledger.db"
    moments = random.Random(SEED)
    acknowledged: dict[str, str] = {}
    for _ in range(KILLS):
        # Without acknowledgements it dies while it starts, opens the file or makes the schema.
        acknowledgements, seconds = moments.choice([(0, 0.2), (1, 0.01), (20, 0.01), (60, 0.03)])
        acknowledged.update(run_until_killed(path, acknowledgements, moments.uniform(0, seconds)))
        ledger = SqliteLedger(path)
        report = audit_chain(ledger)
        stored = {entry.key: entry.blob.decode() for entry in ledger.read(kinds={Kind.REPLY})}
        ledger.close()
        assert report.intact, report.first_broken
        lost = {key: value for key, value in acknowledged.items() if stored.get(key) != value}
        assert not lost
    assert len(acknowledged) > KILLS
