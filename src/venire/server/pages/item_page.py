"""The votes behind a score: who, when, in which batch, with which α and weight."""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromQuery

from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only


@get("/items", name="item", opt=readers_only())
async def item_page(request: AnyRequest, output: FromQuery[str], prompt: FromQuery[str] = "") -> Response[str]:
    """Show the page, which asks the API for the votes: there may be very many."""
    return render(request, "item.html", page_words(request), output=output, prompt=prompt)
