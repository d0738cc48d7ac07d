"""What the server is, who asks, and what a first page shows."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, get

from venire.domain.vote import VoterPrompt
from venire.server.api.parameters import InCourt
from venire.server.court.views import Overview
from venire.server.people.person import Person, logged_in, public, readers_only
from venire.version import __version__


class Health(msgspec.Struct, frozen=True):
    """That the server answers."""

    status: str
    """`ok`."""
    version: str
    """The version of Venire."""


class Ready(msgspec.Struct, frozen=True):
    """That the server can do its work."""

    status: str
    """`ok`."""


class Me(msgspec.Struct, frozen=True):
    """Who asks."""

    role: str
    """What they may do."""
    pseudonym: str
    """What they are called in the ledger."""


@get("/api/v1/health", opt=public(), tags=["server"])
async def health() -> Health:
    """Tell that the server answers; it does so also while the ledger is out of reach."""
    return Health("ok", __version__)


@get("/api/v1/ready", opt=public(), tags=["server"])
async def ready(court: InCourt) -> Ready:  # noqa: ARG001 - providing the court looks at the ledger.
    """Tell that the server answers and its ledger too; 503 while the ledger is out of reach."""
    return Ready("ok")


@get("/api/v1/me", opt=logged_in(), tags=["server"])
async def me(request: Request[Person, Any, Any]) -> Me:
    """Tell who asks."""
    return Me(request.user.role.value, request.user.pseudonym)


@get("/api/v1/prompt", opt=logged_in(), tags=["votes"])
async def voter_prompt(court: InCourt) -> VoterPrompt:
    """Return what jurors are asked."""
    return court.options.voter_prompt


@get("/api/v1/overview", opt=readers_only(), tags=["server"])
async def overview(court: InCourt) -> Overview:
    """Count what the ledger holds."""
    return await court.overview()


HANDLERS = (health, ready, me, voter_prompt, overview)
"""The calls of this group."""
