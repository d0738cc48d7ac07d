"""What curators see and decide: items on which jurors disagree, and the votes behind every score."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from itertools import islice

import polars as pl

from venire.domain.curation import Curation, Outcome
from venire.domain.vote import VoterKind, VoterPrompt, vote_key
from venire.errors import TooLateError
from venire.server.court.change import Change, decision_marks
from venire.server.court.commits import CourtWriter
from venire.server.court.state import CourtState
from venire.server.court.tally_item import ItemName, ItemNumbers, TallyItem
from venire.server.court.vote_views import ItemScore, QueuedItem, ScoreCurve, ScorePoint, SeenVote
from venire.votes.decay.trail import trail, trajectories
from venire.votes.entries import curation_draft

MOST_VOTES_SHOWN = 50
"""How many votes on an item a curator is shown; the latest ones where there are more."""
_MOST_POINTS = 60
_MOST_CURVES = 10_000


class Curators:
    """The queue of ambiguous items, and scores over time."""

    def __init__(self, state: CourtState, writer: CourtWriter) -> None:
        self._state = state
        self._writer = writer
        self._curves: dict[ItemName, tuple[ItemNumbers, ScoreCurve]] = {}

    def waiting(self) -> list[TallyItem]:
        """Return the items that wait, the most disputed first."""
        return sorted(
            self._state.tally.waiting.values(),
            key=lambda item: (-max(item.numbers.variance, item.numbers.batch_variance), item.number),
        )

    async def queued(self, item: TallyItem) -> QueuedItem:
        """Return an item with its votes as a curator sees it."""
        numbers, name = item.numbers, item.name
        sample = self._state.index.sample(name.inference_id)
        full = await self._state.fetch(lambda: self._state.sample(sample)) if sample else None
        return QueuedItem(
            inference_id=name.inference_id,
            prompt=self._state.prompts.get(name.voter_prompt_id, VoterPrompt(name.voter_prompt_id, "")),
            text=full.text if full else "",
            task=full.task if full else "",
            votes=await self._seen_votes(item),
            score=numbers.score,
            variance=numbers.variance,
            batch_variance=numbers.batch_variance,
            critical_variance=self._state.options.decay.critical_variance,
            round=item.round,
        )

    async def decide(
        self, curator: str, inference_id: str, voter_prompt_id: str, outcome: Outcome, note: str
    ) -> Curation:
        """Record a decision and return once it is durable. Raises `TooLateError` if the item does not wait."""
        name = ItemName(inference_id, voter_prompt_id)
        while True:  # Until it is recorded or refused; another turn follows only if somebody else was quicker.
            item = self._state.tally.waiting.get(name)
            if item is None:
                raise TooLateError(
                    f"{inference_id!r} does not wait for a decision", hint="Somebody may have decided it."
                )
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

    def curves(self, limit: int) -> tuple[ScoreCurve, ...]:
        """Return the scores over time of the items with the latest votes of people."""
        tally = self._state.tally
        recent = (tally.items[name] for name in reversed(tally.recent) if name.voter_kind is VoterKind.PERSON)
        chosen = list(islice((item for item in recent if item.numbers.score is not None), limit))
        changed = [item for item in chosen if self._known(item) is None]
        if changed:
            self._draw(changed)
        return tuple(curve for item in chosen if (curve := self._known(item)) is not None)

    def _known(self, item: TallyItem) -> ScoreCurve | None:
        numbers, curve = self._curves.get(item.name, (None, None))
        return curve if numbers is item.numbers else None

    def _draw(self, items: list[TallyItem]) -> None:
        """Compute the curves of some items all at once."""
        if len(self._curves) > _MOST_CURVES:
            self._curves.clear()
        steps = trajectories(self._state.tally.frame(items), self._state.options.decay)
        by_name = steps.partition_by("inference_id", "voter_prompt_id", as_dict=True)
        for item in items:
            name = item.name
            own = by_name[name.inference_id, name.voter_prompt_id]
            self._curves[name] = (item.numbers, self._curve(item, own))

    def _curve(self, item: TallyItem, steps: pl.DataFrame) -> ScoreCurve:
        numbers, name = item.numbers, item.name
        stride = max(1, -(-steps.height // _MOST_POINTS))
        kept = steps.reverse().gather_every(stride).reverse()
        sample = self._state.index.sample(name.inference_id)
        return ScoreCurve(
            inference_id=name.inference_id,
            voter_prompt_id=name.voter_prompt_id,
            target_model=sample.target_model if sample else "",
            score=numbers.score or 0.0,
            freshness=numbers.freshness,
            variance=numbers.variance,
            ambiguous=numbers.ambiguous,
            votes=numbers.votes,
            last_update=numbers.last_update or self._state.moment,
            points=tuple(ScorePoint(*row) for row in kept.select("time", "score", "freshness").iter_rows()),
        )

    def _is_unchanged(self, name: ItemName, numbers: ItemNumbers) -> bool:
        item = self._state.tally.waiting.get(name)
        return item is not None and item.numbers is numbers

    async def _seen_votes(self, item: TallyItem) -> tuple[SeenVote, ...]:
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


def score_of(item: TallyItem) -> ItemScore:
    """Return the consensus on an item as lists show it."""
    name, numbers = item.name, item.numbers
    return ItemScore(
        inference_id=name.inference_id,
        voter_prompt_id=name.voter_prompt_id,
        voter_kind=name.voter_kind.value,
        score=numbers.score,
        freshness=numbers.freshness,
        batch_variance=numbers.batch_variance,
        variance=numbers.variance,
        ambiguous=numbers.ambiguous,
        votes=numbers.votes,
        batches=numbers.batches,
        effective_votes=numbers.effective_votes,
        last_update=numbers.last_update,
    )
