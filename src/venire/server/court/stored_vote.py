"""How a vote stands in the ledger of a court."""

from __future__ import annotations

import msgspec

from venire.domain.vote import Vote, VoterPrompt
from venire.ledger.entry import Entry


class StoredVote(msgspec.Struct, frozen=True):
    """The content of an entry of the kind `vote`: a vote, or the words that voters were asked."""

    vote: Vote | None = None
    """The vote; None for an entry that holds a prompt."""
    prompt_digest: str = ""
    """The digest of the words that were asked."""
    round: int = 1
    """The voting round, from 1."""
    reason: str = ""
    """Why, in the voter's words."""
    request: str = ""
    """The digest of the caller's idempotency key, so that a repeated request is known again."""
    voter_prompt: VoterPrompt | None = None
    """The words that voters were asked; None for an entry that holds a vote."""


_stored_vote = msgspec.json.Decoder(StoredVote)


def decode_stored_vote(entry: Entry) -> StoredVote:
    """Return the content of an entry of the kind `vote`."""
    return _stored_vote.decode(entry.payload)
