"""What curators see and decide: items on which jurors disagree, with their votes."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from venire.domain.curation import Curation, Outcome
from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt, vote_key
from venire.errors import TooLateError
from venire.server.court.commits import Change, CourtWriter, decision_marks
from venire.server.court.state import CourtState
from venire.server.court.tally_item import ItemName, ItemNumbers, TallyItem
from venire.server.court.vote_views import QueuedItem, SeenVote
from venire.votes.decay.trail import trail
from venire.votes.entries import curation_draft

MOST_VOTES_SHOWN = 50
"""How many votes on an item a curator is shown; the latest ones where there are more."""


class Curators:
    """The queue of ambiguous items."""

    def __init__(self, state: CourtState, writer: CourtWriter) -> None:
        self._state = state
        self._writer = writer

    def waiting(self) -> list[TallyItem]:
        """Return the items that wait, the most disputed first."""
        return sorted(
            self._state.tally.waiting.values(),
            key=lambda item: (-max(item.numbers.variance, item.numbers.batch_variance), item.number),
        )

    async def queued(self, item: TallyItem) -> QueuedItem:
        """Return an item with its votes as a curator sees it."""
        numbers, name = item.numbers, item.name
        full, other = await self._state.fetch(lambda: self._outputs(name.inference_id))
        return QueuedItem(
            inference_id=name.inference_id,
            prompt=self._state.prompts.get(name.voter_prompt_id, VoterPrompt(name.voter_prompt_id, "")),
            text=full.text if full else "",
            second=other.text if other else None,
            task=full.task if full else "",
            votes=await self._seen_votes(item),
            score=numbers.score,
            variance=numbers.variance,
            batch_variance=numbers.batch_variance,
            critical_variance=self._state.options.decay.critical_variance,
            round=item.round,
            left_open=item.left_open,
        )

    async def decide(
        self, curator: str, inference_id: str, voter_prompt_id: str, outcome: Outcome, note: str
    ) -> Curation:
        """Record a decision and return once it is durable. Raises `TooLateError` if the item does not wait."""
        name = ItemName(inference_id, voter_prompt_id)
        while True:  # Until it is recorded or refused; another turn follows only if somebody else was quicker.
            item = self._state.tally.waiting.get(name)
            if item is None:
                raise TooLateError("error.court.not_waiting", item=inference_id)
            decision = Curation(
                inference_id=inference_id,
                voter_prompt_id=voter_prompt_id,
                outcome=outcome,
                curator=curator,
                decided_at=self._state.moment,
                note=note,
                score=item.numbers.score,
                variance=item.numbers.variance,
                votes=item.numbers.votes,
            )
            marks = decision_marks(decision)
            unchanged = partial(self._is_unchanged, name, item.numbers)
            [head] = await self._writer.enter([Change((curation_draft(decision),), marks, marks, unchanged)])
            if head is not None:
                return decision

    def _outputs(self, name: str) -> tuple[Sample | None, Sample | None]:
        """Return the output that was voted on, or the two that were compared, as far as the ledger holds them."""
        if (pair := self._state.index.pairs.find(name)) is not None:
            return self._state.outputs_of(pair)
        sample = self._state.index.sample(name)
        return self._state.sample(sample) if sample else None, None

    def _is_unchanged(self, name: ItemName, numbers: ItemNumbers) -> bool:
        item = self._state.tally.waiting.get(name)
        return item is not None and item.numbers is numbers

    async def _seen_votes(self, item: TallyItem) -> tuple[SeenVote, ...]:
        if not item.rows:
            return ()
        walked = trail(self._state.tally.frame([item]), self._state.options.decay).tail(MOST_VOTES_SHOWN)
        rows = list(walked.select("voter_id", "vote", "vote_time", "weight").iter_rows())
        reasons = await self._state.fetch(lambda: [self._reason(item, row[0], row[2]) for row in rows])
        return tuple(
            SeenVote(voter=voter, vote=vote, vote_time=moment, weight=weight, reason=reason)
            for (voter, vote, moment, weight), reason in zip(rows, reasons, strict=True)
        )

    def _reason(self, item: TallyItem, voter: str, moment: datetime) -> str:
        stored = self._state.stored_vote(vote_key(voter, item.name.inference_id, item.name.voter_prompt_id, moment))
        return stored.reason if stored else ""
