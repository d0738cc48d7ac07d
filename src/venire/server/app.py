"""Puts the server together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import DefineMiddleware
from litestar.types import Message, Scope

from venire.errors import VenireError
from venire.server.api.handlers import HANDLERS
from venire.server.bodies import refuse_loose_body
from venire.server.court.court import Court
from venire.server.openapi import openapi_config
from venire.server.options import ServerOptions
from venire.server.pages.problem import render_problem
from venire.server.pages.router import HANDLERS as PAGE_HANDLERS
from venire.server.parsed_handlers import parsed_once
from venire.server.people import entrance
from venire.server.people.access import AccessControl
from venire.server.people.callers import callers_for
from venire.server.problems import answer_http, answer_unexpected, answer_venire
from venire.server.struct_schema import StructSchema
from venire.server.viewer.court_outputs import court_outputs
from venire.server.viewer.room import OutputsRoom
from venire.words.said import Said

_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def create_app(options: ServerOptions, court: Court | None = None) -> Litestar:
    """Return the application; it opens the court unless one is given, and closes it at the end."""
    opened = court or Court(options)
    outputs = court_outputs(opened)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        await opened.start()
        try:
            yield
        finally:
            await outputs.close()
            await opened.close()

    async def provide_court() -> Court:
        await opened.state.catch_up()  # Whoever has voted by another server sees the vote here too.
        return opened

    async def provide_outputs() -> OutputsRoom:
        return outputs

    return Litestar(
        _handlers(),
        dependencies={"court": Provide(provide_court), "outputs": Provide(provide_outputs)},
        middleware=[
            DefineMiddleware(
                AccessControl,
                options=options,
                registry=opened.registry,
                callers=callers_for(opened.registry.buckets, options.rate_limit),
            )
        ],
        exception_handlers={HTTPException: answer_http, VenireError: answer_venire, Exception: answer_unexpected},
        before_request=refuse_loose_body,
        before_send=[add_headers],
        lifespan=[lifespan],
        type_encoders={Said: str},
        plugins=[StructSchema()],
        openapi_config=openapi_config(),
        request_max_body_size=options.body_limit_bytes,
        state=State(
            {
                "log": logging.getLogger("venire.server"),
                "demo": options.demo,
                "language": options.language,
                "vote_scale": options.vote_scale,
                "render_problem": render_problem,
            }
        ),
        logging_config=None,
        debug=False,
    )


@cache
def _handlers() -> tuple[HTTPRouteHandler, ...]:
    """Return the handlers of the API and, outside its document, those of pages."""
    pages = (*entrance.HANDLERS, *PAGE_HANDLERS)
    for page in pages:
        page.include_in_schema = False  # A router could say so for all of them, but is copied in depth by each app.
    return parsed_once((*HANDLERS, *pages))


async def add_headers(message: Message, scope: Scope) -> None:  # noqa: ARG001
    """Add the headers that every answer has."""
    if message["type"] != "http.response.start":
        return
    headers: Any = message.setdefault("headers", [])
    present = {name.lower() for name, _ in headers}
    headers.extend(pair for pair in _HEADERS if pair[0] not in present)
