"""Connections to one server that are kept open: made when they are needed, by the proxy if there is one, and reused."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import TYPE_CHECKING, cast

from aiohappyeyeballs import start_connection

from venire.judges.http.connection import Connection
from venire.judges.http.failures import ConnectTimeoutError, NoHostError, NotConnectedError, NoTlsError
from venire.judges.http.tunnel import Tunnel

if TYPE_CHECKING:
    from venire.judges.http.address import Address
    from venire.judges.http.connection import Exchange

CONNECT_SECONDS = 15.0
"""How long a server may take to accept a connection; much shorter than its thinking may take."""
IDLE_SECONDS = 15.0
"""How long a connection that nobody uses is trusted; servers close theirs after a while."""
READ_BYTES = 64 * 1024
"""How much is read at once of what a server sends."""
NAMES_SECONDS = 300.0
"""How long the addresses behind a name are remembered."""
_SECOND_ADDRESS_SECONDS = 0.25  # RFC 8305 §5


class ConnectionPool:
    """Keeps up to so many connections to one server; whoever needs one more waits. It belongs to the running loop."""

    def __init__(self, server: Address, proxy: Address | None, most: int) -> None:
        self._server = server
        self._proxy = proxy
        self._places = asyncio.Semaphore(most)
        self._room = memoryview(bytearray(READ_BYTES))
        self._idle: list[Connection] = []
        self._deadlines: dict[Connection, float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLContext | None = None
        self._found: tuple[list[socket._AddrInfo], float] = ([], 0.0)  # type: ignore[name-defined]

    async def send(self, exchange: Exchange, timeout_seconds: float) -> None:
        """Send a request and fill in its answer. Raises an `HttpFailure`, `OSError` or `TimeoutError`.

        A request whose connection turns out to be dead is not sent again: the server may have begun to work on it.
        """
        deadline = self._loop.time() + timeout_seconds
        if self._places.locked():
            async with asyncio.timeout_at(deadline):
                await self._places.acquire()
        else:
            await self._places.acquire()
        try:
            connection = self._take() or await self._open(deadline)
            await self._watched(connection, exchange, deadline)
        finally:
            self._places.release()

    async def close(self) -> None:
        """Close the connections that nobody uses."""
        if self._timer is not None and not self._deadlines:
            self._timer.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(connection.closed() for connection in idle))

    async def _watched(self, connection: Connection, exchange: Exchange, deadline: float) -> None:
        # One timer for all that is under way: most requests end long before theirs would have to be looked at.
        self._deadlines[connection] = deadline
        if self._timer is None or deadline < self._timer.when():
            self._look_at(deadline)
        try:
            await connection.send(exchange)
        finally:
            del self._deadlines[connection]
        if connection.is_open:
            connection.idle_since = self._loop.time()
            self._idle.append(connection)
        else:
            connection.hang_up()

    def _look_at(self, moment: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(moment, self._end_late_ones)

    def _end_late_ones(self) -> None:
        self._timer = None
        now = self._loop.time()
        for connection, deadline in self._deadlines.items():
            if deadline <= now:
                connection.time_out()
        if later := [deadline for deadline in self._deadlines.values() if deadline > now]:
            self._look_at(min(later))

    def _take(self) -> Connection | None:
        """Return the connection that was used last, if it may be used again."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and self._loop.time() - connection.idle_since < IDLE_SECONDS:
                return connection
            connection.hang_up()
        return None

    async def _open(self, deadline: float) -> Connection:
        until = min(deadline, self._loop.time() + CONNECT_SECONDS)
        try:
            async with asyncio.timeout_at(until):
                return await self._connect(Connection(self._room))
        except TimeoutError as error:
            if until == deadline:
                raise
            raise ConnectTimeoutError from error

    async def _connect(self, connection: Connection) -> Connection:
        nearest, server = self._proxy or self._server, self._server
        is_tunnel = self._proxy is not None and server.is_tls
        protocol: asyncio.BaseProtocol = Tunnel() if is_tunnel else connection
        plain = await self._socket_to(nearest)
        name = nearest.host if nearest.is_tls else None
        at = nearest
        try:
            transport, _ = await self._loop.create_connection(
                lambda: protocol, sock=plain, ssl=self._context() if name else None, server_hostname=name
            )
            if not isinstance(protocol, Tunnel):
                return connection
            await protocol.reach(server, cast("Address", self._proxy))
            at = server
            secured = await self._loop.start_tls(transport, connection, self._context(), server_hostname=server.host)
        except ssl.SSLError as error:
            raise NoTlsError(at.authority, error) from error
        except OSError as error:
            raise NotConnectedError(nearest.host, nearest.port, error, is_proxy=nearest is not server) from error
        if secured is None:
            raise ConnectionResetError
        connection.connection_made(secured)
        return connection

    async def _socket_to(self, address: Address) -> socket.socket:
        try:
            return await start_connection(
                await self._addresses(address), happy_eyeballs_delay=_SECOND_ADDRESS_SECONDS, interleave=1
            )
        except OSError as error:
            raise NotConnectedError(address.host, address.port, error, is_proxy=address is not self._server) from error

    async def _addresses(self, address: Address) -> list[socket._AddrInfo]:  # type: ignore[name-defined]
        known, until = self._found
        if known and self._loop.time() < until:
            return known
        try:
            found = await self._loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError) as error:  # The second for a name that cannot be one.
            raise NoHostError(address.host) from error
        self._found = (found, self._loop.time() + NAMES_SECONDS)
        return found

    def _context(self) -> ssl.SSLContext:
        """Return whom we trust: what the system does, or the file that SSL_CERT_FILE names."""
        self._tls = self._tls or ssl.create_default_context()
        return self._tls
