"""What a used ledger costs that is far away: 600 tasks on an empty ledger in PostgreSQL and on one that holds others.

Run: `python -m bench.distant_ledger [TASKS] [MILLISECONDS] [ROUNDS]`. A proxy on loopback, in a process of its own,
holds back all that passes, each way, for half the milliseconds. The judge is in this process and replies at once, so
that what is measured is the ledger. The used ledger holds as many replies about other samples.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from experiment import FakeProvider, make_judge, make_samples
from postgres_server import PostgresServer
from venire.judges.panel import JudgeLimits
from venire.ledger.postgres.ledger import PostgresLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel


async def _delay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    while data := await reader.read(1 << 20):
        loop.call_later(seconds, writer.write, data)
    loop.call_later(seconds, writer.close)


def _proxy(port: int, seconds: float, told: Connection) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_delay(reader, server_writer, seconds), _delay(server_reader, writer, seconds))

    async def serve() -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def run(url: str, first: int, tasks: int) -> float:
    """Judge samples from a number on, and return the seconds that it took."""
    samples = make_samples(first + tasks)[first:]
    judge = make_judge(limits=JudgeLimits(concurrency=32))
    spec = RunSpec(find_protocol("drift-sample"), (judge,), lambda: iter(samples), RunnerOptions(reask_share=0))
    ledger = PostgresLedger(url)
    began = time.perf_counter()
    result = asyncio.run(run_panel(spec, ledger, LocalEngine({judge.name: FakeProvider()})))
    seconds = time.perf_counter() - began
    ledger.close()
    assert result.counts[judge.name].done == tasks
    return seconds


def main(tasks: int = 600, milliseconds: int = 10, rounds: int = 3) -> None:
    server = PostgresServer()
    hear, tell = Pipe(duplex=False)
    proxy = Process(target=_proxy, args=(server.port, milliseconds / 2000, tell), daemon=True)
    proxy.start()
    port = hear.recv()
    try:
        ratios = []
        for _ in range(rounds):
            url = server.tcp_url(server.new_ledger()).replace(f":{server.port}/", f":{port}/")
            empty, used = run(url, 0, tasks), run(url, tasks, tasks)
            print(f"{tasks} tasks at {milliseconds} ms: empty ledger {empty:.2f} s, used {used:.2f} s")
            ratios.append(used / empty)
        print(f"median of the ratios: {statistics.median(ratios):.2f}")
    finally:
        proxy.terminate()
        server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
