"""Two sets of scored samples compared: in pairs where samples match, by their means where none do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.effect_size import hedges_g
from venire.stats.comparison.paired import PairedTest, difference_with_prior, paired_t
from venire.stats.comparison.sequential import SequentialDifference, sequential_difference
from venire.stats.observations import as_floats
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.panel_scores import PANEL_SCALE
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_difference import difference_and_degrees
from venire.stats.uncertainty.quantile import t_two_sided
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import ArrayLike

FEWEST_PAIRS = 2
"""How many pairs there must be for samples to be compared in pairs."""


class ScoreDifference(msgspec.Struct, frozen=True, kw_only=True):
    """How the scores of one set of samples differ from those of another: first minus second."""

    test: PairedTest
    """The mean difference with its interval, and the test of whether it is 0."""
    effect: Estimate
    """The difference free of its scale: Hedges' g of the pairs; not known without pairs."""
    paired_by: tuple[str, ...]
    """The columns in which two samples of a pair are equal; empty if no samples match."""
    clustered_by: Literal["question", "sample"]
    """What errors are clustered by: questions, or samples if there is a single question."""
    pairs: int
    """How many pairs were compared; 0 if the means of both sides were."""
    unmatched: tuple[int, int]
    """How many samples of the first and of the second side have no counterpart."""


def sequential_score_difference(
    first: pl.DataFrame,
    second: pl.DataFrame,
    keys: Sequence[Sequence[str]],
    *,
    scale: tuple[float, float] = PANEL_SCALE,
    level: float = 0.95,
) -> SequentialDifference:
    """Compare two frames in pairs as `score_difference` does, with an interval that holds at every look.

    `scale` has the lowest and the highest score that there can be. Where no samples match there is nothing to look at
    one by one, and nothing is known.
    """
    for key in keys:
        pairs = _pairs(first, second, list(key))
        if pairs.height >= FEWEST_PAIRS:
            questions = cluster_codes(pairs)
            clusters = questions if len(np.unique(questions)) > 1 else None
            differences = pairs["score"].to_numpy() - pairs["score_second"].to_numpy()
            return sequential_difference(differences, clusters, scale=scale, level=level)
    return SequentialDifference.not_known(say("reason.no_match"))


def score_difference(
    first: pl.DataFrame,
    second: pl.DataFrame,
    keys: Sequence[Sequence[str]],
    *,
    level: float = 0.95,
    scale: tuple[float, float] | None = None,
) -> ScoreDifference:
    """Compare two frames with columns `unit`, `question_id`, `score` and those of the keys.

    The first of the keys under which at least two samples match is used; several samples under one key are averaged.
    If samples match under none, the means are compared, with errors clustered by question on both sides together.
    Given the `scale` of the scores, pairs on few questions have the interval of `bayesian_mean`. Raises `UsageError`
    for a frame without these columns, or scores that are no numbers.
    """
    for side in (first, second):
        _require_scores(side)
    for key in keys:
        pairs = _pairs(first, second, list(key))
        if pairs.height >= FEWEST_PAIRS:
            return _paired(first, second, pairs, tuple(key), level, scale)
    return _unpaired(first, second, level)


def _require_scores(side: pl.DataFrame) -> None:
    absent = [name for name in ("unit", "question_id", "score") if name not in side.columns]
    if absent:
        raise UsageError("error.stats.score_frame", absent=absent, found=side.columns)
    as_floats(side["score"].to_numpy())


def _pairs(first: pl.DataFrame, second: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    import polars as pl

    if not key or not {*key} <= {*first.columns} & {*second.columns}:
        return pl.DataFrame()
    one, two = (
        side.group_by(pl.col(key).cast(pl.String).name.prefix("key."), maintain_order=True).agg(
            pl.col("unit").first(), pl.col("question_id").first(), pl.col("score").mean(), pl.len().alias("samples")
        )
        for side in (first, second)
    )
    joined = [f"key.{name}" for name in key]
    return one.join(two, on=joined, how="inner", suffix="_second", nulls_equal=True, maintain_order="left")


def _paired(
    first: pl.DataFrame,
    second: pl.DataFrame,
    pairs: pl.DataFrame,
    key: tuple[str, ...],
    level: float,
    scale: tuple[float, float] | None,
) -> ScoreDifference:
    questions = cluster_codes(pairs)
    are_several = len(np.unique(questions)) > 1
    clusters = questions if are_several else np.arange(pairs.height)
    by_question = are_several and _names_questions(pairs)
    one, two = pairs["score"].to_numpy(), pairs["score_second"].to_numpy()
    test = paired_t(one, two, clusters=clusters, level=level)
    if scale is not None:
        test = difference_with_prior(test, one, two, clusters, scale, level=level)
    return ScoreDifference(
        test=test,
        effect=hedges_g(one, two, clusters=clusters, level=level),
        paired_by=key,
        clustered_by="question" if by_question else "sample",
        pairs=pairs.height,
        unmatched=(first.height - int(pairs["samples"].sum()), second.height - int(pairs["samples_second"].sum())),
    )


def _unpaired(first: pl.DataFrame, second: pl.DataFrame, level: float) -> ScoreDifference:
    import polars as pl

    both = pl.concat([side.select(pl.col("unit", "question_id").cast(pl.String), "score") for side in (first, second)])
    inside = np.arange(both.height) < first.height
    questions = cluster_codes(both)
    are_several = len(np.unique(questions)) > 1
    clusters = questions if are_several else np.arange(both.height)
    by_question = are_several and _names_questions(both)
    test = t_of_means(both["score"].to_numpy(), inside, clusters, level=level)
    return ScoreDifference(
        test=test,
        effect=Estimate.unknown(say("method.hedges_g_unpaired"), say("reason.no_match")),
        paired_by=(),
        clustered_by="question" if by_question else "sample",
        pairs=0,
        unmatched=(first.height, second.height),
    )


def t_of_means(values: ArrayLike, in_first: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> PairedTest:
    """Test whether the means of two groups differ that are not paired, with errors clustered over both together."""
    difference, degrees = difference_and_degrees(values, in_first, clusters, level=level)
    statistic = p_value = None
    if difference.value is not None and difference.standard_error:
        statistic = difference.value / difference.standard_error
        p_value = t_two_sided(statistic, degrees)
    return PairedTest(
        difference=difference, statistic=statistic, p_value=p_value, method=say("method.t_of_two_means"),
        n=difference.n, reason=difference.reason,
    )  # fmt: skip


def _names_questions(frame: pl.DataFrame) -> bool:
    """Tell whether the data says which question a sample answers; where it does not, each is its own cluster."""
    return any(frame["question_id"].unique().to_list())
