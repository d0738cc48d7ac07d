"""A judge that answers at once: a bare HTTP server that finds the handle and the judged text in the prompt.

Run: python -m bench.fast_judge      prints its port on loopback and serves until it is killed

A request without a body is answered with the times at which all others have arrived since the last such one.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import ClassVar

import msgspec

from venire.protocols.catalogue import find_protocol

DIMENSIONS = find_protocol("drift-sample").dimension_ids
HANDLE = re.compile(rb"item-[0-9a-f]{10}")
JUDGED = b"to be judged:\\n===DATA-"
DOCUMENT = re.compile(rb'Document \\"([^"\\]+)\\":\\n(===DATA-[0-9a-f]+===)\\n(.*?)\\n\2', re.DOTALL)


def answer(body: bytes) -> bytes:
    handle, text = HANDLE.search(body), _judged(body).decode()
    quotes = [text[len(text) * share // 10 :][:60].strip() for share in (1, 3, 6, 8)]
    reply = {
        "meta": {"output_id": handle.group().decode() if handle else ""},
        "scores": {**dict.fromkeys(DIMENSIONS, 2), "overall_score": 8},
        "verdict": "PASS",
        "flags": [],
        "evidence": [
            {"dimension": dimension, "quote": quote, "reason": "It meets what this dimension asks for."}
            for dimension, quote in zip(DIMENSIONS, quotes, strict=True)
        ],
    }
    if document := DOCUMENT.search(body):
        reply["evidence"][0] |= {
            "source": document.group(1).decode(),
            "quote": document.group(3)[40:100].decode().strip(),
        }
    message = {"role": "assistant", "content": msgspec.json.encode(reply).decode()}
    return msgspec.json.encode(
        {
            "model": "bench-judge",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 300},
        }
    )


def _judged(body: bytes) -> bytes:
    """Return the judged text, which stands between two fences; a pattern with a lazy part took most of the time."""
    _, _, behind = body.partition(JUDGED)
    mark, _, rest = behind.partition(b"\\n")
    return rest.partition(b"\\n===DATA-" + mark)[0]


class Connection(asyncio.Protocol):
    """One connection of a client; requests come one after another, and each is taken when it has arrived whole."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take every request that has arrived whole."""
        self._received += data
        while True:
            head, separator, rest = self._received.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            size = int(length.group(1)) if length else 0
            if not separator or len(rest) < size:
                return
            self._received = rest[size:]
            self.take(rest[:size])

    def take(self, body: bytes) -> None:
        """Answer the body of a request."""
        raise NotImplementedError

    def send(self, body: bytes, status: bytes = b"200 OK") -> None:
        """Send an answer."""
        start = b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: "
        self._transport.write(start + str(len(body)).encode() + b"\r\n\r\n" + body)  # type: ignore[attr-defined]


class FastJudge(Connection):
    """Answers at once."""

    arrivals: ClassVar[list[float]] = []
    """When requests have arrived, on all connections."""

    def take(self, body: bytes) -> None:
        """Answer a request, or say when the others have arrived."""
        if body:
            self.arrivals.append(time.monotonic())
            self.send(answer(body))
        else:
            self.send(msgspec.json.encode(self.arrivals))
            self.arrivals.clear()


async def serve(connection: type[Connection]) -> None:
    """Serve on loopback, and print the port."""
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(FastJudge))
