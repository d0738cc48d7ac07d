"""What a first page shows."""

from __future__ import annotations

from litestar import get

from venire.server.court import Court
from venire.server.people import readers_only
from venire.server.views import Overview


@get("/api/v1/overview", opt=readers_only(), tags=["overview"])
async def overview(court: Court) -> Overview:
    """Count what the ledger holds."""
    return await court.overview()
