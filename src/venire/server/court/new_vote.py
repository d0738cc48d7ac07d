"""Votes on their way into the ledger."""

from __future__ import annotations

from datetime import datetime

import msgspec

from venire.domain.vote import Vote, VoterKind
from venire.server.court.change import Change


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
    """A vote that may be cast, as far as the court knows."""

    item: str
    """The item as the voter named it."""
    vote: Vote
    """The vote."""
    round: int
    """The voting round."""
    request: str
    """The digest of the idempotency key; empty for none."""
    change: Change
    """What goes into the ledger, and on which condition."""
    replaced: Vote | None = None
    """The withdrawal of the vote that it takes the place of; None if there is none."""


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
