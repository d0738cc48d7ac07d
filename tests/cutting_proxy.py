"""Stands between a client and a PostgreSQL server and cuts the first connection that commits, as a network would."""

from __future__ import annotations

import socket
from contextlib import suppress
from enum import Enum
from threading import Event, Thread


class Cut(Enum):
    """What becomes of the commit."""

    BEFORE = "the server never hears of it"
    AFTER = "the server does it, the client never hears of it"
    LATE = "the server hears of it only when another connection asks for the lock"


class CuttingProxy:
    """A proxy on a port of its own. `cuts` counts the connections that were cut."""

    def __init__(self, server_port: int, cut: Cut) -> None:
        self._server_port, self._cut = server_port, cut
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cuts = 0
        self._lock_is_asked_for = Event()
        self._threads = [self._start(self._accept)]
        self._sockets: list[socket.socket] = []

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(30)
        for each in self._sockets:
            each.close()

    def _start(self, target, *arguments) -> Thread:
        thread = Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._sockets += [client, server]
            self._threads.append(self._start(self._to_server, client, server))
            self._threads.append(self._start(self._pump, server, client))

    def _pump(self, source, target) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def _to_server(self, client, server) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if self.cuts and b"pg_advisory_xact_lock" in data:
                    server.sendall(data)
                    self._lock_is_asked_for.set()
                    continue
                if b"COMMIT\x00" in data and not self.cuts:
                    self.cuts += 1
                    self._commit_and_cut(client, server, data)
                    return
                server.sendall(data)
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)

    def _commit_and_cut(self, client, server, data: bytes) -> None:
        if self._cut is Cut.BEFORE:
            server.shutdown(socket.SHUT_RDWR)
            return
        client.shutdown(socket.SHUT_RDWR)
        if self._cut is Cut.LATE:
            self._lock_is_asked_for.wait(30)
        server.sendall(data)
        server.shutdown(socket.SHUT_WR)
