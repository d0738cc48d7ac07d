"""Everyone who comes in passes here: host and origin, who they are, what they may do, and how often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from hmac import compare_digest
from typing import Any
from urllib.parse import urlsplit

from litestar import Request
from litestar.enums import ScopeType
from litestar.exceptions import (
    ClientException,
    NotAuthorizedException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.types import ASGIApp, Receive, Scope, Send

from venire.server.options import RateLimit, ServerOptions
from venire.server.people import Person
from venire.server.registry import Registry

SESSION_COOKIE = "venire_session"
"""The cookie that holds a session's secret."""
CSRF_HEADER = "x-csrf-token"
"""The header in which scripts of pages send the session's token back."""
CSRF_FIELD = "csrf_token"
"""The field in which forms of pages send it back."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_MOST_CALLERS = 100_000


class Gate:
    """The middleware around every handler. A handler that names no roles and is not public is for nobody."""

    def __init__(self, app: ASGIApp, options: ServerOptions, registry: Registry, callers: Callers) -> None:
        self._app = app
        self._registry = registry
        self._callers = callers
        self._hosts = accepted_hosts(options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or raise what is wrong with it."""
        if scope["type"] != ScopeType.HTTP:
            raise PermissionDeniedException("only plain HTTP requests are answered")
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        self._check_host(headers)
        opt: Mapping[str, Any] = scope["route_handler"].opt
        secret, by_cookie = _secret(headers)
        person = await self._person_of(secret) if secret else None
        scope["user"] = person  # Already here: who is refused is still shown as signed in.
        client = scope.get("client")
        self._callers.admit(person.credential if person else f"address {client[0] if client else ''}")
        if scope["method"] not in _SAFE:
            self._check_origin(headers)
        self._check_role(person, opt, had_secret=bool(secret))
        if person is not None and by_cookie and scope["method"] not in _SAFE:
            await _check_token(person, headers, Request(scope, receive, send))
        scope["auth"] = None
        await self._app(scope, receive, send)

    async def _person_of(self, secret: str) -> Person | None:
        if self._registry.answers_at_once(secret):
            return self._registry.person_of(secret)
        return await asyncio.get_running_loop().run_in_executor(None, self._registry.person_of, secret)

    def _check_host(self, headers: Mapping[bytes, str]) -> None:
        host = headers.get(b"host", "")
        if host.lower() not in self._hosts:
            raise ClientException(f"this server is not called {host[:200]!r}")

    def _check_origin(self, headers: Mapping[bytes, str]) -> None:
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self._hosts:
            raise PermissionDeniedException("the request comes from a page of another site")
        if headers.get(b"sec-fetch-site", "none") not in ("same-origin", "none"):
            raise PermissionDeniedException("the request comes from a page of another site")

    def _check_role(self, person: Person | None, opt: Mapping[str, Any], *, had_secret: bool) -> None:
        if opt.get("public"):
            return
        if person is None:
            message = "the key, invitation or session is not known or has ended" if had_secret else "log in first"
            raise NotAuthorizedException(message, headers={"WWW-Authenticate": 'Bearer realm="venire"'})
        if person.role not in opt.get("roles", ()):
            raise PermissionDeniedException(f"a {person.role.value} may not do this")


class Callers:
    """How often each key, juror or address has called: a bucket of tokens for each."""

    def __init__(self, limit: RateLimit) -> None:
        self._limit = limit
        self._buckets: dict[str, tuple[float, float]] = {}

    def admit(self, caller: str) -> None:
        """Count one request; raises `TooManyRequestsException` if there were too many."""
        moment = time.monotonic()
        tokens, before = self._buckets.pop(caller, (float(self._limit.burst), moment))
        tokens = min(self._limit.burst, tokens + (moment - before) * self._limit.per_second)
        if len(self._buckets) >= _MOST_CALLERS:
            del self._buckets[next(iter(self._buckets))]  # Whoever has not called for longest.
        if tokens < 1:
            self._buckets[caller] = (tokens, moment)
            seconds = (1 - tokens) / self._limit.per_second
            raise TooManyRequestsException("too many requests", headers={"Retry-After": str(int(seconds) + 1)})
        self._buckets[caller] = (tokens - 1, moment)


def accepted_hosts(options: ServerOptions) -> frozenset[str]:
    """Return the names under which the server answers, with their ports."""
    names = {options.host, *(("localhost", "127.0.0.1", "[::1]") if options.is_loopback else ())}
    written = {f"[{name}]" if ":" in name and name[0] != "[" else name for name in names}
    hosts = {f"{name}:{options.port}".lower() for name in written}
    if options.port == 80:  # Browsers leave the usual port out.
        hosts |= {name.lower() for name in written}
    if options.public_url:
        hosts.add(urlsplit(options.public_url).netloc.lower())
    return frozenset(hosts)


def _secret(headers: Mapping[bytes, str]) -> tuple[str, bool]:
    """Return the secret that came with a request, and whether a browser sent it by itself."""
    scheme, _, value = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return value.strip(), False
    for part in headers.get(b"cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == SESSION_COOKIE and value:
            return value, True
    return "", False


async def _check_token(person: Person, headers: Mapping[bytes, str], request: Request[Any, Any, Any]) -> None:
    sent = headers.get(CSRF_HEADER.encode(), "")
    if not sent and headers.get(b"content-type", "").startswith(_FORMS):
        sent = str((await request.form()).get(CSRF_FIELD, ""))
    if not compare_digest(sent.encode(), person.csrf_token.encode()):
        raise PermissionDeniedException("the form is out of date, or comes from a page of another site")
