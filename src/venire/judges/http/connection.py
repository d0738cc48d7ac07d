"""One connection to a server: a request is sent, and llhttp reads what comes back."""

from __future__ import annotations

import asyncio
import zlib
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from venire.judges.http.failures import BrokenOffError, HungUpError, NotHttpError

MOST_FRAME_BYTES, MOST_FRAME_SHARE = 64 * 1024, 8
"""What may come beside the body, such as headers: so many bytes, and so many more for each byte of the body."""
_GZIP = 16 + zlib.MAX_WBITS


class Exchange:
    """A request, and what has arrived of its answer; also if it then breaks off."""

    __slots__ = ("chunks", "headers", "is_cut", "limit", "request", "size", "status")

    def __init__(self, request: bytes, limit: int) -> None:
        self.request = request
        """What is sent; empty once it was: while many wait for answers, the next ones take the same memory."""
        self.limit = limit
        """How many bytes of the body are kept, after unpacking."""
        self.status: int | None = None
        """The status; None before it has come."""
        self.headers: dict[str, str] = {}
        """The first header of each name, in lower case."""
        self.chunks: list[bytes] = []
        """The body."""
        self.size = 0
        self.is_cut = False
        """Whether more would have come."""

    @property
    def body(self) -> bytes:
        """The body in one piece, up to the limit."""
        return b"".join(self.chunks)[: self.limit]


class Connection(asyncio.BufferedProtocol):
    """Sends one request at a time. What the server sends without having been asked ends the connection.

    What arrives is read into `room`, which connections of one loop may share: it is taken from there at once. A plain
    protocol would make room for 256 KB each time, which takes longer than reading an answer.
    """

    def __init__(self, room: memoryview) -> None:
        self._room = room
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: Exchange | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._unpack: zlib._Decompress | None = None
        self._is_in_body = self._ends_with_connection = False
        self._frame_bytes = self._body_bytes = 0
        self.is_open = False
        """Whether another request can be sent."""
        self._gone: asyncio.Future[None] | None = None
        self.idle_since = 0.0
        """When it was last given back."""

    async def send(self, exchange: Exchange) -> None:
        """Send the request, and fill in the answer until it is complete or over its limit. To cancel is to hang up.

        Raises an `HttpFailure`, or `TimeoutError` if `time_out` was called.
        """
        if self._transport is None:
            raise HungUpError
        waiter = self._waiter = asyncio.get_running_loop().create_future()
        self._answer = exchange
        self._transport.write(exchange.request)
        exchange.request = b""
        try:
            await waiter
        except BaseException:
            self.hang_up()
            raise
        finally:
            self._waiter = self._answer = None

    def time_out(self) -> None:
        """Wait no longer for the answer."""
        self._fail(TimeoutError())

    def hang_up(self) -> None:
        """Close the connection at once, whatever is under way."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    async def closed(self) -> None:
        """Hang up, and wait until the connection is gone."""
        if self._transport is None:
            return
        self._gone = asyncio.get_running_loop().create_future()
        self.hang_up()
        await self._gone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to the server."""
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - there is always the same room
        """Say where to put what the server sends."""
        return self._room

    def buffer_updated(self, nbytes: int) -> None:
        """Read what the server has sent."""
        answer = self._answer
        if answer is None:
            self.hang_up()
            return
        self._frame_bytes += nbytes
        try:
            self._parser.feed_data(self._room[:nbytes])
        except (HttpParserError, HttpParserUpgrade):
            self._fail(NotHttpError())
            return
        if self._frame_bytes > MOST_FRAME_BYTES + MOST_FRAME_SHARE * self._body_bytes:
            self._fail(NotHttpError())

    def eof_received(self) -> None:
        """End an answer that has no other end."""
        if self._answer is not None and self._is_in_body and self._ends_with_connection:
            self.is_open = False
            self._finish()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - what matters is how far the answer is
        """Tell whoever waits for an answer that none will come."""
        self.is_open, self._transport = False, None
        has_begun = self._answer is not None and self._answer.status is not None
        self._fail(BrokenOffError() if has_begun else HungUpError())
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)

    def on_message_begin(self) -> None:
        """Make ready for an answer."""
        if self._answer is None:
            self.is_open = False  # More than one answer to a request: what comes next would be taken for another's.

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those behind a body are left out."""
        if self._answer is not None and not self._is_in_body:
            self._answer.headers.setdefault(name.lower().decode("latin-1"), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        """See how the body comes."""
        answer = self._answer
        if answer is None:
            return
        status = self._parser.get_status_code()
        if status < 200:  # Not the answer yet.
            answer.headers.clear()
            return
        answer.status, headers = status, answer.headers
        self._is_in_body = True
        self._ends_with_connection = "content-length" not in headers and "transfer-encoding" not in headers
        self._unpack = zlib.decompressobj(_GZIP) if headers.get("content-encoding", "").lower() == "gzip" else None

    def on_body(self, chunk: bytes) -> None:
        """Keep a piece of the body, and hang up where it is too long."""
        answer = self._answer
        if answer is None:
            return
        self._body_bytes += len(chunk)
        self._frame_bytes -= len(chunk)
        if self._unpack is not None:
            try:
                chunk = self._unpack.decompress(chunk, answer.limit - answer.size + 1)
            except zlib.error:
                self._fail(BrokenOffError())
                return
        answer.chunks.append(chunk)
        answer.size += len(chunk)
        if answer.size > answer.limit:
            answer.is_cut = True
            self.hang_up()
            self._finish()

    def on_message_complete(self) -> None:
        """Hand over an answer that is complete."""
        if self._answer is None or self._answer.status is None:
            return
        if self._unpack is not None and not self._unpack.eof and self._answer.size:
            self._fail(BrokenOffError())
            return
        self.is_open = self.is_open and self._parser.should_keep_alive()
        self._finish()

    def _finish(self) -> None:
        """Wake whoever waits, and be ready for the next answer."""
        waiter, self._answer = self._waiter, None
        self._is_in_body, self._unpack = False, None
        self._frame_bytes = self._body_bytes = 0
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _fail(self, error: Exception) -> None:
        waiter, self._answer = self._waiter, None
        self.hang_up()
        if waiter is not None and not waiter.done():
            waiter.set_exception(error)
