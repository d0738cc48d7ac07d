"""Which part of a change belongs to the system and which to the judge, told apart by frozen anchor samples.

observed = mean(new outputs, new judge) − mean(old outputs, old judge)
judge    = mean over anchors of new judge − old judge, on outputs that did not change
system   = observed − judge
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.table import RatingsTable
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.intervals import t_interval
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.ratings.table import PrimarySet

SMALLEST_ANCHOR = 5
"""How many anchor samples the judge's part needs."""


class ChangeAttribution(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the mean score, split in two."""

    judge_name: str
    """The judge whose scores changed; empty where arrays were given."""
    observed: Estimate
    """The change as it was seen."""
    judge: Estimate
    """The part that the judge made: its drift on the anchors."""
    system: Estimate
    """The part that is left to the system: observed minus judge."""
    notes: tuple[str, ...] = ()
    """What a reader should know about the split."""


def attribute_change(
    before: ArrayLike,
    before_questions: ArrayLike,
    after: ArrayLike,
    after_questions: ArrayLike,
    anchors_old: ArrayLike,
    anchors_new: ArrayLike,
    *,
    anchor_questions: ArrayLike | None = None,
    judge_name: str = "",
    level: float = 0.95,
) -> ChangeAttribution:
    """Split the change from `before` to `after` with anchors that the old and the new judge both scored.

    Questions that both sides have are compared in pairs of question means; without common questions, the two means are
    compared as independent ones. The parts are independent of each other, so their variances add. `anchor_questions`
    names the question of each anchor; without it each stands for itself.
    """
    for name, values, questions in (
        ("first_values", before, before_questions), ("second_values", after, after_questions)
    ):  # fmt: skip
        require_same_length(name, as_floats(values).ravel(), "questions", np.asarray(questions).ravel())
    require_same_length("first_values", as_floats(anchors_old).ravel(), "second_values", as_floats(anchors_new).ravel())
    observed, degrees = _observed(before, before_questions, after, after_questions, level)
    drift = as_floats(anchors_new).ravel() - as_floats(anchors_old).ravel()
    count = int((~np.isnan(drift)).sum())
    if count < SMALLEST_ANCHOR:
        few = say("reason.few_anchors", count=count, least=SMALLEST_ANCHOR)
        judge = Estimate.unknown(say("method.anchors"), few, n={"anchors": count})
        system = Estimate.unknown(say("method.observed_minus_judge"), say("reason.judge_part", reason=few), n=judge.n)
        return ChangeAttribution(judge_name=judge_name, observed=observed, judge=judge, system=system)
    clusters = np.arange(len(drift)) if anchor_questions is None else encode(anchor_questions)[1]
    require_same_length("first_values", drift, "questions", clusters)
    groups = len(np.unique(clusters[~np.isnan(drift)]))
    is_apart = groups in (1, count)  # Anchors of a single question stand for themselves.
    rounded = np.round(drift, 12)
    mean = t_interval(rounded, level=level) if is_apart else clustered_mean(rounded, clusters, level=level)
    judge = msgspec.structs.replace(mean, method=say("method.anchors_mean", method=mean.method), n={"anchors": count})
    notes = () if judge.standard_error else (
        say("reason.anchors_alike", count=count),
    )  # fmt: skip
    exact = msgspec.structs.replace(judge, standard_error=judge.standard_error or 0.0)
    system, _ = _difference(
        observed, degrees, exact, (count if is_apart else groups) - 1, level, say("method.observed_minus_judge")
    )
    return ChangeAttribution(judge_name=judge_name, observed=observed, judge=judge, system=system, notes=notes)


Blame = Literal["judge", "system", "both", "neither", "open"]
"""Who moved the scores: `neither` if they did not move, `open` if that is unknown."""


def blame(split: ChangeAttribution) -> Blame:
    """Say who moved the scores: a part counts that differs from 0 by its interval.

    Without a known part of the judge it stays open; so does a change that neither part explains alone.
    """
    if not split.judge.known or not split.system.known:
        return "open"
    moved = {name: _excludes_zero(getattr(split, name)) for name in ("observed", "judge", "system")}
    if moved["judge"] and moved["system"]:
        return "both"
    if moved["judge"] or moved["system"]:
        return "judge" if moved["judge"] else "system"
    return "open" if moved["observed"] else "neither"


def _excludes_zero(part: Estimate) -> bool:
    """Tell whether a part differs from 0; one that is known exactly does so by its value."""
    if part.low is None or part.high is None:
        return bool(part.value)
    return part.low > 0 or part.high < 0


def attribute_changes(
    before: PrimarySet, after: PrimarySet, anchors: RatingsTable, *, dimension: str | None = None, level: float = 0.95
) -> tuple[ChangeAttribution, ...]:
    """Split the change of each judge that scored both sides; each on its own scale.

    `before` and `after` each hold one version of a judge; `anchors` holds both versions on the same frozen outputs,
    which should not be among the compared ones. A judge whose version did not change has a part of 0, known exactly.
    """
    import polars as pl

    results = []
    for judge in (name for name in before.raters if name in after.raters):
        sides = [_of(side, judge, dimension) for side in (before, after)]
        versions = [_version(side, judge) for side in (before, after)]
        questions = cluster_codes(pl.concat([side.select("unit", "question_id") for side in sides]))
        old, new = (_of(_anchors(anchors, judge, version), judge, dimension) for version in versions)
        joined = old.join(new, on="unit", how="inner", suffix="_new", maintain_order="left")
        split = attribute_change(
            sides[0]["score"].to_numpy(),
            questions[: sides[0].height],
            sides[1]["score"].to_numpy(),
            questions[sides[0].height :],
            joined["score"].to_numpy(),
            joined["score_new"].to_numpy(),
            anchor_questions=cluster_codes(joined) if joined.height else None,
            judge_name=judge,
            level=level,
        )
        results.append(_unchanged(split) if versions[0] == versions[1] else split)
    return tuple(results)


def _of(primary: PrimarySet, judge: str, dimension: str | None) -> pl.DataFrame:
    frame = (
        primary.scores(dimension) if dimension is None or dimension in primary.dimensions else primary.scores().head(0)
    )
    return frame.filter(frame["rater"] == judge)


def _version(primary: PrimarySet, judge: str) -> tuple[str, str]:
    rows = primary.table.frame.filter(primary.table.frame["rater"] == judge)
    digest, prompt = (str(rows[name][0] or "") for name in ("rater_version", "prompt_version"))
    if not digest and not prompt:
        raise UsageError("error.stats.judge_without_version", judge=judge)
    return digest, prompt


def _anchors(table: RatingsTable, judge: str, version: tuple[str, str]) -> PrimarySet:
    import polars as pl

    is_version = (pl.col("rater_version") == version[0]) & (pl.col("prompt_version") == version[1])
    return RatingsTable(table.frame.filter((pl.col("rater") == judge) & is_version)).primary(include_self=True)


def _unchanged(split: ChangeAttribution) -> ChangeAttribution:
    judge = Estimate(value=0.0, method=say("method.same_version"), n=split.judge.n)
    return msgspec.structs.replace(split, judge=judge, system=split.observed, notes=(say("reason.version_unchanged"),))


def _observed(
    before: ArrayLike, before_questions: ArrayLike, after: ArrayLike, after_questions: ArrayLike, level: float
) -> tuple[Estimate, float]:
    """Return the observed change with its degrees of freedom."""
    old, new = as_floats(before).ravel(), as_floats(after).ravel()
    names, codes = encode(np.concatenate([np.asarray(before_questions).ravel(), np.asarray(after_questions).ravel()]))
    old_codes, new_codes = codes[: len(old)], codes[len(old) :]
    means = [_question_means(*side, len(names)) for side in ((old, old_codes), (new, new_codes))]
    common = ~np.isnan(means[0]) & ~np.isnan(means[1])
    if common.sum() >= 2:
        paired = t_interval(np.round(means[1][common] - means[0][common], 12), level=level)
        left = int((np.isnan(means[0]) != np.isnan(means[1])).sum())
        n = {"questions": int(common.sum()), "questions on one side": left}
        method = say("method.question_means", method=paired.method)
        return msgspec.structs.replace(paired, method=method, n=n), int(common.sum()) - 1
    sides = [clustered_mean(*side, level=level) for side in ((new, new_codes), (old, old_codes))]
    degrees = [max(1, side.n["clusters"] - 1) for side in sides]
    what = say("method.independent_means")
    return _difference(sides[0], degrees[0], sides[1], degrees[1], level, what)


def _question_means(values: FloatArray, codes: IntArray, count: int) -> FloatArray:
    there = ~np.isnan(values) & (codes >= 0)
    counts = np.bincount(codes[there], minlength=count)
    means = np.full(count, np.nan)
    np.divide(np.bincount(codes[there], weights=values[there], minlength=count), counts, out=means, where=counts > 0)
    return means


def _difference(
    one: Estimate, one_degrees: float, two: Estimate, two_degrees: float, level: float, what: str
) -> tuple[Estimate, float]:
    """Return one minus two of independent estimates, with Welch's degrees of freedom."""
    method = say("method.with_welch_interval", method=what)
    n = {f"{side} {name}": count for side, each in (("first", one), ("second", two)) for name, count in each.n.items()}
    if one.value is None or two.value is None:
        return Estimate.unknown(method, one.reason or two.reason, n=n), 1.0
    value = one.value - two.value
    if one.standard_error is None or two.standard_error is None:
        return Estimate(value=value, method=method, n=n, reason=one.reason or two.reason), 1.0
    variances = one.standard_error**2, two.standard_error**2
    if not sum(variances):
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_variation_error")), 1.0
    degrees = sum(variances) ** 2 / (variances[0] ** 2 / one_degrees + variances[1] ** 2 / two_degrees)
    error = math.sqrt(sum(variances))
    margin = t_quantile(level, degrees) * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    ), degrees  # fmt: skip
