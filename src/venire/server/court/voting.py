"""How votes are cast: durable before they are confirmed, one for each voter, item and round, and taken back in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec

from venire.domain.canonical import digest
from venire.domain.vote import Vote
from venire.errors import AlreadyVotedError, InputError, NotFoundError, ReusedKeyError, TooLateError, VenireError
from venire.ledger.entry import Draft, Head, Kind
from venire.server.court.change import Change, vote_claims, vote_marks, voter_mark
from venire.server.court.commits import CourtWriter
from venire.server.court.ledger_index import IndexedSample
from venire.server.court.new_vote import LastVote, NewVote, PreparedVote
from venire.server.court.state import CourtState
from venire.server.court.tally_item import CastRow, ItemName, item_of
from venire.server.court.vote_views import VoteReceipt

_FUTURE_TOLERANCE = timedelta(minutes=5)


class Voting:
    """The ballot box."""

    def __init__(self, state: CourtState, writer: CourtWriter) -> None:
        self._state = state
        self._writer = writer

    async def cast(self, new: NewVote) -> VoteReceipt:
        """Record a vote and return once it is durable.

        A request that is repeated under its idempotency key gets the first one's receipt. Raises `AlreadyVotedError`,
        `ReusedKeyError` if the key came with another vote, and `InputError` for what is no vote.
        """
        while True:  # Until it is recorded or refused; another turn follows only if somebody else was quicker.
            known = await self._known(new)
            if known is not None:
                return known
            prepared = self.prepare(new, _request(new))
            [head] = await self._enter([prepared])
            if head is not None:
                return self._receipt(prepared, head)

    async def cast_all(self, votes: Sequence[NewVote]) -> list[VoteReceipt | VenireError]:
        """Record many votes in one commit; each gets a receipt, or the reason why it was refused."""
        results: list[VoteReceipt | VenireError | PreparedVote] = []
        for new in votes:
            try:
                results.append(await self._known(new) or self.prepare(new, _request(new)))
            except VenireError as error:
                results.append(error)
        heads = iter(await self._enter([each for each in results if isinstance(each, PreparedVote)]))
        done: list[VoteReceipt | VenireError] = []
        for new, result in zip(votes, results, strict=True):
            if not isinstance(result, PreparedVote):
                done.append(result)
                continue
            head = next(heads)
            done.append(self._receipt(result, head) if head is not None else await self._cast_anew(new))
        return done

    async def skip(self, voter_id: str, item: str) -> None:
        """Record that a voter was asked and did not vote; doing so again only puts the item off once more."""
        if self._state.skips.put_off_again(voter_id, ItemName(item, self._state.prompt_id)):
            return
        moment = self._state.moment
        vote = Vote(
            inference_id=item,
            vote=None,
            voter_id=voter_id,
            vote_time=moment,
            voter_prompt_id=self._state.prompt_id,
        )
        prompt = self._state.prompts.get(vote.voter_prompt_id)
        draft = _draft(vote, 1, prompt.digest if prompt else "")
        await self._writer.enter([Change((draft,), vote_marks(vote))])

    def prepare(self, new: NewVote, request: str = "") -> PreparedVote:
        """Check a vote against what the court knows."""
        state = self._state
        now = state.moment
        moment = new.vote_time or now
        prompt_id = state.prompt_id if new.voter_prompt_id is None else new.voter_prompt_id
        vote = Vote(
            inference_id=new.item,
            vote=new.vote,
            voter_id=new.voter_id,
            vote_time=moment,
            voter_prompt_id=prompt_id,
            reputation=new.reputation,
            voter_kind=new.voter_kind,
            rule=new.rule,
        )
        if moment > now + _FUTURE_TOLERANCE:
            raise InputError(f"expected a vote of now or the past, found one of {moment.isoformat()}")
        name = item_of(vote)
        earlier = state.tally.ballot(name, new.voter_id)
        if earlier is not None and state.options.second_vote == "refuse":
            # The item is not named: jurors know it by another name than the one that it has here.
            raise AlreadyVotedError(
                f"{new.voter_id!r} has voted on this item in this round", hint="Another round may be opened later."
            )
        withdrawal = _withdrawal(earlier) if earlier else None
        if withdrawal is not None and withdrawal.key == vote.key:
            withdrawal = None  # An entry under the same key takes the place of the first anyhow.
        round_number = self._round(name)
        prompt = state.prompts.get(prompt_id)
        content = {"reason": new.reason, "request": request, **new.grounds}
        draft = _draft(vote, round_number, prompt.digest if prompt else "", content)
        drafts = (_draft(withdrawal, earlier.round), draft) if withdrawal and earlier else (draft,)

        def still_holds() -> bool:
            if request and request in state.tally.requests:
                return False
            return state.tally.ballot(name, new.voter_id) == earlier and self._round(name) == round_number

        change = Change(drafts, vote_marks(vote, request), vote_claims(vote, request), still_holds)
        return PreparedVote(new.item, vote, round_number, request, change, withdrawal)

    def last_of(self, voter_id: str) -> LastVote | None:
        """Return the vote that a voter may still take back; None if there is none."""
        row = self._state.tally.last_of(voter_id)
        if row is None:
            return None
        until = self._undo_until(row.vote_time)
        if until < self._state.moment:
            return None
        vote = msgspec.structs.replace(_withdrawal(row), vote=row.vote)
        return LastVote(row.item.inference_id, vote, row.round, until)

    async def undo(self, voter_id: str) -> tuple[LastVote, Head]:
        """Take the last vote of a voter back by a new entry. Raises `TooLateError` if there is none."""
        while True:
            last = self.last_of(voter_id)
            if last is None:
                raise TooLateError("there is no vote that can still be taken back")
            withdrawn = msgspec.structs.replace(last.vote, vote=None)
            marks = vote_marks(withdrawn)
            claims = frozenset({voter_mark(withdrawn)})
            change = Change((_draft(withdrawn, last.round),), marks, claims, partial(self._is_last, voter_id, last))
            [head] = await self._writer.enter([change])
            if head is not None:
                return last, head

    async def _cast_anew(self, new: NewVote) -> VoteReceipt | VenireError:
        try:
            return await self.cast(new)
        except VenireError as error:
            return error

    async def _enter(self, prepared: Sequence[PreparedVote]) -> list[Head | None]:
        return await self._writer.enter([each.change for each in prepared]) if prepared else []

    async def _known(self, new: NewVote) -> VoteReceipt | None:
        """Return the receipt of a request that was done before; None if it was not."""
        key = self._state.tally.requests.get(_request(new)) if new.request else None
        if key is None:
            return None
        stored = await self._state.fetch(lambda: self._state.stored_vote(key))
        vote = stored.vote if stored else None
        if stored is None or vote is None or (vote.inference_id, vote.voter_id) != (new.item, new.voter_id):
            raise ReusedKeyError("the idempotency key was used for another vote", hint="Use a new key for each vote.")
        if vote.vote is not None and vote.vote != new.vote:
            raise ReusedKeyError(f"the idempotency key was used for a vote of {vote.vote:g} on the same item")
        return VoteReceipt(key, new.item, vote.vote, stored.round, vote.vote_time, self._state.head.sequence)

    def _is_last(self, voter_id: str, last: LastVote) -> bool:
        return self.last_of(voter_id) == last

    def _round(self, name: ItemName) -> int:
        item = self._state.tally.items.get(name)
        return item.round if item else 1

    def _undo_until(self, cast_at: datetime) -> datetime:
        return cast_at + timedelta(seconds=self._state.options.undo_seconds)

    def _receipt(self, prepared: PreparedVote, head: Head) -> VoteReceipt:
        return VoteReceipt(
            key=prepared.vote.key,
            item=prepared.item,
            vote=prepared.vote.vote,
            round=prepared.round,
            cast_at=prepared.vote.vote_time,
            head=head.sequence,
            undo_until=self._undo_until(prepared.vote.vote_time),
            replaces=prepared.replaced.key if prepared.replaced else "",
        )


def sample_for(state: CourtState, item: str, *, blinded: bool) -> IndexedSample:
    """Return the sample of this opaque name, or also of this output for those who are not blinded.

    Raises `NotFoundError` if there is none.
    """
    number = state.index.by_handle.get(item)
    if number is None and not blinded:
        number = state.index.by_output.get(item)
    if number is None:
        raise NotFoundError(f"there is no item {item!r}")
    return state.index.samples[number]


def _draft(vote: Vote, round_number: int, prompt_digest: str = "", more: Mapping[str, object] | None = None) -> Draft:
    """Record a vote; what is empty or usual is left out, so that a plain vote is written as everywhere else."""
    content: dict[str, object] = {"vote": vote, "prompt_digest": prompt_digest}
    if round_number != 1:
        content["round"] = round_number
    content |= {name: value for name, value in (more or {}).items() if value}
    return Draft(Kind.VOTE, content, vote.key)


def _request(new: NewVote) -> str:
    return digest("request", [new.voter_id, new.request]) if new.request else ""


def _withdrawal(earlier: CastRow) -> Vote:
    return Vote(
        inference_id=earlier.item.inference_id,
        vote=None,
        voter_id=earlier.voter_id,
        vote_time=earlier.vote_time,
        voter_prompt_id=earlier.item.voter_prompt_id,
        reputation=earlier.reputation,
        voter_kind=earlier.item.voter_kind,
    )
