"""Style sheets, scripts and the icon: a few small files of this package, named with the digest of their content."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from venire.domain.canonical import sha256_hex
from venire.server.people.person import public

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_OWN = (
    "court.css", "icon.svg",
    "audit.js", "dashboard.js", "item.js", "login.js", "outputs.js", "run.js", "vote.js",
)  # fmt: skip


@cache
def _contents() -> dict[str, bytes]:
    own = files("venire.server.pages").joinpath("static")
    contents = {name: own.joinpath(name).read_bytes() for name in _OWN}
    shared = files("venire.reports.page")
    contents |= {"report.css": shared.joinpath("style.css").read_bytes()}
    contents |= {"outputs.css": shared.joinpath("outputs.css").read_bytes()}
    return contents


@cache
def static_address(name: str) -> str:
    """Return the address of a file; it changes with the content, so that browsers may keep the file."""
    return f"/static/{name}?{sha256_hex(_contents()[name])[:12]}"


@get("/static/{name:str}", name="static-file", opt=public())
async def static_file(name: FromPath[str]) -> Response[bytes]:
    """Send a file."""
    content = _contents().get(name)
    if content is None:
        raise NotFoundException
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
               "Content-Security-Policy": "default-src 'none'; style-src 'self'"}  # fmt: skip
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)
