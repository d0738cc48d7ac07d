"""Everyone who comes in passes here: host and origin, who they are, what they may do, and how often."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from hmac import compare_digest
from typing import Any, Protocol
from urllib.parse import urlsplit

from litestar import Request
from litestar.enums import ScopeType
from litestar.exceptions import (
    ClientException,
    NotAuthorizedException,
    PermissionDeniedException,
)
from litestar.types import ASGIApp, Receive, Scope, Send

from venire.server.options import ServerOptions
from venire.server.people.callers import Callers, LocalCallers
from venire.server.people.person import Person
from venire.words.said import say

SESSION_COOKIE = "venire_session"
"""The cookie that holds a session's secret."""
CSRF_HEADER = "x-csrf-token"
"""The header in which scripts of pages send the session's token back."""
CSRF_FIELD = "csrf_token"
"""The field in which forms of pages send it back."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_ONCE = (b"host", b"authorization", b"content-length")


class KnownPeople(Protocol):
    """Whoever knows people by the secrets that they come with."""

    def person_of(self, secret: str) -> Person | None:
        """Return whose secret it is; None if it is nobody's."""

    def answers_at_once(self, secret: str) -> bool:
        """Tell whether the answer needs no waiting."""


class AccessControl:
    """The middleware around every handler. A handler that names no roles and is not public is for nobody."""

    def __init__(
        self,
        app: ASGIApp,
        options: ServerOptions,
        registry: KnownPeople,
        callers: Callers,
        cookie: str = SESSION_COOKIE,
    ) -> None:
        self._app = app
        self._registry = registry
        self._callers = callers
        self._strangers = LocalCallers(options.rate_limit)  # They are answered while a database is out of reach, too.
        self._hosts = accepted_hosts(options)
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or raise what is wrong with it."""
        if scope["type"] != ScopeType.HTTP:
            raise PermissionDeniedException(detail=say("api.plain_http"))
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        _check_headers(scope["headers"])
        self._check_host(headers)
        opt: Mapping[str, Any] = scope["route_handler"].opt
        secret, by_cookie = _secret(headers, self._cookie)
        person = await self._person_of(secret) if secret else None
        if person is not None and by_cookie and not person.csrf_token:
            person = None  # Only sessions travel in cookies: a key there would come along with any site's requests.
        scope["user"] = person  # Already here: who is refused is still shown as signed in.
        client = scope.get("client")
        if person is not None:
            await self._callers.admit(person.pseudonym)
        else:
            await self._strangers.admit(client[0] if client else "")
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
            raise ClientException(detail=say("api.wrong_host", host=host[:200]))

    def _check_origin(self, headers: Mapping[bytes, str]) -> None:
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self._hosts:
            raise PermissionDeniedException(detail=say("api.other_site"))
        if headers.get(b"sec-fetch-site", "none") not in ("same-origin", "none"):
            raise PermissionDeniedException(detail=say("api.other_site"))

    def _check_role(self, person: Person | None, opt: Mapping[str, Any], *, had_secret: bool) -> None:
        if opt.get("public"):
            return
        if person is None:
            message = say("api.unknown_secret" if had_secret else "api.log_in")
            raise NotAuthorizedException(detail=message, headers={"WWW-Authenticate": 'Bearer realm="venire"'})
        if person.role not in opt.get("roles", ()):
            raise PermissionDeniedException(detail=say("api.role", role=say(f"pages.role.{person.role.value}")))


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


def _check_headers(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse what two programs on the way could read in two ways."""
    names = [name for name, _ in headers]
    twice = [name for name in _ONCE if names.count(name) > 1]
    if twice:
        raise ClientException(detail=say("api.repeated_header", name=twice[0].decode(), count=names.count(twice[0])))
    if b"content-length" in names and b"transfer-encoding" in names:
        raise ClientException(detail=say("api.two_lengths"))


def _secret(headers: Mapping[bytes, str], cookie: str) -> tuple[str, bool]:
    """Return the secret that came with a request, and whether a browser sent it by itself."""
    scheme, _, value = headers.get(b"authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return value.strip(), False
    for part in headers.get(b"cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == cookie and value:
            return value, True
    return "", False


async def _check_token(person: Person, headers: Mapping[bytes, str], request: Request[Any, Any, Any]) -> None:
    sent = headers.get(CSRF_HEADER.encode(), "")
    if not sent and headers.get(b"content-type", "").startswith(_FORMS):
        sent = str((await request.form()).get(CSRF_FIELD, ""))
    if not sent or not compare_digest(sent.encode(), person.csrf_token.encode()):
        raise PermissionDeniedException(detail=say("api.stale_form"))
