"""Two versions of a judge on identical outputs: what changes when an instrument is replaced by another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.judgement import Status
from venire.errors import PoolingError, UsageError
from venire.stats.comparison.paired import PairedTest, paired_t
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.table import PrimarySet, RatingsTable
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    import polars as pl


class ScoreChange(msgspec.Struct, frozen=True, kw_only=True):
    """How the scores of one dimension, or the overall scores, changed on identical outputs."""

    difference: PairedTest
    """New minus old, clustered by question where there are several."""
    exact_match: Estimate
    """The share of outputs that got the same score."""
    mean_absolute_difference: Estimate
    """The mean distance between the two scores."""
    raised: int
    """How many outputs got a higher score."""
    lowered: int
    """How many outputs got a lower score."""


class JudgeMigration(msgspec.Struct, frozen=True, kw_only=True):
    """What changes from one version of a judge to another, on the outputs that both judged."""

    judge: str
    """The judge."""
    old: str
    """The version that was."""
    new: str
    """The version that comes."""
    outputs: int
    """How many outputs both versions judged validly."""
    only_old: int
    """How many outputs only the old version judged validly; they are not compared."""
    only_new: int
    """How many outputs only the new version judged validly; they are not compared."""
    invalid_old: int
    """How many judgements of the old version are not valid."""
    invalid_new: int
    """How many judgements of the new version are not valid."""
    overall: ScoreChange
    """The change of the overall score."""
    dimensions: dict[str, ScoreChange]
    """The change of each dimension's score."""
    verdict_flips: Estimate
    """The share of outputs whose verdict changed."""
    verdicts: dict[str, int]
    """How many outputs went from which verdict to which, such as `PASS → FAIL`."""


def compare_judge_versions(
    table: RatingsTable,
    old: str,
    new: str,
    *,
    count_recovered: bool = False,
    include_self: bool = True,
    level: float = 0.95,
) -> tuple[JudgeMigration, ...]:
    """Compare two versions, named by judge digest or prompt version, for each judge that has both.

    Only outputs that both judged are compared: the difference is then the judge's alone. Raises `UsageError` if no
    judge has both, with the versions there are, and `PoolingError` if the two were asked under different protocols.
    """
    import polars as pl

    if old == new:
        raise UsageError("error.stats.same_version", found=old)
    sides = [
        table.frame.filter((pl.col("rater_version") == version) | (pl.col("prompt_version") == version))
        for version in (old, new)
    ]
    judges = [name for name in _names(sides[0], "rater") if name in _names(sides[1], "rater")]
    if not judges:
        found = sorted({*_names(table.frame, "rater_version"), *_names(table.frame, "prompt_version")} - {""})
        raise UsageError("error.stats.judge_versions", old=old, new=new, known=found or say("error.stats.none"))
    results = []
    for judge in judges:
        parts = [RatingsTable(side.filter(pl.col("rater") == judge)) for side in sides]
        _require_same_protocol(judge, *(part.frame for part in parts))
        before, after = (part.primary(count_recovered=count_recovered, include_self=include_self) for part in parts)
        results.append(_migration(judge, (old, new), before, after, level))
    return tuple(results)


def score_change(joined: pl.DataFrame, *, level: float = 0.95) -> ScoreChange:
    """Compare `score` (old) and `score_new` of a frame with a row for each output."""
    old, new = joined["score"].to_numpy(), joined["score_new"].to_numpy()
    questions = cluster_codes(joined)
    several = len(np.unique(questions)) > 1
    clusters = questions if several else np.arange(len(old))
    test = paired_t(new, old, clusters=clusters, level=level)
    apart = np.round(new - old, 12)
    return ScoreChange(
        difference=test,
        exact_match=clustered_share(apart == 0, clusters, level=level),
        mean_absolute_difference=clustered_mean(np.abs(apart), clusters, level=level),
        raised=int((apart > 0).sum()),
        lowered=int((apart < 0).sum()),
    )


def _migration(
    judge: str, versions: tuple[str, str], before: PrimarySet, after: PrimarySet, level: float
) -> JudgeMigration:
    import polars as pl

    overall = _joined(before, after, None)
    stated = overall.filter(pl.col("verdict").is_not_null() & pl.col("verdict_new").is_not_null())
    stated = stated.with_columns(pl.col("verdict", "verdict_new").cast(pl.String))
    questions = cluster_codes(stated)
    several = len(np.unique(questions)) > 1
    flipped = (stated["verdict"] != stated["verdict_new"]).to_numpy()
    moves = stated.group_by("verdict", "verdict_new").len().sort("verdict", "verdict_new")
    units = [set(_names(side.table.frame, "unit")) for side in (before, after)]
    dimensions = [name for name in before.dimensions if name in after.dimensions]
    return JudgeMigration(
        judge=judge,
        old=versions[0],
        new=versions[1],
        outputs=len(units[0] & units[1]),
        only_old=len(units[0] - units[1]),
        only_new=len(units[1] - units[0]),
        invalid_old=before.excluded.get(Status.INVALID.value, 0),
        invalid_new=after.excluded.get(Status.INVALID.value, 0),
        overall=score_change(overall, level=level),
        dimensions={name: score_change(_joined(before, after, name), level=level) for name in dimensions},
        verdict_flips=clustered_share(flipped, questions if several else np.arange(len(flipped)), level=level),
        verdicts={f"{old} → {new}": count for old, new, count in moves.iter_rows()},
    )


def _joined(before: PrimarySet, after: PrimarySet, dimension: str | None) -> pl.DataFrame:
    columns = ["unit", "question_id", "score", "verdict"]
    old, new = (side.scores(dimension).select(columns) for side in (before, after))
    return old.join(new.drop("question_id"), on="unit", how="inner", suffix="_new", maintain_order="left")


def _require_same_protocol(judge: str, *frames: pl.DataFrame) -> None:
    protocols = list(dict.fromkeys(name for frame in frames for name in _names(frame, "protocol")))
    if len(protocols) > 1:
        raise PoolingError("error.stats.versions_of_protocols", judge=judge, found=protocols)


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    return [str(name) for name in frame[column].unique(maintain_order=True) if name is not None]
