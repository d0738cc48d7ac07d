"""Samples and their texts."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath

from venire.errors import NotFoundError
from venire.server.api.parameters import After, InCourt, Limit, Text
from venire.server.court.views import Page, SampleRow, SampleView
from venire.server.people.person import readers_only


@get("/api/v1/samples", opt=readers_only(), tags=["samples"])
async def samples(court: InCourt, after: After = 0, limit: Limit = 100, output_id: Text = "") -> Page[SampleRow]:
    """List samples, or the one of a name."""
    return court.judged.sample_named(output_id) if output_id else court.judged.samples(after, limit)


@get("/api/v1/samples/{digest:str}", opt=readers_only(), tags=["samples"])
async def sample(court: InCourt, digest: FromPath[str]) -> SampleView:
    """Return a sample with its text, by its digest."""
    found = await court.state.fetch(lambda: court.judged.sample_view(digest))
    if found is None:
        raise NotFoundError("error.server.no_sample", name=digest[:80])
    return found


HANDLERS = (samples, sample)
"""The calls of this group."""
