"""What somebody wants to have written into the ledger, and what must not have happened meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from venire.domain.curation import Curation
from venire.domain.vote import Vote
from venire.ledger.entry import Draft, Entry, Kind
from venire.server.court.tally_item import ItemName, item_of
from venire.votes.entries import VoteEntry, read_curation, read_vote

Mark = tuple[object, ...]
"""Something that entries touch and that changes rely on: a voter's place on an item, an item, a decision, a request."""


class Change(msgspec.Struct, frozen=True):
    """Drafts that are to be appended together, as long as nothing they rely on was touched."""

    drafts: tuple[Draft, ...]
    """What goes into the ledger."""
    marks: frozenset[Mark] = frozenset()
    """What the drafts touch."""
    claims: frozenset[Mark] = frozenset()
    """What nobody else may have touched since it was decided to make the change."""
    still_holds: Callable[[], bool] = lambda: True
    """Tells whether what the court knows by now still allows the change."""


def voter_mark(vote: Vote) -> Mark:
    """Return what stands for a voter's place on an item."""
    return ("vote", item_of(vote), vote.voter_id)


def vote_marks(cast: VoteEntry) -> frozenset[Mark]:
    """Return what a vote, an abstention or a withdrawal touches."""
    marks = {voter_mark(cast.vote), ("item", item_of(cast.vote))}
    return frozenset(marks | {("request", cast.request)} if cast.request else marks)


def vote_claims(cast: VoteEntry) -> frozenset[Mark]:
    """Return what a vote relies on: no other vote of the voter on the item, no new round, and no such request."""
    claims = {voter_mark(cast.vote), ("decision", item_of(cast.vote))}
    return frozenset(claims | {("request", cast.request)} if cast.request else claims)


def decision_marks(decision: Curation) -> frozenset[Mark]:
    """Return what a curator's decision touches; it relies on the same: no vote and no decision on the item."""
    item = ItemName(decision.inference_id, decision.voter_prompt_id)
    return frozenset({("decision", item), ("item", item)})


def marks_of(entries: Iterable[Entry]) -> set[Mark]:
    """Return what entries of the ledger touch."""
    marks: set[Mark] = set()
    for entry in entries:
        if entry.kind is Kind.VOTE:
            cast = read_vote(entry.key, entry.payload)
            if isinstance(cast, VoteEntry):
                marks |= vote_marks(cast)
        elif entry.kind is Kind.DECISION and (decision := read_curation(entry.payload)) is not None:
            marks |= decision_marks(decision)
    return marks
