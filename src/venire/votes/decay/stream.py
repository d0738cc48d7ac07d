"""The consensus on one item, brought up to date vote by vote in constant time and memory."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import msgspec

from venire.errors import UsageError
from venire.votes.decay.batches import microseconds
from venire.votes.decay.terms import Decay


class OpenBatch(msgspec.Struct, frozen=True):
    """The sums of the votes of a batch that may still grow."""

    label: int
    """What tells it from other batches of the item."""
    time: int
    """When its last vote was cast, in microseconds since 1970."""
    votes_before_moment: int
    """How many votes of the item are older than that moment."""
    votes: int = 0
    """How many votes it has."""
    weight: float = 0.0
    """The sum of reputations."""
    squared_weight: float = 0.0
    """The sum of squared reputations."""
    mean: float = 0.0
    """The mean vote, weighted by reputation."""
    plain_mean: float = 0.0
    """The mean vote, not weighted."""
    squares: float = 0.0
    """The sum of squared distances from the plain mean (Welford 1962)."""


class ItemState(msgspec.Struct, frozen=True):
    """All that has to be kept of an item: what is settled, and the batch that may still grow.

    >>> from datetime import timedelta
    >>> start = datetime(2025, 1, 1, tzinfo=UTC)
    >>> state = ItemState().with_vote(1.0, start).with_vote(0.0, start + timedelta(days=10))
    >>> round(state.score, 4)  # e^(−0.1·10)
    0.3679
    """

    decay: Decay = Decay()
    """The terms."""
    past_score: float | None = None
    """The score before the open batch; None while there is only one batch."""
    past_time: int = 0
    """When the batch before the open one was complete."""
    past_concentration: float = 0.0
    """The sum of squared weights of single votes in the past score."""
    open: OpenBatch | None = None
    """The batch that may still grow; None before the first vote."""
    votes: int = 0
    """How many votes the item has."""
    batches: int = 0
    """How many batches."""
    mean: float = 0.0
    """The mean of all votes, not weighted."""
    squares: float = 0.0
    """The sum of squared distances of all votes from their mean."""

    @classmethod
    def resumed(cls, score: float, time: datetime, decay: Decay | None = None) -> ItemState:
        """Begin from a score of which only its moment is known."""
        if not 0 <= score <= 1:
            raise UsageError("error.votes.decay.previous_score", found=score)
        return cls(decay or Decay(), past_score=score, past_time=microseconds(time))

    def with_vote(self, vote: float, time: datetime, reputation: float = 1.0) -> ItemState:
        """Return the state after one more vote.

        Raises `UsageError` for a vote or reputation out of range, and for a vote that is older than the last one: it
        would change weights that are no longer known, so that the item has to be scored again from its votes.
        """
        if not 0 <= vote <= 1:
            raise UsageError("error.votes.decay.vote", found=vote)
        if not 0 < reputation < math.inf:
            raise UsageError("error.votes.decay.reputation", found=reputation)
        moment = microseconds(time)
        if moment < (self.open.time if self.open else self.past_time):
            raise UsageError("error.votes.decay.order", found=time.isoformat())
        same_moment = self.open is not None and self.open.time == moment
        before = self.open.votes_before_moment if self.open and same_moment else self.votes
        label = self.decay.batching.label(moment, before)
        state = self if self.open and (same_moment or self.open.label == label) else self._closed()
        batch = state.open or OpenBatch(label, moment, before)
        mean, squares = _with_one_more(self.votes, self.mean, self.squares, vote)
        return msgspec.structs.replace(
            state,
            open=_grown(batch, vote, reputation, moment, before),
            votes=self.votes + 1,
            batches=state.batches + (state.open is None),
            mean=mean,
            squares=squares,
        )

    @property
    def score(self) -> float | None:
        """The consensus; None before the first vote."""
        if self.open is None:
            return self.past_score
        if self.past_score is None:
            return self.open.mean
        return self.alpha * self.past_score + self.freshness * self.open.mean

    @property
    def alpha(self) -> float:
        """The factor by which the open batch shrinks all that was before it; 0 without a past."""
        return 0.0 if self.past_score is None else math.exp(self._exponent)

    @property
    def freshness(self) -> float:
        """The share of the open batch in the score."""
        return 1.0 if self.past_score is None else -math.expm1(self._exponent)

    @property
    def batch_variance(self) -> float:
        """The population variance of the votes of the open batch; 0 without one."""
        return self.open.squares / self.open.votes if self.open else 0.0

    @property
    def variance(self) -> float:
        """The population variance of all votes; 0 without any."""
        return self.squares / self.votes if self.votes else 0.0

    @property
    def ambiguous(self) -> bool:
        """Whether votes disagree more than the terms allow."""
        return max(self.batch_variance, self.variance) > self.decay.critical_variance

    @property
    def effective_votes(self) -> float:
        """One over the sum of squared weights of single votes; 0 without votes."""
        concentration = self._concentration
        return 1.0 / concentration if concentration else 0.0

    @property
    def last_update(self) -> datetime | None:
        """When the last vote was cast; None before the first."""
        if self.open is None:
            return None
        return datetime.fromtimestamp(self.open.time // 1_000_000, UTC).replace(microsecond=self.open.time % 1_000_000)

    @property
    def _exponent(self) -> float:
        elapsed = self.open.time - self.past_time if self.open else 0
        return -self.decay.rate_per_second / 1e6 * elapsed

    @property
    def _concentration(self) -> float:
        if self.open is None:
            return self.past_concentration
        own = self.open.squared_weight / self.open.weight**2
        return self.alpha**2 * self.past_concentration + self.freshness**2 * own

    def _closed(self) -> ItemState:
        if self.open is None:
            return self
        return msgspec.structs.replace(
            self, past_score=self.score, past_time=self.open.time, past_concentration=self._concentration, open=None
        )


def _grown(batch: OpenBatch, vote: float, reputation: float, moment: int, before: int) -> OpenBatch:
    weight = batch.weight + reputation
    plain_mean, squares = _with_one_more(batch.votes, batch.plain_mean, batch.squares, vote)
    return msgspec.structs.replace(
        batch,
        time=moment,
        votes_before_moment=before,
        votes=batch.votes + 1,
        weight=weight,
        squared_weight=batch.squared_weight + reputation**2,
        mean=batch.mean + (vote - batch.mean) * (reputation / weight),
        plain_mean=plain_mean,
        squares=squares,
    )


def _with_one_more(count: int, mean: float, squares: float, value: float) -> tuple[float, float]:
    new_mean = mean + (value - mean) / (count + 1)
    return new_mean, squares + (value - mean) * (value - new_mean)
