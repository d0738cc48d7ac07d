"""Connections on which a request must arrive in time: slow clients cannot hold a server's sockets."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_RECEIVING = (h11.IDLE, h11.SEND_BODY)


class TimedProtocol(H11Protocol):
    """Uvicorn's protocol, with a limit to how long a request may take to arrive; its own is for idle ones only."""

    request_seconds: ClassVar[float] = 30.0
    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take in what has arrived; from the first byte to the last of a request the clock runs."""
        super().handle_events()
        if self.conn.their_state not in _RECEIVING:
            self._stop_waiting()
        elif self._giving_up is None:
            self._wait()

    def _wait(self) -> None:
        self._giving_up = self.loop.call_later(self.request_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
