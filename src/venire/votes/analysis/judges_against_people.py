"""How judges vote compared with people: agreement of each judge with the people's majority and mean, by slice."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import polars as pl

from venire.domain.vote import VoterKind
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.agreement.correlation import spearman
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import t_interval, wilson_interval
from venire.votes.analysis.ballots import cast_ballots

ALL = "all"
"""The name of the slice that holds every inference."""


class JudgeAgainstPeople(msgspec.Struct, frozen=True, kw_only=True):
    """One judge, on the inferences of a slice that both the judge and people voted on."""

    judge: str
    """The voter that the judge's votes are filed under."""
    slice: str
    """The slice; `all` for everything."""
    inferences: int
    """How many inferences were voted on by both."""
    people: int
    """How many people voted on them."""
    agreement: Estimate
    """The share of inferences on which the judge is on the side of the people's mean; ties of either are left out."""
    kappa: Estimate
    """Cohen's kappa of the same."""
    bias: Estimate
    """How far the judge votes above the people's mean, on average."""
    correlation: Estimate
    """Spearman's correlation of the judge's vote and the people's mean."""


def judges_against_people(
    votes: pl.DataFrame, *, slices: Mapping[str, str] | None = None, level: float = 0.95
) -> tuple[JudgeAgainstPeople, ...]:
    """Compare every judge with people, over all inferences and within each slice of `slices` (inference to slice).

    The last vote of each voter on an inference counts, whatever the prompt; people's votes are averaged, judges' are
    never mixed with them. Empty if there is no inference that both voted on.
    """
    ballots = cast_ballots(votes)
    is_judge = pl.col("voter_kind") == VoterKind.JUDGE.value
    people = (
        ballots.filter(~is_judge)
        .group_by("inference_id")
        .agg(pl.col("vote").mean().alias("people_mean"), pl.col("voter_id").alias("voters"))
    )
    pairs = ballots.filter(is_judge).join(people, on="inference_id", how="inner", maintain_order="left")
    pairs = pairs.with_columns(pl.lit(ALL).alias("slice"))
    if slices:
        named = pl.DataFrame({"inference_id": list(slices), "slice": list(slices.values())})
        pairs = pl.concat([pairs, pairs.drop("slice").join(named, on="inference_id", maintain_order="left")])
    return tuple(
        _compare(str(judge), str(part), own, level)
        for (judge, part), own in pairs.group_by(["voter_id", "slice"], maintain_order=True)
    )


def _compare(judge: str, part: str, pairs: pl.DataFrame, level: float) -> JudgeAgainstPeople:
    own, people = pairs["vote"].to_numpy(), pairs["people_mean"].to_numpy()
    decided = (own != 0.5) & (people != 0.5)
    sides = np.stack([own[decided] > 0.5, people[decided] > 0.5], axis=1).astype(np.float64)
    agreed = int((sides[:, 0] == sides[:, 1]).sum())
    return JudgeAgainstPeople(
        judge=judge,
        slice=part,
        inferences=pairs.height,
        people=len(set(pairs["voters"].explode().to_list())),
        agreement=wilson_interval(agreed, len(sides), level=level),
        kappa=cohen_kappa(sides, level=level),
        bias=t_interval(own - people, level=level),
        correlation=spearman(np.stack([own, people], axis=1), level=level),
    )
