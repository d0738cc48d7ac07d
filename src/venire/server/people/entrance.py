"""Coming in and going out: a key or an invitation becomes a session of a browser."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
from litestar import Request, Response, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.exceptions import NotAuthorizedException
from litestar.params import URLEncodedBody
from litestar.response import Redirect

from venire.server.court.court import Court
from venire.server.people.access import SESSION_COOKIE
from venire.server.people.person import logged_in, public
from venire.words.said import say

LONGEST_NAME = 80
"""How many characters of a name are kept."""


class SignIn(msgspec.Struct, frozen=True):
    """What somebody signs in with."""

    secret: str
    """A key, or the secret of an invitation or of an open link."""
    name: str = ""
    """What somebody who comes by an open link wants to be called; empty for nothing."""


@post("/login", opt=public(), include_in_schema=False)
async def sign_in(
    court: NamedDependency[Court], request: Request[Any, Any, Any], data: URLEncodedBody[SignIn]
) -> Redirect:
    """Open a session for the holder of a key, or for the first browser that opens an invitation."""
    held = request.cookies.get(SESSION_COOKIE, "")
    lifetime = timedelta(hours=court.options.session_hours)
    secret, name = data.secret.strip(), data.name.strip()[:LONGEST_NAME]
    if court.registry.is_open_link(secret) and not await court.state.in_thread(lambda: court.registry.person_of(held)):
        court.joins.admit(request.client.host if request.client else "")
    session = await court.state.in_thread(lambda: court.registry.open_session(secret, lifetime, held, name))
    if session is None:
        raise NotAuthorizedException(detail=say("api.refused_secret"))
    ends = datetime.fromisoformat(session.credential.expires_at)
    cookie = Cookie(
        key=SESSION_COOKIE,
        value=session.secret,
        httponly=True,
        samesite="lax",
        secure=court.options.address.startswith("https://"),
        max_age=max(1, int((ends - court.state.moment).total_seconds())),
    )
    return Redirect("/", status_code=303, cookies=[cookie])


@post("/logout", opt=logged_in(), include_in_schema=False)
async def sign_out(court: NamedDependency[Court], request: Request[Any, Any, Any]) -> Response[None]:
    """End the session; a program's key has none and stays as it is."""
    if request.user.csrf_token:
        await court.state.in_thread(lambda: court.registry.revoke(request.user.credential))
    answer = Redirect("/", status_code=303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


HANDLERS = (sign_in, sign_out)
"""The handlers of coming in and going out."""
