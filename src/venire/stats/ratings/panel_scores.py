"""The score of a panel: judges' scores brought to 0–10 and combined by weight, sample by sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats
from venire.stats.ratings.columns import FACTOR_PREFIX, NOTE_PREFIX, column_of
from venire.stats.ratings.grades import grade
from venire.stats.ratings.grouping import cluster_codes, first_of_each, number_groups, partition
from venire.stats.uncertainty.bayesian_mean import with_prior
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.weighted_mean import WEIGHT_TOLERANCE, check_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray
    from venire.stats.ratings.grades import Grade
    from venire.stats.ratings.table import PrimarySet
    from venire.stats.result import Estimate

PANEL_SCALE = (0.0, 10.0)
"""The lowest and the highest score of a panel."""


class PanelScores(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The panel's score of every sample on 0–10."""

    frame: pl.DataFrame
    """A row for each unit: its factors, `score`, `coverage` (share of the weight present), `judges` (how many scored
    it) and `complete`."""
    weights: dict[str, float]
    """The weight of each judge, summing to 1."""
    weights_from: str
    """Where the weights come from, in words."""
    without_scale: int
    """How many scores were left out because their scale is not known."""

    @property
    def incomplete(self) -> int:
        """How many samples were scored by only a part of the panel."""
        return int((~self.frame["complete"]).sum())

    def mean_by(self, *factors: str, level: float = 0.95, bayesian: bool = False) -> tuple[GroupScore, ...]:
        """Return the mean panel score of each group of samples, best first, with errors clustered by question.

        With `bayesian`, groups of few questions have the intervals of `bayesian_mean`.
        """
        columns = [column_of(self.frame, factor) for factor in factors]
        keys, codes = number_groups(self.frame, columns)
        clusters = cluster_codes(self.frame)
        scores = self.frame["score"].to_numpy()
        partial = ~self.frame["complete"].to_numpy()
        order, bounds = partition(codes, max(keys.height, 1) if self.frame.height else 0)
        groups = []
        for number, (start, stop) in enumerate(bounds):
            rows = order[start:stop]
            estimate = clustered_mean(scores[rows], clusters[rows], level=level)
            if bayesian:
                estimate = with_prior(estimate, scores[rows], clusters[rows], PANEL_SCALE, level=level)
            names = [str(name) for name in keys.row(number)] if columns else []
            groups.append(
                GroupScore(
                    where=dict(zip(factors, names, strict=True)), score=estimate, grade=grade(estimate.value),
                    incomplete=int(partial[rows].sum()),
                )
            )  # fmt: skip
        return tuple(sorted(groups, key=lambda group: -(group.score.value or 0.0)))


class GroupScore(msgspec.Struct, frozen=True, kw_only=True):
    """The mean panel score of a group of samples."""

    where: dict[str, str]
    """The factors of the group, by which its rows are found again."""
    score: Estimate
    """The mean with its interval."""
    grade: Grade | None
    """The grade of the mean."""
    incomplete: int
    """How many of its samples were scored by only a part of the panel."""


def normalise(scores: ArrayLike, minimum: ArrayLike, maximum: ArrayLike) -> FloatArray:
    """Bring scores from their scale to 0–10: (s − min)/(max − min)·10; NaN where the scale is not known.

    >>> round(float(normalise(4.35, 1, 5)), 12)
    8.375
    """
    given, low, high = as_floats(scores), as_floats(minimum), as_floats(maximum)
    span = high - low
    shifted: FloatArray = given - low
    usable = np.broadcast_to(span > 0, np.broadcast_shapes(shifted.shape, span.shape))
    result = np.full(usable.shape, np.nan)
    np.divide(shifted, span, out=result, where=usable)
    return result * 10


def combine(scores: ArrayLike, weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Combine a table of units × judges by weight; return the scores and the share of the weight behind each.

    Weights are renormalised over the judges present. A unit that no weighted judge scored has NaN and coverage 0.
    """
    table, share = as_floats(scores), as_floats(weights).ravel()
    if table.ndim != 2 or table.shape[1] != len(share):
        raise UsageError("error.stats.judge_columns", judges=len(share), shape=str(table.shape))
    there = ~np.isnan(table)
    coverage: FloatArray = there @ share
    combined = np.full(len(table), np.nan)
    np.divide(np.where(there, table, 0.0) @ share, coverage, out=combined, where=coverage > 0)
    return combined, coverage


def panel_scores(
    primary: PrimarySet,
    *,
    dimension: str | None = None,
    weights: Mapping[str, float] | None = None,
    renormalise: bool = False,
) -> PanelScores:
    """Score every sample by the panel, on a dimension or overall.

    Without `weights`, those of the ratings are used; if there are none, judges count equally. Raises `UsageError` for
    weights that do not sum to 1 unless `renormalise` is set, and for a judge without a weight.
    """
    import polars as pl

    shares, origin = panel_weights(primary, weights, renormalise=renormalise)
    rated = primary.scores(dimension)
    rated = rated.with_columns(score=pl.Series(normalise(*(rated[name] for name in ("score", "minimum", "maximum")))))
    known = rated.filter(pl.col("score").is_not_nan())
    units, unit_codes = number_groups(known, ["unit"])
    judges = list(shares)
    places, rater_codes = number_groups(known, ["rater"])
    table = np.full((units.height, len(judges)), np.nan)
    if known.height:
        columns = np.array([judges.index(name) for name in places["rater"].cast(str)])
        table[unit_codes, columns[rater_codes]] = known["score"].to_numpy()
    score, coverage = combine(table, np.array(list(shares.values())))
    further = [name for name in known.columns if name.startswith((FACTOR_PREFIX, NOTE_PREFIX))]
    kept = ["question_id", "prompt_variant", "target_model", *further]
    frame = first_of_each(known, ["unit"]).select("unit", *kept)
    frame = frame.with_columns(
        score=pl.Series(score),
        coverage=pl.Series(np.minimum(coverage, 1.0)),
        judges=pl.Series((~np.isnan(table)).sum(axis=1)),
        complete=pl.Series(coverage >= 1 - WEIGHT_TOLERANCE),
    ).filter(pl.col("score").is_not_nan())
    return PanelScores(frame=frame, weights=shares, weights_from=origin, without_scale=rated.height - known.height)


def panel_weights(
    primary: PrimarySet, weights: Mapping[str, float] | None, *, renormalise: bool = False
) -> tuple[dict[str, float], str]:
    """Return the weight of each judge and where the weights come from."""
    if weights is None:
        found = primary.weights
        changed = [judge for judge, given in found.items() if len(given) > 1]
        if changed:
            raise UsageError("error.stats.judge_weights", judge=changed[0], found=tuple(map(str, found[changed[0]])))
        if not any(found.values()):
            return {judge: 1 / len(found) for judge in found}, "equal: the ratings have no weights"
        weights = {judge: given[0] if given else 0.0 for judge, given in found.items()}
        origin = "the panel's"
    else:
        origin = "given"
    strange = [judge for judge in primary.raters if judge not in weights]
    if strange:
        raise UsageError("error.stats.judge_weight", judge=strange[0])
    shares, rescaled = check_weights(weights, renormalise=renormalise)
    return shares, f"{origin}, rescaled to sum to 1" if rescaled else origin
