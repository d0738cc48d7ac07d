"""From tests to dimensions to one overall score on 0–10, by weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from venire.errors import UsageError
from venire.stats.ratings.grades import Grade, grade
from venire.stats.uncertainty.weighted_mean import WeightedMean, check_weights, weighted_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

QUALITY_WEIGHTS = {"基础性能": 0.25, "核心能力": 0.35, "实用场景": 0.25, "高级特性": 0.15}
"""The dimensions of the multi-judge quality system: basic performance, core ability, practical use, advanced traits."""


class Rollup(msgspec.Struct, frozen=True, kw_only=True):
    """Scores rolled up from tests."""

    overall: WeightedMean
    """The overall score over dimensions."""
    grade: Grade | None
    """The grade of the overall score; None if it is not known."""
    dimensions: dict[str, WeightedMean]
    """The score of each dimension over its tests."""
    complete: bool
    """Whether every dimension and every test was there."""


class RollupDimension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One dimension of a roll-up: the tests that it is made of."""

    tests: tuple[str, ...] | dict[str, float]
    """The tests, which then count equally, or a weight for each; the weights are divided by their sum."""
    weight: float | None = None
    """The dimension's share in the overall score; the four of the multi-judge quality system have one of their own."""

    @property
    def test_weights(self) -> dict[str, float]:
        """The weight of each test, summing to 1."""
        given = self.tests if isinstance(self.tests, dict) else dict.fromkeys(self.tests, 1.0)
        return check_weights(given, renormalise=True)[0]


class RollupPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How tests make dimensions, and dimensions the overall score."""

    dimensions: dict[str, RollupDimension]
    """The dimensions by name."""
    by: str = "category"
    """The factor whose values are the tests, such as `category` or `question_id`."""

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each dimension.

        Raises `UsageError` where one is missing and the name is none of the quality system's, and where they do not
        sum to 1.
        """
        given = {
            name: QUALITY_WEIGHTS.get(name) if d.weight is None else d.weight for name, d in self.dimensions.items()
        }
        without = [name for name, weight in given.items() if weight is None]
        if without:
            raise UsageError("error.stats.dimension_weight", dimension=without[0], known=tuple(QUALITY_WEIGHTS))
        return check_weights({name: weight or 0.0 for name, weight in given.items()})[0]


def roll_up(
    tests: Mapping[str, Mapping[str, float | None]],
    *,
    test_weights: Mapping[str, Mapping[str, float]] | None = None,
    dimension_weights: Mapping[str, float] = QUALITY_WEIGHTS,
    renormalise: bool = False,
) -> Rollup:
    """Roll up the scores of tests, given by dimension and test.

    The weights of the tests of a dimension are divided by their sum, as the source defines a dimension's score; without
    them tests count equally. Weights of dimensions must sum to 1, unless `renormalise` is set. A missing test or
    dimension is left out, the rest renormalised, and the result marked incomplete. Raises `UsageError` for a dimension
    without a weight.
    """
    unknown = [name for name in tests if name not in dimension_weights]
    if unknown:
        raise UsageError("error.stats.rollup_dimensions", known=tuple(dimension_weights), found=tuple(unknown))
    dimensions = {name: _dimension(scores, (test_weights or {}).get(name)) for name, scores in tests.items() if scores}
    overall = weighted_mean(
        {name: mean.value for name, mean in dimensions.items()}, dimension_weights, renormalise=renormalise
    )
    return Rollup(
        overall=overall,
        grade=grade(overall.value),
        dimensions=dimensions,
        complete=overall.complete and all(mean.complete for mean in dimensions.values()),
    )


def _dimension(scores: Mapping[str, float | None], weights: Mapping[str, float] | None) -> WeightedMean:
    shares = weights if weights is not None else dict.fromkeys(scores, 1 / len(scores))
    return weighted_mean(scores, shares, renormalise=True)
