"""The queue of items on which jurors disagree, and decisions on them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.params import JSONBody, QueryParameter

from venire.domain.curation import Curation, Outcome
from venire.server.api.parameters import After, InCourt
from venire.server.court.views import Page
from venire.server.court.vote_views import QueuedItem
from venire.server.people.person import Person, Role, only, readers_only


class DecisionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a curator settles an item."""

    inference_id: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    """The output."""
    outcome: Outcome
    """What is decided."""
    voter_prompt_id: Annotated[str, msgspec.Meta(max_length=500)] | None = None
    """The prompt under which votes were cast; the one of this server if it is left out."""
    note: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    """Why."""


@get("/api/v1/queue", opt=readers_only(), tags=["queue"])
async def queue(
    court: InCourt, after: After = 0, limit: Annotated[int, QueryParameter(ge=1, le=100)] = 20
) -> Page[QueuedItem]:
    """List the items that wait for a curator, the most disputed first, with their votes."""
    waiting = court.curators.waiting()
    page = tuple([await court.curators.queued(item) for item in waiting[after : after + limit]])
    return Page(page, len(waiting), after + limit if after + limit < len(waiting) else None)


@post("/api/v1/queue/decisions", opt=only(Role.CURATOR), tags=["queue"])
async def decide(court: InCourt, request: Request[Person, Any, Any], data: JSONBody[DecisionRequest]) -> Curation:
    """Record a decision; 409 if the item does not wait, because it was decided or votes agree by now."""
    prompt = court.state.prompt_id if data.voter_prompt_id is None else data.voter_prompt_id
    return await court.decide(request.user.pseudonym, data.inference_id, prompt, data.outcome, data.note)


HANDLERS = (queue, decide)
"""The calls of this group."""
