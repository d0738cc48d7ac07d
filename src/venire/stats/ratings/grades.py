"""Grades of a score on 0–10, as the multi-judge quality system gives them."""

from __future__ import annotations

import math

import msgspec

from venire.errors import UsageError


class Grade(msgspec.Struct, frozen=True):
    """A grade and the score from which on it is given."""

    id: str
    """The stable name of the grade."""
    at_least: float
    """The lowest score of the grade."""
    en: str
    """The name in English."""
    zh: str
    """The name in Chinese."""

    def name(self, language: str) -> str:
        """Return the name in `en` or `zh`."""
        return self.zh if language == "zh" else self.en


GRADES = (
    Grade("excellent", 9.0, "excellent", "优秀"),
    Grade("good", 7.5, "good", "良好"),
    Grade("acceptable", 6.0, "acceptable", "合格"),
    Grade("poor", 3.0, "poor", "不合格"),
    Grade("critical", 0.0, "critical", "严重缺陷"),
)
"""The grades, best first."""


def grade(score: float | None) -> Grade | None:
    """Return the grade of a score on 0–10; None for a score that is not known. Raises `UsageError` for one beyond.

    A score is not rounded first: 8.9999 is good, not excellent. But what a sum of decimals loses in its last bits does
    not cost a grade.

    >>> grade(9.0).zh, grade(7.4).en, grade(None)
    ('优秀', 'acceptable', None)
    """
    if score is None or math.isnan(score):
        return None
    if not -1e-9 <= score <= 10 + 1e-9:
        raise UsageError("error.stats.grade", found=score)
    return next((each for each in GRADES if score >= each.at_least - 1e-9), GRADES[-1])
