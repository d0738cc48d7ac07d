"""The panel's scores rolled up from tests to dimensions to one overall score, with intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from venire.stats.ratings.grades import Grade
from venire.stats.ratings.rollup import RollupPlan, roll_up
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.stats.ratings.panel_scores import PanelScores

_METHOD = say("method.weighted_tests")


class GroupRollup(msgspec.Struct, frozen=True, kw_only=True):
    """The roll-up of one group of samples, such as those of a target model, with intervals."""

    where: dict[str, str]
    """The factors of the group."""
    overall: Estimate
    """The overall score over dimensions."""
    grade: Grade | None
    """The grade of the overall score; None if it is not known."""
    coverage: float
    """The share of the overall weight whose tests have scores."""
    dimensions: dict[str, Estimate]
    """The score of each dimension over its tests."""
    tests: dict[str, Estimate]
    """The mean panel score of each test."""
    missing: tuple[str, ...]
    """The tests that have a weight and no score."""


def roll_up_panel(
    panel: PanelScores, plan: RollupPlan, *, group: str = "target_model", level: float = 0.95
) -> tuple[GroupRollup, ...]:
    """Roll up the panel's scores of each group, best first: samples to tests, tests to dimensions, these to one score.

    Tests are taken to be independent, each with its own clustered error; the interval uses the degrees of freedom of
    Welch and Satterthwaite. Where a test that counts has no error of its own, there is no interval.
    """
    weights = plan.weights
    found: dict[str, dict[str, Estimate]] = {}
    for each in panel.mean_by(group, plan.by, level=level):
        found.setdefault(each.where[group], {})[each.where[plan.by]] = each.score
    return tuple(
        sorted(
            (_group({group: name}, tests, plan, weights, level) for name, tests in found.items()),
            key=lambda rolled: -(rolled.overall.value or 0.0),
        )
    )


def _group(
    where: dict[str, str], means: Mapping[str, Estimate], plan: RollupPlan, weights: Mapping[str, float], level: float
) -> GroupRollup:
    shares = {name: dimension.test_weights for name, dimension in plan.dimensions.items()}
    scores = {name: {test: _value(means.get(test)) for test in tests} for name, tests in shares.items()}
    rolled = roll_up(scores, test_weights=shares, dimension_weights=weights)
    present = {
        name: {test: share / mean.coverage for test, share in shares[name].items() if scores[name][test] is not None}
        for name, mean in rolled.dimensions.items()
    }
    parts: dict[str, float] = {}
    for name, tests in present.items():
        for test, share in tests.items():
            parts[test] = parts.get(test, 0.0) + share * weights[name] / rolled.overall.coverage
    listed = tuple(dict.fromkeys(test for tests in shares.values() for test in tests))
    return GroupRollup(
        where=where,
        overall=_estimate(rolled.overall.value, parts, means, level),
        grade=rolled.grade,
        coverage=math.fsum(weights[name] * mean.coverage for name, mean in rolled.dimensions.items()),
        dimensions={
            name: _estimate(mean.value, present[name], means, level) for name, mean in rolled.dimensions.items()
        },
        tests={test: means.get(test) or Estimate.unknown(say("method.mean"), NO_OBSERVATIONS) for test in listed},
        missing=tuple(test for test in listed if _value(means.get(test)) is None),
    )


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate else None


def _estimate(
    value: float | None, shares: Mapping[str, float], means: Mapping[str, Estimate], level: float
) -> Estimate:
    """Give a weighted mean of tests its interval."""
    counted = {test: means[test] for test, share in shares.items() if share > 0}
    n = {"tests": len(counted), "values": sum(mean.n.get("values", 0) for mean in counted.values())}
    if value is None or not counted:
        return Estimate.unknown(_METHOD, NO_OBSERVATIONS, n=n)
    errors = {test: mean.standard_error for test, mean in counted.items()}
    if None in errors.values():
        return Estimate(value=value, method=_METHOD, n=n, reason=say("reason.test_without_error"))
    variances = {test: (shares[test] * (error or 0.0)) ** 2 for test, error in errors.items()}
    total = math.fsum(variances.values())
    degrees = total**2 / math.fsum(each**2 / (counted[test].n["clusters"] - 1) for test, each in variances.items())
    margin = t_quantile(level, degrees) * math.sqrt(total)
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=math.sqrt(total),
        method=_METHOD, n=n,
    )  # fmt: skip
