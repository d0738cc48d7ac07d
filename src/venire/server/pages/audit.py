"""The page on which a browser checks the ledger itself."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery

from venire.server.court.court import Court
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only


@get("/audit", name="audit", opt=readers_only())
async def audit_page(request: AnyRequest, court: NamedDependency[Court], entry: FromQuery[int] = 0) -> Response[str]:
    """Show the end of the ledger, and what a browser needs to check it."""
    head = await court.head()
    chosen = entry if 1 <= entry <= head.sequence else head.sequence
    return render(request, "audit.html", page_words(request), head=head, entry=chosen)
