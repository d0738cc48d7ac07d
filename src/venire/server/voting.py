"""How votes are cast: durable before they are confirmed, one for each voter, item and round, and taken back in time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec

from venire.domain.canonical import digest
from venire.domain.vote import Vote
from venire.errors import InputError, VenireError
from venire.ledger.entry import Draft, Head, Kind
from venire.server.ledger_index import IndexedSample
from venire.server.new_vote import LastVote, NewVote, PreparedVote, item_of
from venire.server.pages.needs import AlreadyVotedError, TooLateError
from venire.server.record import Record
from venire.server.refusals import NotFoundError, ReusedKeyError
from venire.server.tally_item import CastRow, ItemName
from venire.server.vote_views import VoteReceipt

_FUTURE_TOLERANCE = timedelta(minutes=5)


class Voting:
    """The ballot box."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._kept: set[tuple[ItemName, str]] = set()
        self._under_way: dict[str, asyncio.Task[Head]] = {}
        self._last: dict[str, LastVote] = {}

    async def cast(self, new: NewVote) -> VoteReceipt:
        """Record a vote and return once it is durable.

        A request that is repeated under its idempotency key gets the first one's receipt. Raises `AlreadyVotedError`,
        `ReusedKeyError` if the key came with another vote, and `InputError` for what is no vote.
        """
        request = _request(new)
        if request in self._under_way:
            await asyncio.shield(self._under_way[request])
        if request in self._record.tally.requests:
            return self._receipt_again(new, self._record.tally.requests[request])
        prepared = self.prepare(new, request)
        return self._receipt(prepared, await self.commit([prepared]))

    async def cast_all(self, votes: Sequence[NewVote]) -> list[VoteReceipt | VenireError]:
        """Record many votes in one commit; each gets a receipt, or the reason why it was refused."""
        results: list[VoteReceipt | VenireError | PreparedVote] = []
        for new in votes:
            request = _request(new)
            try:
                if request in self._under_way:
                    await asyncio.shield(self._under_way[request])
                if request in self._record.tally.requests:
                    results.append(self._receipt_again(new, self._record.tally.requests[request]))
                else:
                    results.append(self.prepare(new, request))
            except VenireError as error:
                results.append(error)
        prepared = [each for each in results if isinstance(each, PreparedVote)]
        head = await self.commit(prepared) if prepared else self._record.head
        return [self._receipt(each, head) if isinstance(each, PreparedVote) else each for each in results]

    def prepare(self, new: NewVote, request: str = "") -> PreparedVote:
        """Check a vote and keep its place until it is committed."""
        record = self._record
        now = record.moment
        moment = new.vote_time or now
        prompt_id = record.prompt_id if new.voter_prompt_id is None else new.voter_prompt_id
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
        if (name, new.voter_id) in self._kept:
            raise AlreadyVotedError(f"a vote of {new.voter_id!r} on {new.item!r} is being recorded")
        earlier = record.tally.ballot(name, new.voter_id)
        if earlier is not None and record.options.second_vote == "refuse":
            raise AlreadyVotedError(
                f"{new.voter_id!r} has voted on {new.item!r} in this round", hint="Another round may be opened later."
            )
        withdrawal = _withdrawal(earlier) if earlier else None
        if withdrawal is not None and withdrawal.key == vote.key:
            withdrawal = None  # An entry under the same key takes the place of the first anyhow.
        item = record.tally.items.get(name)
        round_number = item.round if item else 1
        prompt = record.prompts.get(prompt_id)
        content = {"reason": new.reason, "request": request, **new.grounds}
        draft = _draft(vote, round_number, prompt.digest if prompt else "", content)
        drafts = (_draft(withdrawal, earlier.round), draft) if withdrawal and earlier else (draft,)
        prepared = PreparedVote(new.item, vote, round_number, request, drafts, withdrawal)
        self._kept.add(prepared.place)
        return prepared

    async def commit(self, prepared: Sequence[PreparedVote]) -> Head:
        """Commit votes and count them; goes on to the end even if the caller goes away meanwhile."""
        task = asyncio.create_task(self._commit(prepared))
        for each in prepared:
            if each.request:
                self._under_way[each.request] = task
        return await asyncio.shield(task)

    async def _commit(self, prepared: Sequence[PreparedVote]) -> Head:
        try:
            head = await self._record.append([draft for each in prepared for draft in each.drafts])
            for each in prepared:
                if each.replaced is not None:
                    self._record.tally.add(each.replaced, each.replaced.key)
                self._record.tally.add(each.vote, each.vote.key, round_number=each.round, request=each.request)
                until = self._record.moment + timedelta(seconds=self._record.options.undo_seconds)
                self._last[each.vote.voter_id] = LastVote(each.item, each.vote, each.round, until)
            return head
        finally:
            for each in prepared:
                self._kept.discard(each.place)
                self._under_way.pop(each.request, None)

    def last_of(self, voter_id: str) -> LastVote | None:
        """Return the vote that a voter may still take back; None if there is none."""
        last = self._last.get(voter_id)
        if last is None or last.until < self._record.moment:
            self._last.pop(voter_id, None)
            return None
        return last

    async def undo(self, voter_id: str) -> tuple[LastVote, Head]:
        """Take the last vote of a voter back by a new entry. Raises `TooLateError` if there is none."""
        last = self.last_of(voter_id)
        if last is None:
            raise TooLateError("there is no vote that can still be taken back")
        del self._last[voter_id]
        withdrawn = msgspec.structs.replace(last.vote, vote=None)
        draft = _draft(withdrawn, last.round)
        head = await asyncio.shield(asyncio.create_task(self._undo(draft, withdrawn)))
        return last, head

    async def _undo(self, draft: Draft, withdrawn: Vote) -> Head:
        head = await self._record.append([draft])
        self._record.tally.add(withdrawn, withdrawn.key)
        return head

    def _receipt(self, prepared: PreparedVote, head: Head) -> VoteReceipt:
        last = self._last.get(prepared.vote.voter_id)
        return VoteReceipt(
            key=prepared.vote.key,
            item=prepared.item,
            vote=prepared.vote.vote,
            round=prepared.round,
            cast_at=prepared.vote.vote_time,
            head=head.sequence,
            undo_until=last.until if last and last.vote is prepared.vote else None,
            replaces=prepared.replaced.key if prepared.replaced else "",
        )

    def _receipt_again(self, new: NewVote, key: str) -> VoteReceipt:
        stored = self._record.stored_vote(key)
        vote = stored.vote if stored else None
        if stored is None or vote is None or (vote.inference_id, vote.voter_id) != (new.item, new.voter_id):
            raise ReusedKeyError("the idempotency key was used for another vote", hint="Use a new key for each vote.")
        if vote.vote is not None and vote.vote != new.vote:
            raise ReusedKeyError(f"the idempotency key was used for a vote of {vote.vote:g} on the same item")
        return VoteReceipt(key, new.item, vote.vote, stored.round, vote.vote_time, self._record.head.sequence)


def sample_for(record: Record, item: str, *, blinded: bool) -> IndexedSample:
    """Return the sample of this opaque name, or also of this output for those who are not blinded.

    Raises `NotFoundError` if there is none.
    """
    number = record.index.by_handle.get(item)
    if number is None and not blinded:
        number = record.index.by_output.get(item)
    if number is None:
        raise NotFoundError(f"there is no item {item!r}")
    return record.index.samples[number]


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
