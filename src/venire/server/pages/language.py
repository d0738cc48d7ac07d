"""In which language a visitor reads: as chosen before, or as the browser asks for."""

from __future__ import annotations

import re
from typing import Any

from litestar import Request, get
from litestar.datastructures import Cookie
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect

from venire.server.people.person import public
from venire.words.language import languages

COOKIE = "language"
"""The cookie that keeps the choice."""

_KEPT_SECONDS = 365 * 24 * 3600
_OWN_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20]*")


def language_of(request: Request[Any, Any, Any]) -> str:
    """Return the language of a request; the chosen one, the browser's, or the server's."""
    chosen = request.cookies.get(COOKIE, "")
    if chosen in languages():
        return chosen
    default: str = request.app.state.get("language", "en")
    return next((language for language in asked_languages(request) if language in languages()), default)


def asked_languages(request: Request[Any, Any, Any]) -> tuple[str, ...]:
    """Return the languages that a visitor reads, the chosen one first, then those that the browser asks for."""
    chosen = request.cookies.get(COOKIE, "")
    asked = request.headers.get("accept-language", "").split(",")
    tags = (re.split("[-;]", each.strip(), maxsplit=1)[0].casefold() for each in asked)
    return tuple(dict.fromkeys(filter(None, (chosen, *tags))))


@get("/language/{language:str}", name="language", opt=public())
async def choose_language(language: FromPath[str], back: FromQuery[str] = "/") -> Redirect:
    """Keep the chosen language and go back to the page that the visitor came from, on this server only."""
    target = back if _OWN_PATH.fullmatch(back) else "/"
    chosen = language if language in languages() else "en"
    kept = Cookie(key=COOKIE, value=chosen, max_age=_KEPT_SECONDS, path="/", samesite="lax", httponly=True)
    return Redirect(target, cookies=[kept])
