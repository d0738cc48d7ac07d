"""A many-facet model: what belongs to the sample, what to the judge's severity, what to the dimension's difficulty.

score = mean + ability(sample) − severity(judge) − difficulty(dimension) + error, by least squares, the effects of each
facet summing to 0. Unlike raw judge means, severities do not depend on which samples a judge happened to see. It is the
linear counterpart of Linacre's many-facet model (1989).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.judges.additive_model import connected_judges, read_design, solve
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.judges.additive_model import Design, Solution
    from venire.stats.observations import FloatArray

_METHOD = say("method.many_facet")
_APART = say("reason.disconnected.dimensions")


class JudgeFacet(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says of one judge."""

    judge: Any
    """The judge's name."""
    severity: Estimate
    """How far the judge scores below the panel on the same samples and dimensions; negative means lenient."""
    consistency: Estimate
    """The standard deviation of the judge's residuals, corrected for the fitted effects; smaller is steadier."""
    raw_mean: float | None
    """The plain mean of the judge's scores, which also depends on what the judge was given."""
    scores: int
    """How many scores of the judge were used."""


class ManyFacetFit(msgspec.Struct, frozen=True, kw_only=True):
    """Abilities, severities and difficulties with their standard errors."""

    mean: Estimate
    """The mean ability of a sample, before an average judge, on an average dimension."""
    judges: tuple[JudgeFacet, ...]
    """The judges, in sorted order."""
    dimensions: dict[Any, Estimate]
    """The difficulty of each dimension; positive means lower scores."""
    samples: NDArray[Any]
    """The names of the samples, in sorted order."""
    abilities: NDArray[np.float64]
    """The ability of each sample, as a deviation from `mean`; NaN if not known."""
    ability_errors: NDArray[np.float64]
    """The standard error of each ability; NaN if not known."""
    residual_deviation: float | None
    """The standard deviation of the error; None without degrees of freedom."""
    degrees_of_freedom: int
    """Scores minus fitted parameters."""
    groups: tuple[tuple[Any, ...], ...]
    """The judges, grouped by whether chains of common samples connect them; one group in a connected design."""
    connected: bool
    """Whether all effects can be compared; where only the dimensions cannot, the judges' effects are known."""
    method: str
    """The model and the fit."""
    n: dict[str, int]
    """What the fit rests on, counted by name."""
    reason: str = ""
    """Why effects are not known; empty if they are."""


def many_facet(
    scores: ArrayLike,
    samples: ArrayLike,
    judges: ArrayLike,
    dimensions: ArrayLike | None = None,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> ManyFacetFit:
    """Fit the model to scores in long form; rows with a missing part are left out and counted.

    In a design that falls apart (judges who share no samples, or a judge who alone scored a dimension) effects are not
    known, and `groups` says which judges belong together. Where judges can be compared and only dimensions cannot,
    because no chain of common samples connects them, severities and consistencies are known and the rest is not.
    `clusters` names the question of each score: errors of severities and difficulties are then cluster-robust, with the
    factor G/(G−1) and G−1 degrees of freedom.
    """
    require_level(level)
    design = read_design(scores, samples, judges, dimensions, clusters)
    groups = connected_judges(design)
    if not len(design.scores):
        return _unknown(design, groups, say("reason.no_scores"))
    solution = solve(design)
    if len(groups) > 1:
        return _unknown(design, groups, say("reason.disconnected.judges"))
    if not solution.judges_determined:
        return _unknown(design, groups, say("reason.confounded"))
    return _record(design, solution, groups, level)


def _record(design: Design, solution: Solution, groups: tuple[tuple[Any, ...], ...], level: float) -> ManyFacetFit:
    degrees = len(design.scores) - len(design.samples) - solution.rank
    squares = solution.residuals**2
    variance = float(squares.sum()) / degrees if degrees > 0 else math.nan
    reason = "" if degrees > 0 else say("reason.no_freedom")
    connected = solution.rank == len(design.judges) + len(design.dimensions) - 2
    apart = Estimate.unknown(_METHOD, _APART, n=_sizes(design))

    robust = _robust_variances(design, solution)
    questions = 0 if robust is None or design.cluster is None else int(design.cluster.max()) + 1

    def effect(value: float, factor: float, what: str, scores: int, place: int | None = None) -> Estimate:
        free, spread = degrees, variance * factor
        if robust is not None and place is not None:
            free, spread = questions - 1, float(robust[place])
        error = math.sqrt(max(spread, 0.0)) if degrees > 0 and free > 0 else 0.0
        margin = t_quantile(level, free) * error if error > 0 else 0.0
        known = margin > 0
        return Estimate(
            value=value, low=value - margin if known else None, high=value + margin if known else None,
            level=level if known else None, standard_error=error if known else None,
            method=_named(what, clustered=robust is not None and place is not None),
            n={"scores": scores} if not questions else {"scores": scores, "clusters": questions},
            reason="" if known else reason or say("reason.no_variation"),
        )  # fmt: skip

    judge_count = len(design.judges)
    judge_scores = np.bincount(design.judge).tolist()
    raw = (np.bincount(design.judge, weights=design.scores) / np.bincount(design.judge)).tolist()
    free = np.bincount(design.judge, weights=1 - solution.leverages)
    spent = np.bincount(design.judge, weights=squares)
    diagonal = np.diag(solution.inverse)
    judges = tuple(
        JudgeFacet(
            judge=judge,
            severity=effect(-float(solution.facets[j]), float(diagonal[j]), "severity", judge_scores[j], j),
            consistency=_consistency(float(spent[j]), float(free[j]), judge_scores[j]),
            raw_mean=raw[j],
            scores=judge_scores[j],
        )
        for j, judge in enumerate(design.judges.tolist())
    )
    dimension_scores = np.bincount(design.dimension).tolist()
    dimensions = {
        name: effect(
            -float(solution.facets[judge_count + d]),
            float(diagonal[judge_count + d]),
            "difficulty",
            dimension_scores[d],
            judge_count + d,
        )
        if connected
        else apart
        for d, name in enumerate(design.dimensions.tolist())
    }
    return ManyFacetFit(
        mean=effect(solution.mean, solution.mean_variance, "mean", len(design.scores)) if connected else apart,
        judges=judges,
        dimensions=dimensions,
        samples=design.samples,
        abilities=solution.abilities if connected else np.full(len(design.samples), np.nan),
        ability_errors=np.sqrt(solution.ability_variances * (variance if connected else math.nan)),
        residual_deviation=math.sqrt(variance) if degrees > 0 else None,
        degrees_of_freedom=degrees,
        groups=groups,
        connected=connected,
        method=_METHOD,
        n=_sizes(design),
        reason=reason if connected else _APART,
    )


def _named(what: str, *, clustered: bool) -> str:
    method = say(f"method.many_facet.{what}")
    return say("method.with_clustered_errors", method=method) if clustered else method


def _robust_variances(design: Design, solution: Solution) -> FloatArray | None:
    """Return the cluster-robust variances of the effects of judges and dimensions; None without two clusters."""
    if design.cluster is None or not len(design.cluster) or (count := int(design.cluster.max(initial=-1)) + 1) < 2:
        return None
    judges, dimensions = len(design.judges), len(design.dimensions)
    parts = [
        np.bincount(design.cluster * width + codes, weights=solution.residuals, minlength=count * width)
        for codes, width in ((design.judge, judges), (design.dimension, dimensions))
    ]
    pulls = np.hstack([part.reshape(count, -1) for part in parts])
    moved = pulls @ solution.inverse
    variances: FloatArray = (moved**2).sum(axis=0) * count / (count - 1)
    return variances


def _consistency(squares: float, free: float, scores: int) -> Estimate:
    method = say("method.residual_deviation")
    if free < 1e-6:
        return Estimate.unknown(method, say("reason.no_freedom_judge"), n={"scores": scores})
    return Estimate(value=math.sqrt(squares / free), method=method, n={"scores": scores})


def _unknown(design: Design, groups: tuple[tuple[Any, ...], ...], reason: str) -> ManyFacetFit:
    counts = np.bincount(design.judge, minlength=len(design.judges))
    sums = np.bincount(design.judge, weights=design.scores, minlength=len(design.judges))
    nothing = Estimate.unknown(_METHOD, reason, n=_sizes(design))
    return ManyFacetFit(
        mean=nothing,
        judges=tuple(
            JudgeFacet(
                judge=judge, severity=nothing, consistency=nothing, raw_mean=float(sums[j] / counts[j]),
                scores=int(counts[j]),
            )
            for j, judge in enumerate(design.judges.tolist())
        ),
        dimensions=dict.fromkeys(design.dimensions.tolist(), nothing),
        samples=design.samples,
        abilities=np.full(len(design.samples), np.nan),
        ability_errors=np.full(len(design.samples), np.nan),
        residual_deviation=None,
        degrees_of_freedom=0,
        groups=groups,
        connected=False,
        method=_METHOD,
        n=_sizes(design),
        reason=reason,
    )  # fmt: skip


def _sizes(design: Design) -> dict[str, int]:
    return {
        "scores": len(design.scores), "samples": len(design.samples), "judges": len(design.judges),
        "dimensions": len(design.dimensions), "missing": design.missing,
    }  # fmt: skip
