"""Scores recovered from replies that are not strict JSON. Nothing is ever guessed: a missing score stays missing.

Salvage is a step of its own with its own provenance, so that a recovered judgement can never pass for a strict one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from venire.domain.protocol import Dimension, Scale
from venire.validation.scores import as_number, is_on_scale

_OVERALL_LABELS = ("overall", "总分", "总体", "综合")
"""What an overall score is called in prose; words for a score may follow."""


class Salvaged(msgspec.Struct, frozen=True):
    """What could be recovered from a reply."""

    scores: dict[str, float]
    """Scores by dimension, only those on the scale."""
    overall: float | None
    """The overall score that the judge wrote, if one was found on the scale."""
    how: str
    """`fenced-json`, `json-in-prose`, `bare-numbers`, `loose-json` or `labelled-numbers`."""


def salvage(
    text: str,
    value: dict[str, Any] | None,
    found_by: str | None,
    dimensions: tuple[Dimension, ...],
    scale: Scale,
    overall_field: str,
) -> Salvaged | None:
    """Recover scores from the object that a reply holds, or else from labelled numbers in its text.

    Returns None if nothing was found. A score off the scale is not taken and never clamped.
    """
    if value is not None:
        recovered = _from_object(value, found_by, dimensions, scale, overall_field)
        if recovered:
            return recovered
    return _from_text(text, dimensions, scale, overall_field)


def _from_object(
    value: dict[str, Any], found_by: str | None, dimensions: tuple[Dimension, ...], scale: Scale, overall_field: str
) -> Salvaged | None:
    given = value.get("scores")
    holder: Mapping[str, Any] = given if type(given) is dict else value
    scores: dict[str, float] = {}
    bare = False
    for dimension in dimensions:
        item = holder.get(dimension.id)
        number = as_number(item.get("score") if type(item) is dict else item)
        if number is not None and is_on_scale(number, scale):
            scores[dimension.id] = number
            bare = bare or type(item) is not dict
    overall = as_number(value.get(overall_field))
    overall = overall if overall is not None and is_on_scale(overall, scale) else None
    if not scores and overall is None:
        return None
    return Salvaged(scores, overall, found_by or ("bare-numbers" if bare else "loose-json"))


def _from_text(text: str, dimensions: tuple[Dimension, ...], scale: Scale, overall_field: str) -> Salvaged | None:
    scores: dict[str, float] = {}
    if "{" in text:
        text = re.sub(r"[0-9][0-9.eE+-]*$", "", text.rstrip())  # a number at the end of truncated JSON may be cut
    for dimension in dimensions:
        labels = [dimension.id, dimension.id.replace("_", " "), *dimension.name.values()]
        number = _labelled_number(text, labels, scale.maximum)
        if number is not None and is_on_scale(number, scale):
            scores[dimension.id] = number
    overall = _labelled_number(text, [overall_field, *_OVERALL_LABELS], scale.maximum)
    overall = overall if overall is not None and is_on_scale(overall, scale) else None
    if not scores and (overall is None or not scale.overall_alone):
        return None
    return Salvaged(scores, overall, "labelled-numbers")


def _labelled_number(text: str, labels: list[str], maximum: float) -> float | None:
    """Return the number that follows a label; None if there is none, or if it could be read in two ways.

    Percentages, exponents, negative numbers, ranges, decimal commas, fractions of another scale's maximum and two
    different numbers for one label are not scores.
    """
    names = "|".join(re.escape(label) for label in labels)
    label = rf"(?<![A-Za-z_])(?:{names})(?![A-Za-z_])[^\w\n]{{0,8}}"
    word = r"(?:(?:score|评分|得分|分数)[^\w\n]{0,4})?"
    number = r"(?<![-−–.,\d])([0-9]+(?:\.[0-9]+)?)(?![0-9.]*[0-9]|[eE][+-]?(?:[0-9]|\b))(?!\s*%|[,~～–−-]\s*[0-9])"
    found = re.findall(rf"{label}{word}{number}(?:\s*/\s*([0-9.]+))?", text, re.IGNORECASE)
    if len({score for score, _ in found}) != 1 or any(of and of.rstrip(".") != f"{maximum:g}" for _, of in found):
        return None
    return float(found[0][0])
