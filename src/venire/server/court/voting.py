"""How votes are cast: durable before they are confirmed, one for each voter, item and round, and taken back in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec

from venire.domain.canonical import digest
from venire.domain.vote import Vote
from venire.errors import AlreadyVotedError, InputError, NotFoundError, ReusedKeyError, TooLateError, VenireError
from venire.ledger.entry import Draft, Head
from venire.server.court.commits import Change, CourtWriter, vote_claims, vote_marks, voter_mark
from venire.server.court.state import CourtState, VotedItem
from venire.server.court.tally_item import ItemName, item_of
from venire.server.court.vote_requests import VoteRequest
from venire.server.court.vote_views import VoteReceipt
from venire.votes.entries import VoteEntry, decode_vote, vote_draft

_FUTURE_TOLERANCE = timedelta(minutes=5)


class Voting:
    """The ballot box."""

    def __init__(self, state: CourtState, writer: CourtWriter) -> None:
        self._state = state
        self._writer = writer

    async def cast(self, entry: VoteEntry, grounds: Mapping[str, object] | None = None) -> VoteReceipt:
        """Record a vote and return once it is durable; raises what `cast_all` would return."""
        [result] = await self.cast_all([entry], grounds)
        if isinstance(result, VenireError):
            raise result
        return result

    async def cast_all(
        self, entries: Sequence[VoteEntry | VenireError], grounds: Mapping[str, object] | None = None
    ) -> list[VoteReceipt | VenireError]:
        """Record votes in one commit and return once they are durable: receipts, or why one was refused.

        A request that is repeated under its idempotency key gets the first one's receipt. Refused are a second vote
        (`AlreadyVotedError`), a key that came with another vote (`ReusedKeyError`), and what was an error before.
        Raises `LedgerError` if nothing could be written.
        """
        results: dict[int, VoteReceipt | VenireError] = {}
        undecided = dict(enumerate(entries))
        while undecided:  # Another turn follows only for those that somebody else was quicker than.
            changes: dict[int, Change] = {}
            for place, entry in undecided.items():
                decided = await self._decide(entry, grounds)
                if isinstance(decided, Change):
                    changes[place] = decided
                else:
                    results[place] = decided
            heads = await self._enter(list(changes.values()), is_first=len(undecided) == len(entries))
            for (place, change), head in zip(changes.items(), heads, strict=True):
                if head is not None:
                    results[place] = self._receipt(change, head) if isinstance(head, Head) else head
            undecided = {place: entries[place] for place in changes if place not in results}
        return [results[place] for place in range(len(entries))]

    async def cast_for_others(
        self, operator: str, asked: Sequence[VoteRequest], keys: Sequence[str]
    ) -> list[VoteReceipt | VenireError]:
        """Record votes that an operator brings, on outputs by their own names."""
        entries: list[VoteEntry | VenireError] = []
        for each, key in zip(asked, keys, strict=True):
            try:
                entries.append(self.entry_of(each, each.voter_id or operator, key))
            except VenireError as error:
                entries.append(error)
        return await self.cast_all(entries)

    def entry_of(self, asked: VoteRequest, voter_id: str, key: str = "") -> VoteEntry:
        """Return what would be recorded for a request. Raises `InputError` for what is no vote."""
        now, prompt_id = self._state.moment, asked.voter_prompt_id
        vote = Vote(
            inference_id=asked.item,
            vote=asked.vote,
            voter_id=voter_id,
            vote_time=asked.vote_time or now,
            voter_prompt_id=self._state.prompt_id if prompt_id is None else prompt_id,
            reputation=asked.reputation,
            voter_kind=asked.voter_kind,
        )
        if vote.vote_time > now + _FUTURE_TOLERANCE:
            raise InputError("error.court.vote_in_future", time=vote.vote_time.isoformat())
        request = digest("request", [voter_id, key]) if key else ""
        return VoteEntry(vote, self._prompt_digest(vote), reason=asked.reason, request=request)

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
        entry = VoteEntry(vote, self._prompt_digest(vote))
        await self._writer.enter([Change((vote_draft(entry),), vote_marks(entry))])

    def last_of(self, voter_id: str) -> VoteEntry | None:
        """Return the vote that a voter may still take back; None if there is none."""
        last = self._state.tally.last_of(voter_id)
        return last if last and self.undo_until(last.vote) >= self._state.moment else None

    def undo_until(self, vote: Vote) -> datetime:
        """Return up to when a vote may be taken back."""
        return vote.vote_time + timedelta(seconds=self._state.options.undo_seconds)

    async def undo(self, voter_id: str) -> VoteReceipt:
        """Take the last vote of a voter back by a new entry. Raises `TooLateError` if there is none."""
        while True:
            last = self.last_of(voter_id)
            if last is None:
                raise TooLateError("error.court.too_late")
            withdrawn = _withdrawal(last)
            claims = frozenset({voter_mark(withdrawn.vote)})
            change = Change(
                (vote_draft(withdrawn),), vote_marks(withdrawn), claims, partial(self._is_last, voter_id, last)
            )
            [head] = await self._writer.enter([change])
            if head is not None:
                return msgspec.structs.replace(self._receipt(change, head), undo_until=None)

    async def _decide(
        self, entry: VoteEntry | VenireError, grounds: Mapping[str, object] | None
    ) -> VoteReceipt | VenireError | Change:
        if isinstance(entry, VenireError):
            return entry
        try:
            return await self._known(entry) or self._change(entry, grounds)
        except VenireError as error:
            return error

    async def _enter(self, changes: Sequence[Change], *, is_first: bool) -> list[Head | VenireError | None]:
        """Write changes; an error is raised only while nothing was written that somebody should hear of."""
        try:
            return list(await self._writer.enter(changes)) if changes else []
        except VenireError as error:
            if is_first:
                raise
            return [error] * len(changes)

    def _change(self, entry: VoteEntry, grounds: Mapping[str, object] | None) -> Change:
        """Return what casting a vote changes. Raises `AlreadyVotedError` if the court knows of another one."""
        tally, voter_id, name = self._state.tally, entry.vote.voter_id, item_of(entry.vote)
        earlier = tally.ballot(name, voter_id)
        if earlier is not None and self._state.options.second_vote == "refuse":
            # The item is not named: jurors know it by another name than the one that it has here.
            raise AlreadyVotedError("error.court.already_voted", voter=voter_id)
        entry = msgspec.structs.replace(entry, round=self._round(name))
        drafts: tuple[Draft, ...] = (vote_draft(entry, grounds),)
        if earlier is not None and earlier.vote.key != entry.vote.key:
            # An entry under the same key would take the place of the first anyhow.
            drafts = (vote_draft(_withdrawal(earlier)), *drafts)

        def still_holds() -> bool:
            if entry.request and entry.request in tally.requests:
                return False
            return tally.ballot(name, voter_id) == earlier and self._round(name) == entry.round

        return Change(drafts, vote_marks(entry), vote_claims(entry), still_holds)

    async def _known(self, entry: VoteEntry) -> VoteReceipt | None:
        """Return the receipt of a request that was done before; None if it was not."""
        key = self._state.tally.requests.get(entry.request) if entry.request else None
        if key is None:
            return None
        stored, asked = await self._state.fetch(lambda: self._state.stored_vote(key)), entry.vote
        if stored is None or (stored.vote.inference_id, stored.vote.voter_id) != (asked.inference_id, asked.voter_id):
            raise ReusedKeyError("error.court.key_reused")
        vote = stored.vote
        if vote.vote is not None and vote.vote != asked.vote:
            raise ReusedKeyError("error.court.key_reused_value", vote=f"{vote.vote:g}")
        return VoteReceipt(key, vote.inference_id, vote.vote, stored.round, vote.vote_time, self._state.head.sequence)

    def _is_last(self, voter_id: str, last: VoteEntry) -> bool:
        return self.last_of(voter_id) == last

    def _round(self, name: ItemName) -> int:
        item = self._state.tally.items.get(name)
        return item.round if item else 1

    def _prompt_digest(self, vote: Vote) -> str:
        prompt = self._state.prompts.get(vote.voter_prompt_id)
        return prompt.digest if prompt else ""

    def _receipt(self, change: Change, head: Head) -> VoteReceipt:
        """Return the receipt of what a change has written: a vote, and before it the withdrawal of an earlier one."""
        *withdrawn, draft = change.drafts
        entry = decode_vote(draft.payload_bytes)
        return VoteReceipt(
            key=draft.key,
            item=entry.vote.inference_id,
            vote=entry.vote.vote,
            round=entry.round,
            cast_at=entry.vote.vote_time,
            head=head.sequence,
            undo_until=self.undo_until(entry.vote),
            replaces=withdrawn[0].key if withdrawn else "",
        )


def item_for(state: CourtState, handle: str) -> VotedItem:
    """Return what jurors know by this opaque name. Raises `NotFoundError` if there is none."""
    item = state.item(handle)
    if item is None or item.handle != handle:
        raise NotFoundError("error.court.no_item", item=handle)
    return item


def _withdrawal(earlier: VoteEntry) -> VoteEntry:
    return VoteEntry(msgspec.structs.replace(earlier.vote, vote=None), round=earlier.round)
