"""What voters ask the court to record: a vote, or a judgement by the dimensions of a protocol."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from venire.domain.vote import VoterKind

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
"""The name of an item or of a voter."""


class VoteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A vote to be cast. Jurors give the first three; operators may bring votes of others."""

    item: Name
    """The opaque name of the item; operators give the id of the output."""
    vote: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """From 0 (reject) to 1 (accept). Of two outputs: 1 for the first as the juror sees them (for operators, by the
    names of the outputs), 0 for the other, 0.5 for neither."""
    reason: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    """Why."""
    voter_id: Name | None = None
    """For operators: the pseudonym of the voter."""
    vote_time: datetime | None = None
    """For operators: when it was cast, with its zone; now if it is left out."""
    voter_prompt_id: Annotated[str, msgspec.Meta(max_length=500)] | None = None
    """For operators: the prompt that was asked; the one of this server if it is left out."""
    reputation: Annotated[float, msgspec.Meta(gt=0, le=1e12)] = 1.0
    """For operators: the weight of the voter."""
    voter_kind: VoterKind = VoterKind.PERSON
    """For operators: whether a person or a judge voted."""

    @property
    def is_plain(self) -> bool:
        """Whether it gives nothing but what a juror may."""
        return self == VoteRequest(self.item, self.vote, self.reason)


class JudgementRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A juror's judgement by the dimensions of the protocol."""

    item: Name
    """The opaque name of the item; the reply names it as its `output_id`."""
    reply: Annotated[str, msgspec.Meta(max_length=1_000_000)]
    """The judgement in the protocol's own JSON."""
