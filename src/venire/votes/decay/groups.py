"""The consensus on a group of outputs, such as all outputs of a model: all votes on them age as one stream."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import polars as pl

from venire.votes.decay.consensus import score_votes
from venire.votes.decay.interval import voter_errors, weighted_intervals
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
    `questions`, which tells what each output answers, by voter and by question at once. An output without a question
    then stands for itself.
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
    if questions is None:
        scores = weighted_intervals(grouped, decay, as_of=as_of, by=by)
    else:
        asked = {output: question for output, question in questions.items() if question}
        alone = pl.lit("output ") + pl.col(_OUTPUT)
        question = pl.col(_OUTPUT).replace_strict(asked, default=alone, return_dtype=pl.String())
        by_question = grouped.with_columns(named.select(question).to_series().alias("voter_id"))
        scores = _two_way(
            voter_errors(grouped, decay, as_of=as_of, by=by), voter_errors(by_question, decay, as_of=as_of, by=by), keys
        )
    return (
        scores.drop("ambiguous").join(outputs, on=keys, how="left", maintain_order="left")
        .select(
            *keys, "score", "low", "high", "freshness", "votes", "outputs", "voters", "ambiguous", "batches",
            "effective_votes", "last_update",
        )
        .rename({_OUTPUT: name})
        .sort("score", name, descending=[True, False])
    )  # fmt: skip


def _two_way(found: pl.DataFrame, by_question: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return scores with errors clustered by voter and by question: the root of V(voter) + V(question).

    What the two have in common, V(voter and question), is not taken off (Cameron, Gelbach & Miller 2011, Robust
    Inference with Multiway Clustering, J. Bus. Econ. Stat. 29, 238–249, do so), as errors of few voters or questions
    come out too small. These have unequal weights: as many of equal weight as would be as sure take their place in V
    and in the degrees of freedom of Student's t. Where votes do not vary, or are on one question, the wider of the
    intervals by voter and by question stands.
    """
    from scipy.special import stdtrit  # Start-up stays quick.

    found = found.join(
        by_question.select(*keys, "low", "high", "standard_error", "squares", "equal_voters"),
        on=keys, how="left", maintain_order="left", suffix="_question",
    )  # fmt: skip
    ways = [pl.col(f"squares{name}") / (1 - 1 / pl.col(f"equal_voters{name}")) for name in ("", "_question")]
    fewest = found.select(pl.min_horizontal("equal_voters", "equal_voters_question")).to_series().to_numpy()
    reach = pl.Series(stdtrit(fewest - 1, 0.975)) * (ways[0] + ways[1]).sqrt()
    varies = pl.col("standard_error").is_not_null() & pl.col("standard_error_question").is_not_null()
    has_one, score = pl.col("low").is_not_null(), pl.col("score")
    low, high = pl.min_horizontal("low", "low_question"), pl.max_horizontal("high", "high_question")
    return found.with_columns(
        low=pl.when(varies).then((score - reach).clip(0, 1)).when(has_one).then(low),
        high=pl.when(varies).then((score + reach).clip(0, 1)).when(has_one).then(high),
    )
