"""Writes what the court decides: many changes in one commit, each only if nobody else was quicker.

A change is looked at twice. When its commit begins, the court's own counts must still allow it. And at the end of the
ledger, where nobody else can append any more, it must not rely on anything that entries touch which the court has not
seen yet. What fails either way is handed back, to be decided anew. So a rule such as one vote for each juror and item
holds among any number of servers on one ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from venire.domain.curation import Curation
from venire.domain.vote import Vote
from venire.errors import LedgerError, ReadOnlyError
from venire.ledger.entry import Draft, Entry, Head, Kind
from venire.ledger.group_commit import GroupWriter
from venire.server.court.state import CourtState
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


class CommitResult(msgspec.Struct, frozen=True):
    """What a commit came to."""

    head: Head = Head()
    """The end of the ledger after it."""
    news: Sequence[Entry] = ()
    """What others had appended since the court looked last."""
    entered: Sequence[Change] = ()
    """The changes that were written."""

    @property
    def drafts(self) -> list[Draft]:
        """What was written, in order."""
        return [draft for change in self.entered for draft in change.drafts]


class CourtWriter:
    """The one who writes what the court decides. One event loop owns it; commits are made in a thread of its own."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._group: GroupWriter[Change, CommitResult] = GroupWriter(
            self._stage, finish=self._take_in, gather_seconds=0.0
        )
        self._closed = False

    async def enter(self, changes: Sequence[Change]) -> list[Head | None]:
        """Write changes and return once they are durable and counted: for each the end of the ledger, or None.

        None stands for a change that somebody was quicker than: nothing of it was written, and it is to be decided
        anew. If a commit fails, everyone whose changes were in it gets the error. Cancelling the call stops the waiting
        only. Raises `ReadOnlyError` if the ledger is only looked at, and `LedgerError` if it cannot be written.
        """
        if self._state.options.read_only:
            raise ReadOnlyError("error.court.read_only")
        if self._closed:
            raise LedgerError("error.court.stopping")
        for draft in (draft for change in changes for draft in change.drafts):
            _ = draft.payload_bytes  # Encoded here: at the end of the ledger all other writers would wait for it.
        result = await self._group.append(changes)
        entered = {id(change) for change in result.entered}
        return [result.head if id(change) in entered else None for change in changes]

    async def close(self) -> None:
        """Commit what is waiting, and write no more."""
        self._closed = True
        await self._group.settle()
        await self._group.close()

    def _stage(self, changes: Sequence[Change]) -> Callable[[], CommitResult]:
        standing = [change for change in changes if change.still_holds()]
        # Taken together with the look at what still holds: nothing may be seen by neither of the two.
        seen = self._state.head.sequence
        return lambda: self._write(seen, standing) if standing else CommitResult()

    def _write(self, seen: int, changes: Sequence[Change]) -> CommitResult:
        result = CommitResult()

        def decide(news: Sequence[Entry]) -> list[Draft]:
            nonlocal result
            result = CommitResult(Head(), news, _undisputed(changes, marks_of(news)))
            return result.drafts

        head = self._state.ledger.append_after(seen, decide)
        return msgspec.structs.replace(result, head=head)

    def _take_in(self, result: CommitResult) -> None:
        if result.head.sequence:
            self._state.take_in(result.news)
            self._state.take_in_own(result.drafts, result.head)


def _undisputed(changes: Sequence[Change], touched: set[Mark]) -> list[Change]:
    """Return the changes that rely on nothing that was touched, be it by an earlier one of them."""
    kept = []
    for change in changes:
        if touched.isdisjoint(change.claims):
            touched |= change.marks
            kept.append(change)
    return kept
