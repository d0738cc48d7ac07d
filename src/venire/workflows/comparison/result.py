"""What comparisons say: two sides score by score, a judge's two versions, and whose part a change is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.reports.sections.power import power_of, questions_for
from venire.stats.comparison.change_attribution import ChangeAttribution
from venire.stats.comparison.score_difference import (
    ScoreDifference,
    score_difference,
    sequential_score_difference,
)
from venire.stats.comparison.sequential import SequentialDifference
from venire.stats.judges.versions import JudgeMigration
from venire.stats.observations import as_floats
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.panel_scores import PANEL_SCALE
from venire.stats.result import Estimate
from venire.stats.uncertainty.bayesian_mean import with_prior
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.corrected_difference import CorrectedDifference
from venire.stats.uncertainty.multiplicity import holm
from venire.workflows.comparison.compared_scores import Keys

if TYPE_CHECKING:
    import polars as pl


class ComparedScore(msgspec.Struct, frozen=True, kw_only=True):
    """One score of two sides."""

    name: str
    """The dimension, or `overall`."""
    first: Estimate
    """The mean of the first side's samples."""
    second: Estimate
    """The mean of the second side's samples."""
    difference: ScoreDifference
    """Second minus first."""
    adjusted_p: float | None = None
    """The p value after Holm's adjustment for all scores of the comparison; None if it is not known."""
    detectable: Estimate | None = None
    """The least true difference that would be found with a probability of 80 %."""
    needed: Estimate | None = None
    """How many questions (or samples, where there is one question) would settle the difference seen."""
    stated: Estimate | None = None
    """How many questions (or samples) would find the difference that was stated; None if none was."""
    sequential: SequentialDifference | None = None
    """The difference with an interval that holds at every look; None unless it was asked for."""
    corrected: CorrectedDifference | None = None
    """Second minus first as people would score it; None without labels."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs, models or variants."""

    first: str
    """The side that is subtracted."""
    second: str
    """The side that is subtracted from."""
    judges: tuple[str, ...]
    """The judges whose scores were compared."""
    scores: tuple[ComparedScore, ...]
    """The overall score and that of each dimension, on the panel's 0–10."""
    attribution: tuple[ChangeAttribution, ...] = ()
    """The change of each judge's mean split into the system's and the judge's part, on the judge's own scale."""
    notes: tuple[str, ...] = ()
    """What a reader should know."""
    stated: float | None = None
    """The difference that was stated, to learn how many questions it needs; None if none was."""


class JudgeComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two versions of a judge on identical outputs."""

    migration: JudgeMigration
    """What changed: matches, flips, validity."""
    scores: tuple[ComparedScore, ...]
    """The overall score and that of each dimension, on the judge's own scale."""


def compare_score(
    name: str,
    first: pl.DataFrame,
    second: pl.DataFrame,
    keys: Keys,
    level: float,
    *,
    sequential: bool = False,
    bayesian: bool = False,
) -> ComparedScore:
    """Compare the scores of two sets of samples, on 0–10 if they are Bayesian; the difference is second minus first."""
    scale = PANEL_SCALE if bayesian else None
    means = []
    for side in (first, second):
        scores, clusters = side["score"].to_numpy(), cluster_codes(side)
        mean = clustered_mean(scores, clusters, level=level)
        means.append(with_prior(mean, scores, clusters, scale, level=level))
    difference = score_difference(second, first, keys, level=level, scale=scale)
    seen = difference.test.difference
    detectable, needed = power_of(seen, seen.n.get("clusters", 0), 1 - level)
    looked = sequential_score_difference(second, first, keys, level=level) if sequential else None
    return ComparedScore(
        name=name, first=means[0], second=means[1], difference=difference, detectable=detectable, needed=needed,
        sequential=looked,
    )  # fmt: skip


def with_stated(comparison: Comparison, difference: float) -> Comparison:
    """Return a comparison that says how many questions would find a stated difference with a probability of 80 %."""
    if not (math.isfinite(difference) and difference > 0):
        raise UsageError("error.plan.not_positive", found=f"{difference:g}")
    scores = []
    for score in comparison.scores:
        seen = score.difference.test.difference
        stated = questions_for(seen, difference, 1 - (seen.level or 0.95))
        scores.append(msgspec.structs.replace(score, stated=stated))
    return msgspec.structs.replace(comparison, scores=tuple(scores), stated=difference)


def with_holm(scores: tuple[ComparedScore, ...]) -> tuple[ComparedScore, ...]:
    """Return scores with p values adjusted for all; a single dimension that is the overall score is left out."""
    if len(scores) == 2 and _are_alike(*scores):
        scores = scores[:1]
    given = [score.difference.test.p_value for score in scores]
    adjusted = holm(as_floats([np.nan if value is None else value for value in given])).adjusted
    return tuple(
        msgspec.structs.replace(score, adjusted_p=value) for score, value in zip(scores, adjusted, strict=True)
    )


def _are_alike(overall: ComparedScore, dimension: ComparedScore) -> bool:
    differences = (overall.difference.test.difference, dimension.difference.test.difference)
    sides = ((overall.first, dimension.first), (overall.second, dimension.second), differences)
    return all(
        one.value is not None and two.value is not None and abs(one.value - two.value) < 1e-9 and one.n == two.n
        for one, two in sides
    )
