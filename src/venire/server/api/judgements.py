"""Judgements with everything that they follow from."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from litestar import get
from litestar.params import FromPath, FromQuery, QueryParameter

from venire.domain.judgement import Status
from venire.domain.judgement_key import JudgementKey
from venire.errors import NotFoundError
from venire.server.api.parameters import After, InCourt, Limit, Text
from venire.server.court.views import JudgementRow, JudgementView, Page, page_of
from venire.server.people.person import readers_only


@get("/api/v1/judgements", opt=readers_only(), tags=["judgements"])
async def judgements(
    court: InCourt,
    after: After = 0,
    limit: Limit = 100,
    sample: Text = "",
    judge: Text = "",
    status: FromQuery[Status | None] = None,
) -> Page[JudgementRow]:
    """List judgements in the order of the ledger, of one sample, judge or status only if one is named."""
    rows = court.state.index.judgements
    if not (sample or judge or status):
        return page_of(rows, after, limit, lambda row: row)
    chosen = [
        (place, row)
        for place, row in enumerate(rows)
        if (not sample or row.sample == sample)
        and (not judge or row.judge == judge)
        and (status is None or row.status == status.value)
    ]
    found = list(islice(((place, row) for place, row in chosen if place >= after), limit + 1))
    more = found[limit][0] if len(found) > limit else None
    return Page(tuple(row for _, row in found[:limit]), len(chosen), more)


@get("/api/v1/judgements/{key:str}", opt=readers_only(), tags=["judgements"])
async def judgement(
    court: InCourt, key: FromPath[str], entry: Annotated[int | None, QueryParameter(ge=0, le=10_000)] = None
) -> JudgementView:
    """Return a judgement with its reply, findings, text, quotes and hashes; of a bundle, one entry if it is named."""
    found = await court.judgement_view(JudgementKey(key, entry))
    if found is None:
        raise NotFoundError("error.server.no_judgement", name=key[:80])
    return found


HANDLERS = (judgements, judgement)
"""The calls of this group."""
