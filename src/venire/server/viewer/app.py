"""A server for one reader on this machine: the pages of outputs, behind a token, on the loopback address only."""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hmac import compare_digest

import uvicorn
from litestar import Litestar, get
from litestar.datastructures import Cookie, State
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotAuthorizedException
from litestar.middleware import DefineMiddleware
from litestar.params import FromPath
from litestar.response import Redirect

from venire.errors import VenireError
from venire.server.app import add_headers
from venire.server.bodies import refuse_loose_body
from venire.server.options import RateLimit, ServerOptions
from venire.server.pages.problem import render_problem
from venire.server.pages.router import VIEWER_HANDLERS
from venire.server.parsed_handlers import parsed_once
from venire.server.people.access import AccessControl
from venire.server.people.callers import LocalCallers
from venire.server.people.person import Person, Role, public, readers_only
from venire.server.problems import answer_http, answer_unexpected, answer_venire
from venire.server.timed_protocol import TimedProtocol
from venire.server.viewer.room import OutputsRoom
from venire.words.said import Said, say

PLACES = [("outputs", "/outputs"), ("changes", "/changes")]
"""The pages that there are; a file knows of no runs."""
_LIMIT = RateLimit(per_second=200.0, burst=1000)
_BODY_BYTES = 64 * 1024


class OneReader:
    """The one who was given the address; whoever has its token is this reader."""

    def __init__(self, mark_as: str = "") -> None:
        self.token = secrets.token_urlsafe(24)
        self._session = secrets.token_urlsafe(24)
        role = Role.CURATOR if mark_as else Role.READER
        self._person = Person(role, mark_as or "reader", csrf_token=secrets.token_urlsafe(24))

    def session_for(self, token: str) -> str | None:
        """Return the secret that a browser keeps for the token; None for another token."""
        return self._session if compare_digest(token.encode(), self.token.encode()) else None

    def person_of(self, secret: str) -> Person | None:
        """Return the reader, for the secret of the browser or the token itself."""
        known = (self._session, self.token)
        return self._person if any(compare_digest(secret.encode(), each.encode()) for each in known) else None

    def answers_at_once(self, secret: str) -> bool:
        """Nothing has to be waited for."""
        del secret
        return True


def listen_on_loopback(port: int = 0) -> socket.socket:
    """Take a free port, or this one, of the loopback address; raises `OSError` if it cannot be had."""
    return socket.create_server(("127.0.0.1", port))


def create_view_app(outputs: OutputsRoom, reader: OneReader, port: int, language: str = "en") -> Litestar:
    """Return the application over outputs; it closes them at the end."""
    cookie = f"venire_view_{port}"  # Browsers send a cookie to all ports of a machine.

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await outputs.close()

    async def provide_outputs() -> OutputsRoom:
        return outputs

    @get("/open/{token:str}", opt=public())
    async def open_with_token(token: FromPath[str]) -> Redirect:
        """Let the browser in that was given the address, and forget the token in what it shows."""
        session = reader.session_for(token)
        if session is None:
            raise NotAuthorizedException(detail=say("api.refused_secret"))
        kept = Cookie(key=cookie, value=session, httponly=True, samesite="strict", path="/")
        return Redirect("/outputs", status_code=303, cookies=[kept])

    @get("/", opt=readers_only())
    async def first_page() -> Redirect:
        """Go to the list."""
        return Redirect("/outputs")

    options = ServerOptions(ledger="", port=port, rate_limit=_LIMIT)
    return Litestar(
        [open_with_token, first_page, *parsed_once(VIEWER_HANDLERS)],
        dependencies={"outputs": Provide(provide_outputs)},
        middleware=[
            DefineMiddleware(
                AccessControl, options=options, registry=reader, callers=LocalCallers(_LIMIT), cookie=cookie
            )
        ],
        exception_handlers={HTTPException: answer_http, VenireError: answer_venire, Exception: answer_unexpected},
        before_request=refuse_loose_body,
        before_send=[add_headers],
        lifespan=[lifespan],
        type_encoders={Said: str},
        openapi_config=None,
        request_max_body_size=_BODY_BYTES,
        state=State(
            {
                "log": logging.getLogger("venire.server"),
                "language": language,
                "places": PLACES if outputs.source.keeps_marks else PLACES[:1],
                "render_problem": render_problem,
            }
        ),
        logging_config=None,
        debug=False,
    )


def serve_view(app: Litestar, listening: socket.socket) -> None:
    """Serve until interrupted."""
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        loop="asyncio",  # Uvicorn would take uvloop where there is one; nothing here was measured on it.
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=False,
    )
    uvicorn.Server(config).run(sockets=[listening])
