"""Asks a proxy for a way through to a server, which TLS is then spoken on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from venire.judges.http.failures import HungUpError, NotHttpError, ProxyRefusedError

if TYPE_CHECKING:
    from venire.judges.http.address import Address


class Tunnel(asyncio.Protocol):
    """The connection to a proxy, until the proxy has answered."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None

    async def reach(self, server: Address, proxy: Address) -> None:
        """Ask for the way to a server; raises an `HttpFailure` if the proxy gives none. It is told nothing else."""
        if self._transport is None:
            raise HungUpError
        head = f"CONNECT {server.authority} HTTP/1.1\r\nHost: {server.authority}\r\n{proxy.credentials}\r\n"
        self._transport.write(head.encode("ascii"))
        status = 0
        try:
            status = await self._status
        finally:
            if not 200 <= status < 300:
                self._transport.abort()
        if not 200 <= status < 300:
            raise ProxyRefusedError(status)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to the proxy."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Read the proxy's answer, up to the end of its headers."""
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._end(NotHttpError(str(error)))

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - why does not matter
        """Tell whoever waits that there is no way."""
        self._end(HungUpError())

    def on_headers_complete(self) -> None:
        """Hand over the status; an answer that lets us through has no body."""
        status = self._parser.get_status_code()
        if status >= 200 and not self._status.done():
            self._status.set_result(status)

    def _end(self, failure: Exception) -> None:
        if not self._status.done():
            self._status.set_exception(failure)
            self._status.exception()  # Nobody waits any more where the connection ends after it was cancelled.
