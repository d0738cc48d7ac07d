"""The page on which people sign in with a key, or with the secret of an invitation."""

from __future__ import annotations

from http import HTTPStatus

from litestar import Response, get

from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import public


@get("/login", name="login", opt=public())
async def login_page(request: AnyRequest) -> Response[str]:
    """Ask for a key or invitation."""
    return show_login(request)


def show_login(request: AnyRequest, *, refused: bool = False, status: int = HTTPStatus.OK) -> Response[str]:
    """Show the form, and say so if what was entered before is not known."""
    words = page_words(request)
    problem = words("pages.login.refused") if refused else ""
    scale = request.app.state.get("vote_scale", "")
    invited = words(f"pages.login.join_read_{scale}" if scale in ("pairs", "protocol") else "pages.login.join_read")
    return render(request, "login.html", words, status=status, problem=problem, invited=invited)
