"""Mean squares of complete units × raters, and the intraclass correlations that follow from them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.ratings.source import Array


class MeanSquares(msgspec.Struct, frozen=True):
    """The analysis of variance of Shrout & Fleiss (1979), table 2. Scores are scaled first, as no ratio changes."""

    units: int
    """The number of units."""
    raters: int
    """The number of raters."""
    between: float
    """The mean square between units (BMS)."""
    within: float
    """The mean square within units (WMS)."""
    judges: float
    """The mean square between raters (JMS)."""
    residual: float
    """The mean square of what neither unit nor rater explains (EMS)."""
    total: float
    """The sum of squares around the mean; 0 exactly where all scores are equal."""

    @classmethod
    def of(cls, scores: Array) -> MeanSquares:
        """Compute the mean squares of scores without gaps, for at least two units and two raters."""
        units, raters = scores.shape
        low, high = float(scores.min()), float(scores.max())
        half = high / 2 - low / 2
        if half == 0:
            return cls(units, raters, 0.0, 0.0, 0.0, 0.0, 0.0)
        centred = (scores - (high / 2 + low / 2)) / half
        centred -= centred.mean()
        of_unit, of_rater = centred.mean(axis=1), centred.mean(axis=0)
        total = float(np.einsum("ij,ij->", centred, centred))
        between = raters * float(of_unit @ of_unit)
        judges = units * float(of_rater @ of_rater)
        centred -= of_unit[:, None]
        within = float(np.einsum("ij,ij->", centred, centred))
        centred -= of_rater
        residual = float(np.einsum("ij,ij->", centred, centred))
        between, within, judges, residual = (
            0.0 if square < 1e-24 * total * units else square for square in (between, within, judges, residual)
        )
        return cls(
            units=units,
            raters=raters,
            between=between / (units - 1),
            within=within / (units * (raters - 1)),
            judges=judges / (raters - 1),
            residual=residual / ((units - 1) * (raters - 1)),
            total=total,
        )

    def value(self, form: str) -> float | None:
        """Return the intraclass correlation of a form (p. 423 and 426); None where its denominator is not above 0."""
        k, n = self.raters, self.units
        noise = self.within if form[0] == "1" else self.residual
        shift = (self.judges - self.residual) / n if form[0] == "2" else 0.0
        below = self.between + shift if form.endswith("k") else self.between + (k - 1) * noise + k * shift
        return (self.between - noise) / below if below > 0 else None

    def interval(self, form: str, level: float) -> tuple[float, float] | None:
        """Return the interval of a form (p. 424 and 426), or None where there is too little noise to compare with."""
        if form[0] == "2":
            return self._interval_of_agreement(form, level)
        k, n = self.raters, self.units
        noise = self.within if form[0] == "1" else self.residual
        noise_degrees = n * (k - 1) if form[0] == "1" else (n - 1) * (k - 1)
        if noise == 0 or self.between == 0:
            return None
        ratio = self.between / noise
        least = ratio / _f_quantile(n - 1, noise_degrees, level)
        most = ratio * _f_quantile(noise_degrees, n - 1, level)
        if form.endswith("k"):
            return 1 - 1 / least, 1 - 1 / most
        return (least - 1) / (least + k - 1), (most - 1) / (most + k - 1)

    def _interval_of_agreement(self, form: str, level: float) -> tuple[float, float] | None:
        k, n = self.raters, self.units
        single = self.value("2,1")
        if single is None or self.residual == 0 or self.between == 0:
            return None
        ratio = self.judges / self.residual
        rest = n * (1 + (k - 1) * single) - k * single
        degrees = (k - 1) * (n - 1) * (k * single * ratio + rest) ** 2
        degrees /= (n - 1) * k**2 * single**2 * ratio**2 + rest**2
        upper, lower = _f_quantile(n - 1, degrees, level), _f_quantile(degrees, n - 1, level)
        pooled = k * self.judges + (k * n - k - n) * self.residual
        if not (upper > 0 and lower > 0 and pooled + self.between / upper > 0):  # Also where a quantile is NaN.
            return None
        # Divided by the quantiles, which grow without bound as the degrees of freedom vanish.
        low = n * (self.between / upper - self.residual) / (pooled + n * self.between / upper)
        high = n * (self.between - self.residual / lower) / (pooled / lower + n * self.between)
        if form == "2,1":
            return low, high
        if 1 + (k - 1) * low <= 1e-12:
            return None
        # Spearman and Brown: what single ratings give, carried over to the mean of k.
        return k * low / (1 + (k - 1) * low), k * high / (1 + (k - 1) * high)


class LeftSquares(NamedTuple):
    """The mean squares that are left without each group of units, in turn."""

    units: Array
    """The number of units."""
    raters: int
    """The number of raters."""
    between: Array
    """The mean squares between units."""
    within: Array
    """The mean squares within units."""
    judges: Array
    """The mean squares between raters."""
    residual: Array
    """The mean squares of what neither unit nor rater explains."""

    @classmethod
    def of(cls, scores: Array, group: Array, count: int) -> LeftSquares:
        """Compute them for scores without gaps, from sums over groups."""
        raters = scores.shape[1]
        low, high = float(scores.min()), float(scores.max())
        half = high / 2 - low / 2
        centred = (scores - (high / 2 + low / 2)) / (half or 1.0)
        centred -= centred.mean()
        of_unit = centred.sum(axis=1)
        columns = (np.ones(len(scores)), np.einsum("ij,ij->i", centred, centred), of_unit**2, *centred.T)
        by_group = np.array([np.bincount(group, weights=each, minlength=count) for each in columns])
        left = by_group.sum(axis=1, keepdims=True) - by_group
        units, squares, of_units = np.maximum(left[0], 1.0), left[1], left[2] / raters
        of_raters, middle = (left[3:] ** 2).sum(axis=0) / units, left[3:].sum(axis=0) ** 2 / units / raters
        total, between, judges = squares - middle, of_units - middle, of_raters - middle
        return cls(
            units=units,
            raters=raters,
            between=between / np.maximum(units - 1, 1),
            within=(total - between) / (units * (raters - 1)),
            judges=judges / (raters - 1),
            residual=np.maximum(total - between - judges, 0.0) / np.maximum((units - 1) * (raters - 1), 1),
        )

    def values(self, forms: Sequence[str]) -> Array:
        """Return the intraclass correlations of forms, a row for each, NaN where the denominator is not above 0."""
        noise = np.array([self.within if form[0] == "1" else self.residual for form in forms])
        shift = np.array([(self.judges - self.residual) / self.units * (form[0] == "2") for form in forms])
        others = np.array([[0 if form.endswith("k") else self.raters - 1] for form in forms])
        above, below = self.between - noise, self.between + others * noise + (others + 1) * shift
        values: Array = np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)
        return values


@lru_cache(maxsize=64)
def _f_quantile(numerator: float, denominator: float, level: float) -> float:
    from scipy.special import fdtri  # Start-up stays quick.

    return float(fdtri(numerator, denominator, 0.5 + level / 2))
