"""Scores of votes that age: now, as of any time, over time, and with every vote behind them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import islice
from typing import TypeVar

import msgspec
import polars as pl

from venire.domain.curation import LEAST_VOTES
from venire.domain.sample import pair_name
from venire.domain.vote import VoterKind
from venire.errors import NotFoundError, UsageError
from venire.server.court.compared import models_by_pairs
from venire.server.court.state import CourtState
from venire.server.court.tally_item import NUMBERS, ItemName, TallyItem
from venire.server.court.views import Page, page_of
from venire.server.court.vote_views import ItemScore, ModelResult, ResultPoint, VotedItem, VoteStanding, WeighedVote
from venire.votes.analysis.voter_ratings import voter_agreement
from venire.votes.client import GrandJuryClient
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.groups import score_groups
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay
from venire.votes.decay.trail import trail
from venire.votes.pairs import VotedPair

T = TypeVar("T")
_MOST_AGREEING = 200_000
_POINTS = 12
_MOST_FOLLOWED = 50_000


class Scores:
    """The scores of a court's votes, and of votes that a caller brings along."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._standing: tuple[tuple[int, int], VoteStanding] | None = None

    async def listed(self, kind: VoterKind, as_of: datetime | None, after: int, limit: int) -> Page[ItemScore]:
        """Return the consensus on items, in the order in which they got their first votes."""
        tally = self._state.tally
        if as_of is None:
            scored = [each for each in tally.by_number if each.name.voter_kind is kind and each.numbers.votes]
            return page_of(scored, after, limit, _score_of)
        votes, decay = tally.frame(), self._state.options.decay
        frame = await self._state.in_thread(lambda: score_votes(votes, decay, as_of=as_of).frame)
        found = frame.filter(frame["voter_kind"] == kind.value)
        rows = range(found.height)
        return page_of(rows, after, limit, lambda row: msgspec.convert(found.row(row, named=True), ItemScore))

    def trail(
        self,
        inference_id: str,
        voter_prompt_id: str | None,
        kind: VoterKind,
        as_of: datetime | None,
        after: int,
        limit: int,
    ) -> Page[WeighedVote]:
        """Return the votes on an item with their weights; raises `NotFoundError` if nobody has voted on it."""
        prompt = self._state.prompt_id if voter_prompt_id is None else voter_prompt_id
        item = self._state.tally.items.get(ItemName(inference_id, prompt, kind))
        if item is None:
            raise NotFoundError("error.server.no_votes", name=inference_id[:80])
        walked = trail(self._state.tally.frame([item]), self._state.options.decay, as_of=as_of, by=ITEM)
        found = walked.select(WeighedVote.__struct_fields__)
        return page_of(range(found.height), after, limit, lambda row: WeighedVote(*found.row(row)))

    async def answer(
        self,
        question: Callable[[GrandJuryClient], T],
        *,
        rate_per_second: float | None = None,
        critical_variance: float | None = None,
    ) -> T:
        """Answer a question about votes that a caller brings along, under this court's terms unless others are said."""
        said = {"rate_per_second": rate_per_second, "critical_variance": critical_variance}
        terms = {name: value for name, value in said.items() if value is not None}
        client = GrandJuryClient(decay=msgspec.structs.replace(self._state.options.decay, **terms))
        try:
            return await self._state.in_thread(lambda: question(client))
        except OverflowError as error:  # Such as an hour before the year 1.
            raise UsageError("error.server.out_of_range", problem=str(error)) from error

    def voted_items(self, limit: int) -> tuple[VotedItem, ...]:
        """Return the scores of the items with the latest votes of people."""
        tally = self._state.tally
        recent = (tally.items[name] for name in reversed(tally.recent) if name.voter_kind is VoterKind.PERSON)
        return tuple(map(self._voted, islice((item for item in recent if item.numbers.score is not None), limit)))

    async def standing(self) -> VoteStanding:
        """Return what people's votes come to so far, by model."""
        tally, decay = self._state.tally, self._state.options.decay
        if self._standing is None or self._standing[0] != (tally.votes, len(tally.waiting)):
            people = [each for each in tally.by_number if each.name.voter_kind is VoterKind.PERSON]
            mine = [each for each in people if each.name.voter_prompt_id == self._state.prompt_id]
            cast = {each.name.inference_id: each.numbers.votes for each in mine}
            needed = sum(max(0, LEAST_VOTES - cast.get(each.output_id, 0)) for each in self._state.items)
            votes, compares, reason = tally.frame(mine), self._state.compares, ""
            if compares:
                pairs = self._voted_pairs()
                models, reason = await self._state.in_thread(lambda: models_by_pairs(votes, pairs, decay))
            else:
                samples = self._state.index.samples
                levels = {each.output_id: each.target_model for each in samples if each.target_model}
                models = await self._state.in_thread(lambda: _by_model(votes, levels, decay))
            found = VoteStanding(
                models=models, is_led=_is_led(models), agreement=await self._state.in_thread(lambda: _alpha(votes)),
                disputes=len(tally.waiting), votes_needed=needed, least_votes=LEAST_VOTES, compares=compares,
                reason=reason,
            )  # fmt: skip
            self._standing = (tally.votes, len(tally.waiting)), found
        return self._standing[1]

    def _voted_pairs(self) -> dict[str, VotedPair]:
        samples, found = self._state.index.samples, {}
        for pair in self._state.index.pairs.listed:
            first, second = (samples[place] for place in pair.places)
            question = first.question_id or first.digest
            found[pair.output_id] = VotedPair(first=first.target_model, second=second.target_model, question=question)
        return found

    def _models(self, name: str) -> str:
        """Return the model of an output, or of two that are compared; empty where it is not known."""
        samples = self._state.index.samples
        if (pair := self._state.index.pairs.find(name)) is not None:
            return pair_name(*(samples[place].target_model for place in pair.places))
        sample = self._state.index.sample(name)
        return sample.target_model if sample else ""

    def _voted(self, item: TallyItem) -> VotedItem:
        numbers, name = item.numbers, item.name
        return VotedItem(
            inference_id=name.inference_id,
            voter_prompt_id=name.voter_prompt_id,
            target_model=self._models(name.inference_id),
            score=numbers.score or 0.0,
            freshness=numbers.freshness,
            variance=numbers.variance,
            ambiguous=numbers.ambiguous and numbers.votes >= LEAST_VOTES,
            votes=numbers.votes,
            last_update=numbers.last_update or self._state.moment,
        )


def _by_model(votes: pl.DataFrame, levels: dict[str, str], decay: Decay) -> tuple[ModelResult, ...]:
    if votes.is_empty():
        return ()
    frame = score_groups(votes, levels, "model", decay)
    unaged = _unaged(votes, levels)
    points = _points(votes, levels, decay) if votes.height <= _MOST_FOLLOWED else {}
    columns = ("model", "score", "low", "high", "votes", "outputs", "voters", "batches")
    return tuple(
        ModelResult(**row, unaged=unaged[row["model"]], points=points.get(row["model"], ()))
        for row in frame.select(columns).iter_rows(named=True)
    )


def _alpha(votes: pl.DataFrame) -> float | None:
    if not 0 < votes.height <= _MOST_AGREEING:
        return None
    return voter_agreement(votes, "interval", replicates=0).value


def _unaged(votes: pl.DataFrame, levels: dict[str, str]) -> dict[str, float]:
    """Return the plain mean of the votes on each model's outputs."""
    model = pl.col("inference_id").cast(pl.String).replace_strict(levels, default=None, return_dtype=pl.String())
    means = votes.group_by(model.alias("model")).agg(pl.col("vote").mean())
    return {name: mean for name, mean in means.iter_rows() if name is not None and mean is not None}


def _points(votes: pl.DataFrame, levels: dict[str, str], decay: Decay) -> dict[str, tuple[ResultPoint, ...]]:
    """Score the models as of some moments between the first and the last vote."""
    first, last = votes["vote_time"].min(), votes["vote_time"].max()
    if not isinstance(first, datetime) or not isinstance(last, datetime) or first == last:
        return {}
    found: dict[str, list[ResultPoint]] = {}
    for step in range(1, _POINTS + 1):
        moment = last if step == _POINTS else first + (last - first) * (step / _POINTS)
        frame = score_groups(votes, levels, "model", decay, as_of=moment)
        for model, score, low, high in frame.select("model", "score", "low", "high").iter_rows():
            found.setdefault(model, []).append(ResultPoint(moment, score, low, high))
    return {model: tuple(each) for model, each in found.items()}


def _is_led(models: tuple[ModelResult, ...]) -> bool:
    if len(models) < 2:
        return False
    first, second = models[:2]
    return first.low is not None and second.high is not None and first.low > second.high


def _score_of(item: TallyItem) -> ItemScore:
    numbers = {name: getattr(item.numbers, name) for name in NUMBERS}
    name = item.name
    return ItemScore(name.inference_id, name.voter_prompt_id, name.voter_kind.value, **numbers)
