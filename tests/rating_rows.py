"""Ratings for tests, made short."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from venire.stats.ratings.rating import Rating
from venire.stats.ratings.table import PrimarySet, RatingsTable


def judgement_rows(unit: str, rater: str, scores: Mapping[str, float], **fields: Any) -> Iterator[Rating]:
    """Yield the rows of one judgement on a 0–2 scale whose overall score is the sum of its scores."""
    count = len(scores)
    defaults = {
        "minimum": 0.0,
        "maximum": 2.0,
        "overall": sum(scores.values()) if scores else None,
        "overall_minimum": 0.0,
        "overall_maximum": 2.0 * count,
        "judgement": f"{unit}|{rater}|{fields.get('repeat', '0')}|{fields.get('rater_version', '')}",
    }
    for dimension, score in dict(scores).items() or [("", None)]:
        yield Rating(unit=unit, rater=rater, dimension=dimension, score=score, **(defaults | fields))


def overall_row(unit: str, rater: str, overall: float, **fields: Any) -> Rating:
    """Return a judgement with only an overall score on 0–10."""
    defaults = {
        "minimum": 0.0,
        "maximum": 10.0,
        "overall_minimum": 0.0,
        "overall_maximum": 10.0,
        "judgement": f"{unit}|{rater}|{fields.get('repeat', '0')}|{fields.get('rater_version', '')}",
    }
    return Rating(unit=unit, rater=rater, overall=overall, **(defaults | fields))


def primary(rows: Iterable[Rating], **options: Any) -> PrimarySet:
    """Return the primary set of rows."""
    return RatingsTable.from_rows(rows).primary(**options)
