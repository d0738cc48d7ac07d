"""What follows from scores: which are admissible, the overall score, the verdict, and closed gates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from venire.domain import rule
from venire.domain.canonical import MAX_SAFE_INTEGER
from venire.domain.flag import Finding
from venire.domain.protocol import EvalProtocol, Scale
from venire.validation.contract import show
from venire.words.said import say


def admissible_scores(given: Any, dimensions: Iterable[str], scale: Scale) -> dict[str, float]:
    """Return the scores that lie on the scale; what is missing or off the scale stays missing."""
    if type(given) is not dict:
        return {}
    on_scale = {dimension: given[dimension] for dimension in dimensions if is_on_scale(given.get(dimension), scale)}
    return {dimension: int(score) for dimension, score in on_scale.items()} if scale.integer else on_scale


def gives_no_score(given: Any, dimensions: Iterable[str]) -> bool:
    """Tell whether none of the dimensions was given a number, be it on the scale or not."""
    return type(given) is not dict or not any(type(given.get(name)) in (int, float) for name in dimensions)


def is_on_scale(value: Any, scale: Scale) -> bool:
    """Tell whether a value is a number that the scale allows; 2.0 is a whole number."""
    if type(value) is int:
        return scale.minimum <= value <= scale.maximum
    is_allowed = type(value) is float and (value.is_integer() or not scale.integer)
    return is_allowed and scale.minimum <= value <= scale.maximum


def as_number(value: Any) -> float | None:
    """Return a finite number of a reply, and None for anything else; integers that no record could hold as floats."""
    if type(value) is int:
        return value if abs(value) <= MAX_SAFE_INTEGER else float(value)
    return value if type(value) is float and math.isfinite(value) else None


def computed_overall(
    scores: Mapping[str, float], dimensions: tuple[str, ...], weights: Mapping[str, float] | None
) -> float | None:
    """Return the sum, or the weighted mean, of the scores; None if one is missing.

    >>> computed_overall({"a": 4.5, "b": 4.0}, ("a", "b"), {"a": 0.5, "b": 0.5})
    4.25
    >>> computed_overall({"a": 4.5}, ("a", "b"), None) is None
    True
    """
    if len(scores) < len(dimensions):
        return None
    if weights is None:
        return sum(scores.values())
    return math.fsum(scores[dimension] * weights[dimension] for dimension in dimensions)


def check_overall(
    protocol: EvalProtocol, stated: float | None, computed: float | None, pointer: str
) -> tuple[Finding, ...]:
    """Report a stated overall score that does not follow from the scores."""
    if stated is None or computed is None or abs(stated - computed) <= protocol.overall.tolerance + 1e-9:
        return ()
    make = rule.OVERALL_MISMATCH.note if protocol.overall.mismatch == "note" else rule.OVERALL_MISMATCH.finding
    return (make(pointer, say("finding.computed", overall=f"{computed:.10g}"), f"{stated:.10g}"),)


def check_gates(protocol: EvalProtocol, scores: Mapping[str, float], scale: Scale, pointer: str) -> tuple[Finding, ...]:
    """Report scores above the lowest beside a gate dimension that has the lowest."""
    findings = []
    for gate in protocol.gates:
        if scores.get(gate.dimension) != scale.minimum:
            continue
        higher = {dimension: score for dimension, score in scores.items() if score > scale.minimum}
        if higher:
            expected = say("finding.gate", low=f"{scale.minimum:g}", dimension=gate.dimension)
            findings.append(rule.SCORE_GATE.finding(pointer, expected, show(higher)))
    return tuple(findings)
