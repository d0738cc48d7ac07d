"""What a juror sees and does: blinded outputs one by one, votes, and judgements by the dimensions of a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Judgement
from venire.domain.material import Material, MaterialKind
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import PLACES, Pair, Sample, make_pair
from venire.domain.vote import Vote, VoterPrompt
from venire.errors import AlreadyVotedError, UsageError, VenireError
from venire.judges.blinding import find_leaks, mask_leaks, mask_materials, names_of
from venire.protocols.voter_prompts import bundled_prompt
from venire.server.court.ballot_order import BallotOrder
from venire.server.court.compared import BlindedPair, IndexedPair, blind_pair
from venire.server.court.state import CourtState, VotedItem
from venire.server.court.tally_item import ItemName
from venire.server.court.vote_requests import VoteRequest
from venire.server.court.vote_views import Ballot, CastVote, Docket, VoteReceipt
from venire.server.court.voting import Voting, item_for
from venire.shapes.check import Checker
from venire.shapes.registry import shape_of
from venire.votes.entries import VoteEntry
from venire.votes.from_judgements import Rule, vote_of

TIE = 0.5
"""The vote for neither of two outputs."""
FIVE = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What 1 to 5 are as votes from 0 to 1."""


class JuryRoom:
    """Jurors before their dockets."""

    def __init__(self, state: CourtState, voting: Voting) -> None:
        self._state = state
        self._voting = voting
        self.order = BallotOrder(state)
        self._blinded = lru_cache(maxsize=512)(self._blind)
        self._both = lru_cache(maxsize=512)(self._blind_both)

    async def docket(self, juror: str) -> Docket:
        """Return what lies before a juror."""
        item = self.order.next_for(juror)
        last = self._voting.last_of(juror)
        return Docket(
            ballot=await self.ballot(item, juror) if item else None,
            done=self.order.done_by(juror),
            total=self.order.total,
            last=self._takes_back(last.vote, juror) if last else None,
        )

    async def ballot(self, item: VotedItem, juror: str) -> Ballot:
        """Return what a juror sees of an output, or of two: nothing that tells who wrote them."""
        options, counted = self._state.options, ItemName(item.output_id, self._state.prompt_id)
        known = self._state.tally.items.get(counted)
        asked = Ballot(
            item=item.handle,
            prompt=options.voter_prompt,
            text="",
            scale=options.vote_scale,
            protocol=self._state.rubric,
            round=known.round if known else 1,
        )
        if isinstance(item, IndexedPair):
            both = await self._state.fetch(lambda: self._both(item.handle, swapped=self._is_swapped(juror, item)))
            shown = {"text": both.first, "second": both.second, "task": both.task, "materials": both.materials}
            prompt = asked.prompt if self._state.rubric is None else self._comparing(asked.prompt)
            return msgspec.structs.replace(asked, ties=self._state.allows_ties, prompt=prompt, **shown)
        text, task, materials = await self._state.fetch(lambda: self._blinded(item.handle))
        category = item.factors.get("category", "")
        return msgspec.structs.replace(asked, text=text, task=task, materials=materials, category=category)

    async def cast_all(
        self, juror: str, asked: Sequence[VoteRequest], keys: Sequence[str]
    ) -> list[VoteReceipt | VenireError]:
        """Record a juror's votes on items by their opaque names, each with its idempotency key, in one commit."""
        entries = [self._entry_of(each, juror, key) for each, key in zip(asked, keys, strict=True)]
        results = await self._voting.cast_all(entries)
        return [
            self._for_juror(result, each.item, juror) if isinstance(result, VoteReceipt) else result
            for each, result in zip(asked, results, strict=True)
        ]

    async def judge(self, juror: str, item: str, reply: str) -> Judgement:
        """Check a juror's reply; record it and the vote that follows from it if it is valid."""
        known, rubric = item_for(self._state, item), self._state.rubric
        if rubric is None:
            raise UsageError("error.court.plain_votes")
        if self.order.has_voted(juror, known) and self._state.options.second_vote == "refuse":
            raise AlreadyVotedError("error.court.already_voted", voter=juror)
        seen, digest = await self._state.fetch(lambda: self._seen(known, juror))
        # The juror gets it back: neither a name of the output nor a digest over its model may stand in it.
        judgement = msgspec.structs.replace(check_reply(reply, seen, item, juror, rubric), sample_digest="")
        if not judgement.valid:
            return judgement
        kept = msgspec.structs.replace(judgement, sample=known.output_id, sample_digest=digest)
        grounds = {"protocol": rubric.digest, "reply": reply, "judgement": kept}
        value = self._turn(vote_from(judgement, rubric), juror, known)
        entry = self._voting.entry_of(VoteRequest(known.output_id, value), juror)
        derived = msgspec.structs.replace(
            entry,
            vote=msgspec.structs.replace(entry.vote, rule=WINNER_RULE if isinstance(known, IndexedPair) else RULE),
            shown_first=self._shown_first(juror, known),
        )
        await self._voting.cast(derived, grounds)
        return judgement

    def _seen(self, item: VotedItem, juror: str) -> tuple[Sample | Pair, str]:
        """Return an output, or two, as a juror saw them, and the digest of what it really is."""
        if not isinstance(item, IndexedPair):
            text, task, materials = self._blinded(item.handle)
            shown = {"output_id": item.handle, "text": text, "task": task, "materials": materials}
            return msgspec.structs.replace(self._state.sample(item), **shown), item.digest
        swapped = self._is_swapped(juror, item)
        both = self._both(item.handle, swapped=swapped)
        real = self._state.outputs_of(item)[:: -1 if swapped else 1]
        sides = [
            msgspec.structs.replace(sample, output_id=f"{item.handle}/{place}", text=text, task=both.task)
            for sample, place, text in zip(real, PLACES, (both.first, both.second), strict=True)
        ]
        return Pair(name=item.handle, samples=tuple(sides)), make_pair(*real).digest

    async def undo(self, juror: str) -> VoteReceipt:
        """Take a juror's last vote back."""
        receipt = await self._voting.undo(juror)
        return self._for_juror(receipt, self._handle(receipt.item), juror)

    async def skip(self, juror: str, item: str) -> None:
        """Put an item at the end of a juror's order."""
        await self._voting.skip(juror, item_for(self._state, item).output_id)

    def _entry_of(self, asked: VoteRequest, juror: str, key: str) -> VoteEntry | VenireError:
        try:
            item = item_for(self._state, asked.item)
            self._check_scale(asked.vote)
            vote = self._turn(asked.vote, juror, item)
            entry = self._voting.entry_of(msgspec.structs.replace(asked, item=item.output_id, vote=vote), juror, key)
            return msgspec.structs.replace(entry, shown_first=self._shown_first(juror, item))
        except VenireError as error:
            return error

    def _comparing(self, prompt: VoterPrompt) -> VoterPrompt:
        """Return what is asked of those who compare by a protocol: which output is better, not whether one is good."""
        asks = bundled_prompt("prefer-en-zh", first=self._state.options.language)
        return VoterPrompt(prompt.id, asks.text, asks.languages)

    def _is_swapped(self, juror: str, item: IndexedPair) -> bool:
        return self._state.secret.is_swapped(juror, item.handle)

    def _turn(self, vote: float, juror: str, item: VotedItem | None) -> float:
        """Turn a vote from the sides that a juror sees to the order of names, or back; one on an output stays."""
        is_turned = isinstance(item, IndexedPair) and self._is_swapped(juror, item)
        return 1 - vote if is_turned else vote

    def _shown_first(self, juror: str, item: VotedItem) -> str:
        """Return the name of the output that a juror saw on the first side; empty if it was the only one."""
        if not isinstance(item, IndexedPair):
            return ""
        return self._state.index.samples[item.places[self._is_swapped(juror, item)]].output_id

    def _takes_back(self, vote: Vote, juror: str) -> CastVote:
        item, until = self._state.item(vote.inference_id), self._voting.undo_until(vote)
        given = None if vote.vote is None else self._turn(vote.vote, juror, item)
        return CastVote(item=item.handle if item else "", vote=given, undo_until=until)

    def _check_scale(self, vote: float) -> None:
        if self._state.rubric is not None:
            raise UsageError("error.court.by_dimensions")
        scale = self._state.options.vote_scale
        if scale == "yes_no" and vote not in (0, 1):
            raise UsageError("error.court.yes_or_no", vote=f"{vote:g}")
        if scale == "pairs" and vote not in (0, 1) and (vote != TIE or not self._state.allows_ties):
            code = "error.court.one_of_two" if self._state.allows_ties else "error.court.no_ties"
            raise UsageError(code, vote=f"{vote:g}")
        if scale == "five" and vote not in FIVE:
            raise UsageError("error.court.one_to_five", vote=f"{vote:g}")

    def _for_juror(self, receipt: VoteReceipt, item: str, juror: str) -> VoteReceipt:
        """Return a receipt without what would confirm a guess: the vote's real key, and its place in the ledger."""
        secret = self._state.secret
        key, replaces = secret.receipt_key(receipt.key), secret.receipt_key(receipt.replaces)
        vote = None if receipt.vote is None else self._turn(receipt.vote, juror, self._state.item(receipt.item))
        return msgspec.structs.replace(receipt, item=item, vote=vote, key=key, replaces=replaces, head=None)

    def _handle(self, name: str) -> str:
        item = self._state.item(name)
        return item.handle if item else ""

    def _blind_both(self, handle: str, *, swapped: bool) -> BlindedPair:
        pair = self._state.index.pairs.find(handle)
        if pair is None:
            raise KeyError(handle)
        first, second = self._state.outputs_of(pair)
        kinds = self._state.rubric.shown_kinds if self._state.rubric else frozenset(MaterialKind)
        return blind_pair(second, first, kinds) if swapped else blind_pair(first, second, kinds)

    def _blind(self, handle: str) -> tuple[str, str, tuple[Material, ...]]:
        """Return the output, its task and what stands beside them, with the names of the model masked.

        Beside them stands what the rubric shows; where votes follow no rubric, everything that the sample has.
        """
        known = self._state.index.samples[self._state.index.by_handle[handle]]
        sample = self._state.sample(known)
        names = names_of(known.target_model) if known.target_model else ()
        text, task = (mask_leaks(each, find_leaks(each, names)) for each in (sample.text, sample.task))
        kinds = self._state.rubric.shown_kinds if self._state.rubric else frozenset(MaterialKind)
        return text, task, mask_materials(sample.materials_of(kinds), kinds, names)[0]


RULE: Rule = "overall"
"""The rule by which a juror's judgement becomes a vote: its overall score, scaled to 0–1."""
WINNER_RULE = "winner"
"""The rule by which a judgement of two outputs becomes a vote: 1 for the one that won, ½ for a tie."""


def check_reply(reply: str, seen: Sample | Pair, handle: str, juror: str, protocol: EvalProtocol) -> Judgement:
    """Check a juror's reply about a sample as the juror saw it; the reply names it by its handle."""
    if shape_of(protocol).judges != seen.kind:
        raise UsageError("error.reply.one_at_a_time", protocol=protocol.id)
    return Checker(protocol, blind=True).check(reply, seen, judge=JudgeIdentity(juror), handle=handle)


def vote_from(judgement: Judgement, protocol: EvalProtocol) -> float:
    """Return the vote that a valid judgement becomes. Raises `UsageError` if it becomes none.

    Of two outputs it is for the one that was shown first.
    """
    if judgement.preference is not msgspec.UNSET:
        return judgement.preference.winner.outcome
    vote = vote_of(judgement, protocol, RULE)
    if isinstance(vote, str):
        raise UsageError("error.court.no_vote", reason=vote)
    return vote
