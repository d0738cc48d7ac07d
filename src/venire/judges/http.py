"""Sends one JSON request to a judge's server and brings back the raw bytes; every failure is a value."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
from yarl import URL

from venire.judges.http_errors import kind_of_status, rate_limits, retry_after_seconds, say_connection_error, say_status
from venire.judges.http_key import KeyEraser
from venire.judges.http_proxy import proxy_for
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from venire.judges.provider import ErrorKind, LimitLeft

_encoder = msgspec.json.Encoder()

CONNECT_SECONDS = 15.0
"""How long a server may take to accept a connection; much shorter than its thinking may take."""


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
        self._url = URL(url)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        self._proxy = proxy_for(self._url)
        self._eraser = KeyEraser(key)
        self._timeout_seconds = timeout_seconds
        self._max_reply_bytes = max_reply_bytes
        self._max_connections = max_connections
        self._now = now
        self._session: aiohttp.ClientSession | None = None

    async def post(self, message: dict[str, Any]) -> HttpAnswer:
        """Post once and return what came back; raises nothing that the network or the judged text can cause."""
        try:
            payload = _encoder.encode(message)
        except UnicodeEncodeError:
            words: str = say("error.judge.prompt_surrogates")
            return HttpAnswer(b"", None, 0.0, error=words, error_kind="bad_request")
        # A redirect is not followed: it could carry the key to another host.
        session = self._session or self._open()
        return await self._exchange(session.post(self._url, data=payload, headers=self._headers, allow_redirects=False))

    async def get(self, url: str) -> HttpAnswer:
        """Get what stands at another address of the same server, soon or not at all; raises as `post` does."""
        session, soon = self._session or self._open(), aiohttp.ClientTimeout(total=CONNECT_SECONDS)
        return await self._exchange(session.get(url, headers=self._headers, allow_redirects=False, timeout=soon))

    async def _exchange(self, question: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> HttpAnswer:
        start = time.perf_counter()
        status: int | None = None
        received = bytearray()
        try:
            async with question as response:
                status = response.status
                whole = await self._read(response, received)
                headers = response.headers
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            kind, words = say_connection_error(error, self._timeout_seconds)
            body = self._eraser.strike_out(bytes(received), cut=True)
            return HttpAnswer(body, status, time.perf_counter() - start, error=words, error_kind=kind)
        latency = time.perf_counter() - start
        body = self._eraser.strike_out(bytes(received), cut=not whole)
        left = rate_limits(headers, self._now())
        if 200 <= status < 300:
            return HttpAnswer(body, status, latency, cut=not whole, rate_limits=left)
        return HttpAnswer(
            body,
            status,
            latency,
            cut=not whole,
            error=say_status(status),
            error_kind=kind_of_status(status),
            retry_after_seconds=retry_after_seconds(headers.get("Retry-After"), self._now()),
            rate_limits=left,
        )

    async def close(self) -> None:
        """Close all connections; a later post opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _read(self, response: aiohttp.ClientResponse, received: bytearray) -> bool:
        """Read up to the limit and tell whether that was all; the limit holds after decompression."""
        limit = self._max_reply_bytes
        content = response.content
        while chunk := await content.readany():
            received += chunk
            if len(received) > limit:
                del received[limit:]
                response.close()
                return False
        return True

    def _open(self) -> aiohttp.ClientSession:
        # Made here and not in __init__, because a session belongs to the running event loop. It has no headers of its
        # own: it would send them, and the key among them, to a proxy in the clear before it speaks TLS to the server.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._max_connections, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._timeout_seconds, sock_connect=CONNECT_SECONDS),
            proxy=self._proxy,
        )
        return self._session
