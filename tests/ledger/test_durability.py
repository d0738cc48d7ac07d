"""A process is killed, or the power is cut, at random moments: what was said to be durable is there afterwards.

`VENIRE_KILLS` and `VENIRE_POWER_CUTS` say how often, `VENIRE_SEED` at which moments.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

from power_cuts import ForgetfulDisk, Operation, RecordingDisk
from venire.errors import LedgerError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Kind
from venire.ledger.sqlite.ledger import SqliteLedger

KILLS = int(os.environ.get("VENIRE_KILLS", "30"))
POWER_CUTS = int(os.environ.get("VENIRE_POWER_CUTS", "100"))
SEED = int(os.environ.get("VENIRE_SEED", "1"))

APPENDS = 15
"""How many appends there are between two power cuts that a ledger lives through."""
CUTS_PER_LIFE = 50
"""How many cuts are tried at moments of the same life; the next life begins with what the last of them has left."""
LIVES_PER_LEDGER = 6
"""After how many lives a new ledger is begun, so that files stay small."""
CHECKPOINT_PAGES = 30
"""How long the log grows until it is copied into the file; with SQLite's own 1,000 that would hardly ever be cut."""

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


def test_no_acknowledged_entry_is_lost_when_the_writer_is_killed(tmp_path, figures):
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
    figures("killed writers", kills=KILLS, acknowledged_entries=len(acknowledged), lost=len(lost))
    assert len(acknowledged) > KILLS


@pytest.fixture
def disk():
    recording = RecordingDisk()
    frequent = partial(apsw.Connection.wal_autocheckpoint, n=CHECKPOINT_PAGES)
    apsw.connection_hooks.append(frequent)
    yield recording
    apsw.connection_hooks.remove(frequent)
    recording.unregister()


class Life(NamedTuple):
    """What was done to a ledger between two power cuts."""

    trace: list[Operation]
    """All writes and syncs, and `acknowledged` with the length of the ledger after each append that returned."""
    hashes: list[str]
    """The hashes of all entries at the end."""


def live(disk, folder, files, chance):
    """Append to a ledger of which these files are left, close it now and then, and return what was done."""
    restore(folder, files)
    disk.trace.clear()
    path = folder / "ledger.sqlite"
    ledger = SqliteLedger(path)
    disk.trace.append(("acknowledged", ledger.head().sequence))
    for number in range(APPENDS):
        keys = [f"{chance.randbytes(8).hex()}-{number}" for _ in range(chance.randint(1, 4))]
        blobs = [chance.randbytes(chance.choice([0, 200, 9_000, 30_000])) for _ in keys]
        head = ledger.append([Draft(Kind.REPLY, {}, key, blob) for key, blob in zip(keys, blobs, strict=True)])
        disk.trace.append(("acknowledged", head.sequence))
        if chance.random() < 0.1:
            ledger.close()
            ledger = SqliteLedger(path)
    hashes = [entry.hash for entry in ledger.read()]
    ledger.close()
    return Life(list(disk.trace), hashes)


def restore(folder, files):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def cuts_in(life, files, count, chance):
    """Yield so many moments of a life: what a cut leaves, how much was acknowledged, and where the next append ends."""
    ends = [operation[1] for operation in life.trace if operation[0] == "acknowledged"]
    forgetful, acknowledged = ForgetfulDisk(files), ends[0]  # Opening adds no entry.
    moments = Counter(chance.choices(range(len(life.trace)), k=count))
    for moment, operation in enumerate(life.trace):
        if operation[0] == "acknowledged":
            acknowledged = operation[1]
            ends.pop(0)
        else:
            forgetful.do(operation)
        for _ in range(moments[moment]):
            yield forgetful.survivors(chance), acknowledged, ends[0] if ends else acknowledged


def outcome(folder, left, hashes, ends):
    """Open what a power cut has left, and tell in a word how it is."""
    restore(folder, left)
    try:
        ledger = SqliteLedger(folder / "ledger.sqlite")
    except LedgerError:
        return "unreadable"
    try:
        found = [entry.hash for entry in ledger.read()]
        if found not in [hashes[:end] for end in ends]:
            return "lost"
        if not audit_chain(ledger).intact or ledger.storage_problems():
            return "damaged"
        return "kept" if ledger.append([Draft(Kind.REPLY, {}, "next")]).sequence == len(found) + 1 else "lost"
    except LedgerError:
        return "unreadable"
    finally:
        ledger.close()


def cut_power(disk, folder, count, *, is_honest=True):
    """Cut the power so many times and count how the ledger was after it; each life begins with what a cut has left."""
    chance, outcomes, entries, files = random.Random(SEED), Counter(), 0, {}
    for number in range(-(-count // CUTS_PER_LIFE)):
        files = files if number % LIVES_PER_LEDGER else {}
        life = live(disk, folder / "life", files, chance)
        if not is_honest:
            life = life._replace(trace=[operation for operation in life.trace if operation[0] != "sync"])
        cuts = min(CUTS_PER_LIFE, count - outcomes.total())
        for left, acknowledged, end in cuts_in(life, files, cuts, chance):
            outcomes[outcome(folder / "cut", left, life.hashes, (acknowledged, end))] += 1
            entries += acknowledged
        files = left if is_honest else {}
    return outcomes, entries


def test_no_acknowledged_entry_is_lost_when_the_power_is_cut(disk, tmp_path, figures):
    outcomes, entries = cut_power(disk, tmp_path, POWER_CUTS)

    bad = {name: outcomes[name] for name in ("lost", "damaged", "unreadable")}
    figures("power cuts", cuts=outcomes.total(), acknowledged_entries_looked_up=entries, **bad)
    assert outcomes == {"kept": POWER_CUTS}


def test_the_simulation_notices_what_a_disk_loses_that_does_not_sync(disk, tmp_path):
    outcomes, _ = cut_power(disk, tmp_path, 40, is_honest=False)

    assert outcomes["lost"] > 0
