"""Votes on pairs of outputs: each is for one of two, ages like any other vote, and together they rank the models.

A vote on a pair is 1 for the output whose name comes first in the order of names, 0 for the other one, and 0.5 for
neither. In the ranking it counts for its weight in the consensus on its pair, times how many equal votes that consensus
is worth: so votes that were cast together count for one each, and older ones for less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from venire.domain.vote import VoterKind
from venire.stats.comparison.ranking import Ranking, rank_models
from venire.votes.decay.trail import trail

if TYPE_CHECKING:
    from datetime import datetime

    from venire.stats.observations import FloatArray
    from venire.votes.decay.terms import Decay


class VotedPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two outputs that people compare, in the order of their names."""

    first: str
    """The model of the output whose name comes first."""
    second: str
    """The model of the other one."""
    question: str
    """What both answer; empty where it is not known."""
    first_length: int = 0
    """How many characters the first output has; 0 where it is not at hand."""
    second_length: int = 0
    """How many characters the other one has."""


class PairVotes(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """People's votes on pairs as columns, all equally long."""

    pairs: list[str]
    """What the two outputs are called together."""
    outcome: FloatArray
    """1 for the first of the pair, 0 for the other, 0.5 for neither."""
    weights: FloatArray
    """How much each counts for after aging; 1 for each while none has aged."""
    voters: list[str]
    """Who voted."""


class RankedVotes(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Models by people's votes on pairs."""

    ranking: Ranking
    """The models in order, or why there is none."""
    votes: dict[str, int]
    """How many votes compared each model."""
    outputs: dict[str, int]
    """In how many pairs each was compared."""
    voters: dict[str, int]
    """How many people compared it."""

    def points(self, model: str) -> float:
        """Return the share of its comparisons that a model has won; a tie is half of one."""
        wins, place = self.ranking.wins, self.ranking.wins.models.index(model)
        won, tied, lost = wins.wins[place].sum(), wins.ties[place].sum(), wins.wins[:, place].sum()
        return float((won + tied / 2) / (won + tied + lost))


def win_chance(strength: float | None) -> float | None:
    """Return the chance to win against a model of mean strength, ties aside; None if the strength is not known."""
    return None if strength is None else 1 / (1 + math.exp(-strength))


def weigh_pair_votes(
    frame: pl.DataFrame, pairs: Mapping[str, VotedPair], decay: Decay, *, as_of: datetime | None = None
) -> PairVotes:
    """Return the votes of people on these pairs with what each counts for."""
    name = pl.col("inference_id").cast(pl.String)
    is_person = pl.col("voter_kind").cast(pl.String) == VoterKind.PERSON.value
    own = frame.filter(is_person & name.is_in(list(pairs)) & pl.col("vote").is_not_null())
    walked = trail(own, decay, as_of=as_of).with_columns(name)
    item = ["inference_id", "voter_prompt_id"]
    worth = pl.col("weight") / (pl.col("weight") ** 2).sum().over(item)
    found = walked.with_columns(worth.alias("worth")) if walked.height else walked.with_columns(worth=pl.lit(0.0))
    return PairVotes(
        pairs=found["inference_id"].to_list(),
        outcome=(np.sign(found["vote"].to_numpy() - 0.5) + 1) / 2,
        weights=found["worth"].to_numpy(),
        voters=found["voter_id"].to_list(),
    )


def rank_votes(
    frame: pl.DataFrame, pairs: Mapping[str, VotedPair], decay: Decay, *, level: float = 0.95
) -> RankedVotes | None:
    """Rank models by people's votes on pairs; None if there is none."""
    cast = weigh_pair_votes(frame, pairs, decay)
    if not cast.pairs:
        return None
    compared = [pairs[name] for name in cast.pairs]
    first, second = [each.first for each in compared], [each.second for each in compared]
    questions = [each.question for each in compared]
    clusters = questions if all(questions) else None
    ranking = rank_models(first, second, cast.outcome, clusters=clusters, weights=cast.weights, level=level)
    both = pl.DataFrame({"model": first + second, "pair": cast.pairs * 2, "voter": cast.voters * 2})
    counts = both.group_by("model").agg(pl.len(), pl.col("pair").n_unique(), pl.col("voter").n_unique())
    columns = [dict(zip(counts["model"], counts[name], strict=True)) for name in ("len", "pair", "voter")]
    return RankedVotes(ranking=ranking, votes=columns[0], outputs=columns[1], voters=columns[2])
