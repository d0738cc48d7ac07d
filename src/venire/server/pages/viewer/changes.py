"""Two runs side by side: what changed, and which outputs got worse or better."""

from __future__ import annotations

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery

from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only
from venire.server.viewer.room import OutputsRoom


@get("/changes", name="changes", opt=readers_only())
async def changes_page(
    request: AnyRequest,
    outputs: NamedDependency[OutputsRoom],
    before: FromQuery[str] = "",
    after: FromQuery[str] = "",
) -> Response[str]:
    """Compare two runs: those that were chosen, or the last two."""
    await outputs.catch_up()
    runs = await outputs.runs()
    known = [str(run["id"]) for run in runs]
    second = after if after in known else next(iter(known), "")
    earlier = known[known.index(second) + 1 :] if second else []
    first = before if before in known else next(iter(earlier), "")
    changes = await outputs.changes(first, second) if first and second and first != second else None
    words = page_words(request)
    return render(request, "changes.html", words, runs=runs, first=first, second=second, changes=changes)
