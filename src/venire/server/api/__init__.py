"""The API under /api/v1."""

from __future__ import annotations

from venire.server.api.overview import overview

HANDLERS = (overview,)
"""All handlers of the API."""
