"""All calls of the API."""

from __future__ import annotations

from venire.server.api import (
    analysis,
    audits,
    judgements,
    overview,
    people,
    queue,
    reports,
    runs,
    samples,
    scores,
    votes,
)

HANDLERS = (
    *overview.HANDLERS,
    *samples.HANDLERS,
    *runs.HANDLERS,
    *judgements.HANDLERS,
    *votes.HANDLERS,
    *scores.HANDLERS,
    *queue.HANDLERS,
    *reports.HANDLERS,
    *audits.HANDLERS,
    *analysis.HANDLERS,
    *people.HANDLERS,
)
"""The handlers, for the app."""
