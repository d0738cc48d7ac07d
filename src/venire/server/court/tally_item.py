"""One item of the tally: the votes on it, what they come to, and what curators decided."""

from __future__ import annotations

from array import array
from datetime import datetime

import msgspec

from venire.domain.curation import Curation
from venire.domain.vote import Vote, VoterKind
from venire.server.court.item_state import ItemNumbers
from venire.votes.decay.stream import ItemState
from venire.votes.entries import still_open


class ItemName(msgspec.Struct, frozen=True):
    """What makes an item: votes that differ in any of these are never averaged."""

    inference_id: str
    """The output."""
    voter_prompt_id: str = ""
    """The prompt."""
    voter_kind: VoterKind = VoterKind.PERSON
    """Whether people or judges voted."""


def item_of(vote: Vote) -> ItemName:
    """Return the item that a vote is on."""
    return ItemName(vote.inference_id, vote.voter_prompt_id, vote.voter_kind)


class TallyItem:
    """The votes on an item and what they come to."""

    __slots__ = ("decisions", "name", "number", "numbers", "round", "rows", "state")

    def __init__(self, number: int, name: ItemName) -> None:
        self.number = number
        self.name = name
        self.numbers = ItemNumbers()
        self.state: ItemState | None = None
        self.rows = array("l")
        self.round = 1
        self.decisions: list[Curation] = []

    @property
    def waits(self) -> bool:
        """Whether the item waits for a curator."""
        last = self.numbers.last_update
        if not self.numbers.ambiguous or last is None or self.name.voter_kind is not VoterKind.PERSON:
            return False
        return not self.decisions or still_open(self.decisions[-1], last)


class CastRow(msgspec.Struct, frozen=True):
    """One vote as the tally holds it."""

    item: ItemName
    """What was voted on."""
    voter_id: str
    """The voter."""
    vote: float
    """The vote."""
    vote_time: datetime
    """When."""
    reputation: float
    """The weight of the voter."""
    round: int
    """The voting round."""
