"""The consensus on a group of outputs, such as all outputs of a model: all votes on them age as one stream."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import polars as pl

from venire.votes.decay.consensus import score_votes
from venire.votes.decay.interval import weighted_intervals
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OUTPUT = "inference_id"


def score_groups(
    votes: pl.DataFrame,
    levels: Mapping[str, str],
    name: str,
    decay: Decay | None = None,
    *,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
    questions: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Score groups of outputs; `levels` tells the group of each, and votes on outputs without one are left out.

    Each group has `score`, its interval `low` and `high`, `freshness`, `votes`, `outputs`, `voters`, `ambiguous` (how
    many of its outputs are), `batches`, `effective_votes` and `last_update`. Votes on different outputs may well
    differ, so that the spread within a group is no sign of ambiguity. Intervals are clustered by voter; given
    `questions`, which tells what each output answers, by voter or by question, whichever is wider. An output without a
    question then stands for itself.
    """
    output = pl.col(_OUTPUT).cast(pl.String)
    named = votes.with_columns(output, pl.col("voter_prompt_id", "voter_kind").cast(pl.String)).filter(
        output.is_in(list(levels))
    )
    level = pl.col(_OUTPUT).replace_strict(dict(levels), return_dtype=pl.String())
    grouped = named.with_columns(level)
    keys = list(by)
    items = score_votes(named, decay, as_of=as_of, by=by).frame.with_columns(level)
    outputs = items.group_by(keys).agg(
        pl.len().cast(pl.Int64).alias("outputs"), pl.col("ambiguous").sum().cast(pl.Int64)
    )
    scores = weighted_intervals(grouped, decay, as_of=as_of, by=by).drop("ambiguous")
    if questions is not None:
        asked = {output: question for output, question in questions.items() if question}
        alone = pl.lit("output ") + pl.col(_OUTPUT)
        question = pl.col(_OUTPUT).replace_strict(asked, default=alone, return_dtype=pl.String())
        by_question = named.with_columns(level, question.alias("voter_id"))
        scores = _wider(scores, weighted_intervals(by_question, decay, as_of=as_of, by=by), keys)
    return (
        scores.join(outputs, on=keys, how="left", maintain_order="left")
        .select(
            *keys, "score", "low", "high", "freshness", "votes", "outputs", "voters", "ambiguous", "batches",
            "effective_votes", "last_update",
        )
        .rename({_OUTPUT: name})
        .sort("score", name, descending=[True, False])
    )  # fmt: skip


def _wider(scores: pl.DataFrame, others: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return scores with the wider of two intervals, where both have one."""
    ends = others.select(*keys, pl.col("low").alias("lower"), pl.col("high").alias("higher"))
    has_one = pl.col("low").is_not_null()
    return scores.join(ends, on=keys, how="left", maintain_order="left").with_columns(
        low=pl.when(has_one).then(pl.min_horizontal("low", "lower")),
        high=pl.when(has_one).then(pl.max_horizontal("high", "higher")),
    )
