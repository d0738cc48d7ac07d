"""The page on which curators see which invitations are in use, and free those whose browser is lost."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery
from litestar.response import Redirect

from venire.server.court.court import Court
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import INVITERS, only


@get("/invitations", name="invitations", opt=only(*INVITERS))
async def invitations_page(
    request: AnyRequest, court: NamedDependency[Court], done: FromQuery[str] = ""
) -> Response[str]:
    """List the invitations that still hold."""
    found = await court.invitations()
    return render(request, "invitations.html", page_words(request), invitations=found, freed=done == "freed")


@post("/invitations", name="free_invitation", opt=only(*INVITERS))
async def free_invitation(request: AnyRequest, court: NamedDependency[Court]) -> Response[Any]:
    """Let an invitation be opened again."""
    await court.free_invitation(str((await request.form()).get("invitation", "")))
    return Redirect("/invitations?done=freed", status_code=303)
