"""Sends one JSON request to a judge's server and brings back the raw bytes; every failure is a value."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from venire.judges.http.address import address_of, request_head
from venire.judges.http.connection import Exchange
from venire.judges.http.errors import kind_of_status, rate_limits, retry_after_seconds, say_connection_error, say_status
from venire.judges.http.failures import HttpFailure
from venire.judges.http.key import KeyEraser
from venire.judges.http.pool import CONNECT_SECONDS, ConnectionPool
from venire.judges.http.proxy import proxy_for
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from venire.judges.provider import ErrorKind, LimitLeft

_encoder = msgspec.json.Encoder()


class HttpAnswer(msgspec.Struct, frozen=True, gc=False):
    """What an HTTP server sent back, or why nothing came."""

    body: bytes
    """The bytes that arrived, up to the limit; the key, should the server repeat it, is struck out."""
    status: int | None
    """The HTTP status; None if there was no HTTP answer."""
    latency_seconds: float
    """The time from sending to the last byte."""
    cut: bool = False
    """Whether more bytes would have come."""
    error: str | None = None
    """What went wrong below HTTP, or the bare status; None for a 2xx answer."""
    error_kind: ErrorKind | None = None
    """The kind of the error; None for a 2xx answer."""
    retry_after_seconds: float | None = None
    """How long the server asks to be left alone."""
    rate_limits: tuple[LimitLeft, ...] = ()
    """What the server says is left of its limits."""


class HttpSender:
    """Keeps connections to one address open and posts to it. The key lives here and is never shown."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        key: str | None,
        timeout_seconds: float,
        max_reply_bytes: int,
        max_connections: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        given = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        server, proxy = urlsplit(url), proxy_for(urlsplit(url))
        self._server = address_of(server)
        self._proxy = address_of(proxy) if proxy else None
        self._head = request_head("POST", url, given, self._proxy)
        self._headers = given
        self._eraser = KeyEraser(key)
        self._timeout_seconds = timeout_seconds
        self._max_reply_bytes = max_reply_bytes
        self._max_connections = max_connections
        self._now = now
        self._pool: ConnectionPool | None = None

    async def post(self, message: dict[str, Any]) -> HttpAnswer:
        """Post once and return what came back; raises nothing that the network or the judged text can cause."""
        try:
            payload = _encoder.encode(message)
        except UnicodeEncodeError:
            words: str = say("error.judge.prompt_surrogates")
            return HttpAnswer(b"", None, 0.0, error=words, error_kind="bad_request")
        exchange = Exchange(
            b"%bContent-Length: %d\r\n\r\n%b" % (self._head, len(payload), payload), self._max_reply_bytes
        )
        del payload  # It is in the request.
        return await self._answered(exchange, self._timeout_seconds)

    async def get(self, url: str) -> HttpAnswer:
        """Get what stands at another address of the same server, soon or not at all; raises as `post` does."""
        head = request_head("GET", url, self._headers, self._proxy)
        return await self._answered(Exchange(head + b"\r\n", self._max_reply_bytes), CONNECT_SECONDS)

    async def _answered(self, exchange: Exchange, timeout_seconds: float) -> HttpAnswer:
        # A redirect is an answer like any other: to follow it could carry the key to another host.
        start = time.perf_counter()
        try:
            await (self._pool or self._open()).send(exchange, timeout_seconds)
        except (HttpFailure, OSError) as error:  # TLS that fails, and what takes too long, are of the second.
            kind, words = say_connection_error(error, timeout_seconds)
            body = self._eraser.strike_out(exchange.body, cut=True)
            return HttpAnswer(body, exchange.status, time.perf_counter() - start, error=words, error_kind=kind)
        latency = time.perf_counter() - start
        body = self._eraser.strike_out(exchange.body, cut=exchange.is_cut)
        status, headers = exchange.status or 0, exchange.headers
        left = rate_limits(headers, self._now())
        if 200 <= status < 300:
            return HttpAnswer(body, status, latency, cut=exchange.is_cut, rate_limits=left)
        return HttpAnswer(
            body,
            status,
            latency,
            cut=exchange.is_cut,
            error=say_status(status),
            error_kind=kind_of_status(status),
            retry_after_seconds=retry_after_seconds(headers.get("retry-after"), self._now()),
            rate_limits=left,
        )

    async def close(self) -> None:
        """Close all connections; a later post opens new ones."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    def _open(self) -> ConnectionPool:
        # Made here and not in __init__, because connections belong to the running event loop.
        self._pool = ConnectionPool(self._server, self._proxy, self._max_connections)
        return self._pool
