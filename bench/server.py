"""The server under votes: CPU per vote beside a bare handler, a first page over a million votes, a crowd of 10,000.

Run: python -m bench.server votes|shared|page|crowd [--count N]

All times are CPU times of the server's process, from /proc; the load comes from another process on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from venire.domain.vote import Vote  # noqa: E402
from venire.ledger.entry import Kind  # noqa: E402
from venire.ledger.location import open_ledger  # noqa: E402
from venire.votes.entries import VoteEntry, vote_draft  # noqa: E402
from voting_crowd import CourtProcess, Voter, connect_all  # noqa: E402


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def cast_all(voters: list[Voter], items: list[str]) -> None:
    await connect_all(voters)

    async def go(voter: Voter) -> None:
        for item in items:
            await voter.vote(item)

    await asyncio.gather(*map(go, voters))
    for voter in voters:
        voter.close()


def votes(count: int) -> None:
    """Measure vote POSTs per CPU second, by turns with the bare handler."""
    connections, rates = 100, {"court": [], "bare": []}
    items_each = max(1, count // connections)
    for _ in range(5):
        for name, measured in rates.items():
            with tempfile.TemporaryDirectory() as folder:
                court = CourtProcess(Path(folder), items_each)
                secrets = court.invite(connections)
                if name == "court":
                    pid = court.start()
                else:
                    number = court.listening.fileno()
                    command = [sys.executable, ROOT / "bench" / "bare_server.py", f"{folder}/bare.sqlite", str(number)]
                    court.process = subprocess.Popen(command, pass_fds=[number])
                    pid = court.process.pid
                voters = [Voter(court.port, secret) for secret in secrets]
                asyncio.run(cast_all(voters[:5], court.items[:1]))  # Started and warm.
                before = cpu_seconds(pid)
                asyncio.run(cast_all(voters[5:], court.items))
                used = cpu_seconds(pid) - before
                done = sum(len(voter.confirmed) for voter in voters[5:])
                assert done == (connections - 5) * items_each
                measured.append(done / used)
                court.stop()
    for name, measured in rates.items():
        print(f"{name}: {statistics.median(measured):,.0f} vote POSTs per CPU second {[round(x) for x in measured]}")
    ratios = [court / bare for court, bare in zip(rates["court"], rates["bare"], strict=True)]
    print(f"ratio court / bare: {statistics.median(ratios):.2f} {[round(ratio, 2) for ratio in ratios]}")


def shared(count: int) -> None:
    """Measure vote POSTs per CPU second on PostgreSQL, by one and by two processes, by turns with a ledger file."""
    from postgres_server import WRITER, PostgresServer
    from venire.server.people.registry_postgres import set_up_people

    connections = 100
    items_each = max(1, count // connections)
    server = PostgresServer(durable=True)
    rates: dict[str, list[float]] = {
        "a file, 1 process": [],
        "PostgreSQL, 1 process": [],
        "PostgreSQL, 2 processes": [],
    }
    for _ in range(5):
        for name, measured in rates.items():
            with tempfile.TemporaryDirectory() as folder:
                address = ""
                if name.startswith("PostgreSQL"):
                    database = server.new_ledger()
                    set_up_people(server.url(database), [WRITER])
                    address = server.url(database, WRITER)
                processes = 2 if name.endswith("2 processes") else 1
                courts = [CourtProcess(Path(folder), items_each, address) for _ in range(processes)]
                secrets = courts[0].invite(connections)
                pids = [court.start() for court in courts]
                warm = [Voter(court.port, secret) for court in courts for secret in secrets[:5]]
                asyncio.run(cast_all(warm, courts[0].items[:1]))
                ports = [courts[number % processes].port for number in range(connections)]
                voters = [Voter(port, secret) for port, secret in zip(ports[5:], secrets[5:], strict=True)]
                before = sum(map(cpu_seconds, pids))
                asyncio.run(cast_all(voters, courts[0].items))
                used = sum(map(cpu_seconds, pids)) - before
                done = sum(len(voter.confirmed) for voter in voters)
                assert done == (connections - 5) * items_each
                measured.append(done / used)
                for court in courts:
                    court.stop()
    server.remove()
    for name, measured in rates.items():
        print(f"{name}: {statistics.median(measured):,.0f} vote POSTs per CPU second {[round(x) for x in measured]}")
    file, one, two = rates.values()
    for name, above, below in (("PostgreSQL / file", one, file), ("2 processes / 1 process", two, one)):
        ratios = [first / second for first, second in zip(above, below, strict=True)]
        print(f"ratio {name}: {statistics.median(ratios):.2f} {[round(ratio, 2) for ratio in ratios]}")


def page(count: int) -> None:
    """Measure the first page over many votes."""
    import aiohttp

    from venire.server.people.person import Role
    from venire.server.people.registry import CredentialKind, Registry

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        court = CourtProcess(path, 1000)
        fill(path / "ledger.sqlite", count)
        registry = Registry(path / "people.sqlite")
        key = registry.issue(CredentialKind.KEY, Role.READER).secret
        registry.close()
        pid = court.start()

        async def ask() -> None:
            headers = {"Authorization": f"Bearer {key}", "Accept": "text/html"}
            base = f"http://127.0.0.1:{court.port}"
            async with aiohttp.ClientSession(base, headers=headers, timeout=aiohttp.ClientTimeout(600)) as session:
                await (await session.get("/api/v1/health")).read()
                print(f"loading {count:,} votes: {cpu_seconds(pid):.1f} CPU s, {memory(pid):,.0f} MB")
                for address in ("/", "/", "/api/v1/overview", "/queue", "/api/v1/scores?limit=100"):
                    before = cpu_seconds(pid)
                    answer = await session.get(address)
                    body = await answer.read()
                    used = 1000 * (cpu_seconds(pid) - before)
                    print(f"GET {address}: {answer.status}, {len(body):,} bytes, {used:.0f} CPU ms")

        asyncio.run(ask())
        court.stop()


def memory(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def fill(path: Path, count: int) -> None:
    """Append votes of 5,000 voters on 1,000 items over a year."""
    chance = random.Random(1)
    start = datetime.now(UTC) - timedelta(days=365)
    ledger = open_ledger(str(path))
    for first in range(0, count, 20_000):
        drafts = []
        for number in range(first, min(count, first + 20_000)):
            item = number % 1000
            leaning = 0.5 if item % 50 == 0 else 0.999
            vote = Vote(
                inference_id=f"secretmodel-{item}",
                vote=float(chance.random() < leaning),
                voter_id=f"voter-{number // 1000 * 7 + item % 7}",
                vote_time=start + timedelta(seconds=number * (360 * 86400 / count)),
                voter_prompt_id="accept",
            )
            drafts.append(vote_draft(VoteEntry(vote)))
        ledger.append(drafts)
    ledger.close()


def crowd(count: int) -> None:
    """Let so many connections vote at once, and look for lost and doubled votes."""
    with tempfile.TemporaryDirectory() as folder:
        court = CourtProcess(Path(folder), 2)
        secrets = court.invite(count)
        pid = court.start()
        voters = [Voter(court.port, secret) for secret in secrets]
        began = time.perf_counter()
        asyncio.run(cast_all(voters, court.items))
        used = time.perf_counter() - began
        confirmed = {key for voter in voters for key in voter.confirmed.values()}
        print(f"{count:,} connections, {len(confirmed):,} votes confirmed in {used:.1f} s, {memory(pid):,.0f} MB")
        court.stop()
        ledger = open_ledger(f"{folder}/ledger.sqlite", read_only=True)
        entries = [entry for entry in ledger.read(kinds=[Kind.VOTE]) if "vote" in entry.content]
        places = Counter(
            (entry.content["vote"]["voter_id"], entry.content["vote"]["inference_id"]) for entry in entries
        )
        lost = len(confirmed - court.receipts({entry.key for entry in entries}))
        doubled = sum(number - 1 for number in places.values())
        print(f"lost {lost}, doubled {doubled}, refused {sum(len(voter.refused) for voter in voters)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["votes", "shared", "page", "crowd"])
    parser.add_argument("--count", type=int)
    said = parser.parse_args()
    defaults = {"votes": (votes, 3_000), "shared": (shared, 3_000), "page": (page, 1_000_000), "crowd": (crowd, 10_000)}
    run, usual = defaults[said.what]
    run(said.count or usual)
