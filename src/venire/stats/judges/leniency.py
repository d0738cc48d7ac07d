"""How lenient judges are: raw, and adjusted for which samples and dimensions each of them scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.judges.many_facet import many_facet
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.ratings.panel_scores import normalise
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.table import PrimarySet


class Leniency(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge's scores say of the judge, on 0–10."""

    judge: str
    """The judge."""
    raw_mean: Estimate
    """The mean of its scores, which also depends on what it was given; clustered by question."""
    raw: float | None
    """The raw mean minus the plain mean of all judges' raw means; None for a judge alone."""
    adjusted: Estimate
    """How far it scores above the panel on the same samples and dimensions, by the many-facet model."""
    consistency: Estimate
    """The standard deviation of what the model does not explain; smaller is steadier."""


def leniency(primary: PrimarySet, *, by_dimension: bool = True, level: float = 0.95) -> tuple[Leniency, ...]:
    """Measure each judge's leniency over the scores of dimensions, or over overall scores.

    A raw mean mixes up leniency with the mix of items; the adjusted one compares judges on the same items. Where
    judges share no samples it is not known, and says so. Where some judgements have an overall score alone, overall
    scores are compared: the judge that gave them would otherwise have nothing in common with the others.
    """
    dimensions = by_dimension and bool(primary.dimensions) and not primary.table.frame["score"].null_count()
    frame = primary.table.frame if dimensions else primary.scores()
    scores = normalise(*(frame[name] for name in ("score", "minimum", "maximum")))
    keys, judge = number_groups(frame, ["rater"])
    _, unit = number_groups(frame, ["unit"])
    _, dimension = number_groups(frame, ["dimension"] if dimensions else [])
    clusters = cluster_codes(frame)
    names = list(keys["rater"].cast(str)) if keys.height else []
    means = [
        clustered_mean(scores[judge == place], clusters[judge == place], level=level) for place in range(len(names))
    ]
    fit = many_facet(
        scores, unit, judge, dimension, clusters=clusters if len(np.unique(clusters)) > 1 else None, level=level
    )
    facets = {facet.judge: facet for facet in fit.judges}
    known = [mean.value for mean in means if mean.value is not None]
    average = float(np.mean(known)) if len(known) > 1 else None
    unscored = Estimate.unknown(say("method.leniency"), say("reason.no_scaled_scores"), n={"scores": 0})
    results = []
    for place, name in enumerate(names):
        facet, mean = facets.get(place), means[place]
        alone = len(names) == 1
        results.append(
            Leniency(
                judge=name,
                raw_mean=mean,
                raw=None if mean.value is None or average is None else mean.value - average,
                adjusted=unscored if facet is None else _alone(mean) if alone else _negated(facet.severity),
                consistency=unscored if facet is None else facet.consistency,
            )
        )
    return tuple(results)


def _negated(severity: Estimate) -> Estimate:
    return msgspec.structs.replace(
        severity,
        value=None if severity.value is None else -severity.value,
        low=None if severity.high is None else -severity.high,
        high=None if severity.low is None else -severity.low,
        method=severity.method if severity.value is None else _leniency_method(severity),
    )


def _leniency_method(severity: Estimate) -> str:
    method = say("method.many_facet.leniency")
    return say("method.with_clustered_errors", method=method) if "clusters" in severity.n else method


def _alone(mean: Estimate) -> Estimate:
    return Estimate.unknown(say("method.leniency"), say("reason.one_judge_alone"), n=mean.n)
