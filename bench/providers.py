"""CPU per call of the HTTP providers beside a bare aiohttp loop that posts the same bytes and reads the answer.

Run: `python -m bench.providers [CALLS] [ROUNDS]`. The server is another process, so only the client's CPU is counted.
Rounds alternate between the contestants and the median of the rounds' ratios is printed, because the machine is noisy.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import aiohttp
import msgspec

from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider

CONCURRENCY = 16
PROMPT = "Judge this text carefully and answer in JSON. " * 60
REQUEST = Request("m-1", "You are a judge.", PROMPT, Decoding(), {"type": "object"})


async def measure(call: Callable[[], Awaitable[object]], calls: int) -> float:
    """Return the CPU seconds per 1,000 calls."""

    async def work() -> None:
        for _ in range(calls // CONCURRENCY):
            await call()

    await call()
    start = time.process_time()
    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return (time.process_time() - start) / (calls // CONCURRENCY * CONCURRENCY) * 1000


async def bare_loop(url: str, calls: int) -> float:
    payload = msgspec.json.encode(
        {
            "model": "m-1",
            "messages": [{"role": "system", "content": REQUEST.system}, {"role": "user", "content": PROMPT}],
            "max_tokens": 2048,
        }
    )
    async with aiohttp.ClientSession(headers={"Content-Type": "application/json"}) as session:

        async def call() -> object:
            async with session.post(url, data=payload) as response:
                return msgspec.json.decode(await response.read())

        return await measure(call, calls)


async def provider_loop(kind: str, base_url: str, calls: int) -> float:
    provider = create_provider(kind, {"base_url": base_url})

    async def call() -> object:
        reply = await provider.ask(REQUEST)
        if reply.error:
            raise SystemExit(reply.error)
        return reply

    try:
        return await measure(call, calls)
    finally:
        await provider.close()


def main() -> None:
    calls, rounds = (int(value) for value in (sys.argv[1:] + ["2000", "7"][len(sys.argv) - 1 :]))
    server = subprocess.Popen(
        [sys.executable, "-m", "judge_server", "--log", os.devnull], cwd="tests", stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        base_url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        ratios: dict[str, list[float]] = {"openai_compatible": [], "anthropic_compatible": []}
        bare = []
        for _ in range(rounds):
            bare.append(asyncio.run(bare_loop(f"{base_url}/chat/completions", calls)))
            for kind, values in ratios.items():
                values.append(asyncio.run(provider_loop(kind, base_url, calls)) / bare[-1])
        print(f"bare aiohttp loop: {statistics.median(bare):.3f} CPU s per 1,000 calls (median of {rounds} rounds)")
        for kind, values in ratios.items():
            print(f"{kind}: {statistics.median(values):.2f} times the bare loop ({min(values):.2f}-{max(values):.2f})")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
