"""Listens: refuses what would be unsafe, then runs the application until it is told to stop."""

from __future__ import annotations

import socket

import uvicorn

from venire.errors import ConfigError, UsageError, os_reason
from venire.runner.executor import rare_collections
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import ServerOptions
from venire.server.timed_protocol import TimedProtocol

BACKLOG = 16_384
"""How many connections may wait to be accepted."""


def check_exposure(options: ServerOptions, court: Court) -> None:
    """Raise `ConfigError` if others than this machine could reach a server that nobody holds a key of."""
    if options.is_loopback or court.registry.has_operator_key():
        return
    raise ConfigError("error.server.exposed", host=options.host)


def listen(options: ServerOptions) -> socket.socket:
    """Take the address that the options name. Raises `UsageError` if it cannot be had."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise UsageError(
            "error.server.cannot_listen", host=options.host, port=options.port, problem=os_reason(error)
        ) from None


def uvicorn_config(options: ServerOptions, court: Court) -> uvicorn.Config:
    """Return how Uvicorn serves the court. Addresses of requests are not logged: they say who looks at what."""
    return uvicorn.Config(
        create_app(options, court),
        http=type("TimedProtocol", (TimedProtocol,), {"request_seconds": options.request_seconds}),
        loop="asyncio",  # Uvicorn would take uvloop where there is one; nothing here was measured on it.
        access_log=False,
        log_level="warning",
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=5,
        proxy_headers=False,
    )


def serve(options: ServerOptions, court: Court, listening: socket.socket) -> None:
    """Serve until interrupted."""
    check_exposure(options, court)
    with rare_collections():
        uvicorn.Server(uvicorn_config(options, court)).run(sockets=[listening])
