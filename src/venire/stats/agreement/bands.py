"""Words for the size of a correlation or a reliability, as the multi-judge quality system gives them.

The bands are half-open: a value on a border belongs to the higher band. Negative values are in the lowest one. They
are a convention for readers and no test of anything.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from venire.stats.result import Estimate


class Band(msgspec.Struct, frozen=True):
    """A range of values with a name."""

    id: str
    """The stable name of the band."""
    lower: float
    """The least value of the band."""
    upper: float
    """The value from which on the next band begins."""
    en: str
    """The name in English."""
    zh: str
    """The name in Chinese."""

    def name(self, language: str) -> str:
        """Return the name in `en` or `zh`."""
        return self.zh if language == "zh" else self.en


CORRELATION_BANDS = (
    Band("very-low", -math.inf, 0.3, "very low agreement", "极低一致性"),
    Band("low", 0.3, 0.5, "low agreement", "低一致性"),
    Band("moderate", 0.5, 0.7, "moderate agreement", "中等一致性"),
    Band("high", 0.7, 0.9, "high agreement", "高一致性"),
    Band("very-high", 0.9, math.inf, "very high agreement", "极高一致性"),
)
"""Bands of a correlation between judges (quality, Pearson correlation)."""

RELIABILITY_BANDS = (
    Band("very-low", -math.inf, 0.2, "very low reliability", "极低信度"),
    Band("low", 0.2, 0.4, "low reliability", "低信度"),
    Band("moderate", 0.4, 0.6, "moderate reliability", "中等信度"),
    Band("high", 0.6, 0.8, "high reliability", "高信度"),
    Band("very-high", 0.8, math.inf, "very high reliability", "极高信度"),
)
"""Bands of Krippendorff's alpha (quality, inter-rater reliability)."""


def correlation_band(value: float | Estimate | None) -> Band | None:
    """Return the band of a correlation, or None if it is not known.

    >>> correlation_band(0.9).id
    'very-high'
    """
    return _band(value, CORRELATION_BANDS)


def reliability_band(value: float | Estimate | None) -> Band | None:
    """Return the band of a reliability such as alpha, or None if it is not known.

    >>> reliability_band(-0.4).zh
    '极低信度'
    """
    return _band(value, RELIABILITY_BANDS)


def _band(value: float | Estimate | None, bands: tuple[Band, ...]) -> Band | None:
    number = value if value is None or isinstance(value, (int, float)) else value.value
    if number is None or not math.isfinite(number):
        return None
    return next(band for band in bands if number < band.upper or band is bands[-1])
