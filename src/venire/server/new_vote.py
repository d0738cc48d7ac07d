"""Votes on their way into the ledger."""

from __future__ import annotations

from datetime import datetime

import msgspec

from venire.domain.vote import Vote, VoterKind
from venire.ledger.entry import Draft
from venire.server.tally_item import ItemName


class NewVote(msgspec.Struct, frozen=True, kw_only=True):
    """A vote that someone wants to cast."""

    voter_id: str
    """The pseudonym of the voter."""
    item: str
    """The opaque name of the item, or the id of its output for those who are not blinded."""
    vote: float | None
    """From 0 to 1; None if the voter was asked and did not vote."""
    reason: str = ""
    """Why, in the voter's words."""
    request: str = ""
    """The caller's idempotency key; empty for none."""
    voter_prompt_id: str | None = None
    """The prompt that was asked; None for the one of this server."""
    vote_time: datetime | None = None
    """When it was cast; None for now."""
    reputation: float = 1.0
    """The weight of the voter."""
    voter_kind: VoterKind = VoterKind.PERSON
    """Whether a person or a judge voted."""
    rule: str = ""
    """For a vote that was derived, the rule by which it was."""
    grounds: dict[str, object] = {}
    """What else the entry holds, such as the judgement that the vote was derived from."""


class PreparedVote(msgspec.Struct, frozen=True):
    """A vote that may be cast; until it is committed or given up, its place is kept."""

    item: str
    """The item as the voter named it."""
    vote: Vote
    """The vote."""
    round: int
    """The voting round."""
    request: str
    """The digest of the idempotency key; empty for none."""
    drafts: tuple[Draft, ...]
    """What goes into the ledger."""
    replaced: Vote | None = None
    """The withdrawal of the vote that it takes the place of; None if there is none."""

    @property
    def place(self) -> tuple[ItemName, str]:
        """What there is one vote for."""
        return item_of(self.vote), self.vote.voter_id


class LastVote(msgspec.Struct, frozen=True):
    """The last vote of a voter, while it may be taken back."""

    item: str
    """The item as the voter named it."""
    vote: Vote
    """The vote."""
    round: int
    """The voting round."""
    until: datetime
    """Up to when it may be taken back."""


def item_of(vote: Vote) -> ItemName:
    """Return the item that a vote is on."""
    return ItemName(vote.inference_id, vote.voter_prompt_id, vote.voter_kind)
