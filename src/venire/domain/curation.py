"""What is done about an output on which voters disagree."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from venire.domain.canonical import digest


class Outcome(StrEnum):
    """How a curator settles an ambiguous item."""

    ACCEPT = "accept"
    """The output is accepted; the item leaves the queue."""
    REJECT = "reject"
    """The output is rejected; the item leaves the queue."""
    AMBIGUOUS = "ambiguous"
    """The disagreement is real and stays on record; the item leaves the queue."""
    ANOTHER_ROUND = "another-round"
    """More votes are wanted; the item leaves the queue until votes that came later are still ambiguous."""


LEAST_VOTES = 3
"""How many votes an output needs before votes that part are a dispute: one against one is not yet."""


class Curation(msgspec.Struct, frozen=True, kw_only=True):
    """A curator's decision on the votes for one output under one prompt. It never changes a vote or a score."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """The prompt under which the votes were cast; empty where it has no name."""
    outcome: Outcome
    """What was decided."""
    curator: str
    """The pseudonym of who decided."""
    decided_at: datetime
    """When, with its zone."""
    note: str = ""
    """Why, in the curator's words."""
    score: float | None = None
    """The score that the curator saw; None if there was none."""
    variance: float | None = None
    """The variance of votes that the curator saw; None if there was none."""
    votes: int = 0
    """How many votes there were at that moment."""

    @property
    def key(self) -> str:
        """What decisions on the same item are found by."""
        return item_key(self.inference_id, self.voter_prompt_id)


def item_key(inference_id: str, voter_prompt_id: str) -> str:
    """Return the key of an item: one output under one prompt."""
    return digest("votes-of", [inference_id, voter_prompt_id])
