"""From checks to the score of a dimension, with the quote and the words that explain it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from venire.errors import RuleError
from venire.judges.rule_judge.document import Span, quote
from venire.shapes.shape import DimensionScore
from venire.words.said import clauses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venire.domain.protocol import EvalProtocol, Scale
    from venire.judges.rule_judge.checks import Check
    from venire.judges.rule_judge.document import Document
    from venire.words.language import Words

EVERY_OTHER = "*"
"""The key of the checks for all dimensions that have none of their own."""


def score_text(
    document: Document,
    checks: Mapping[str, Sequence[Check]],
    dimensions: Sequence[str],
    protocol: EvalProtocol,
    scale: Scale,
    words: Words,
) -> tuple[DimensionScore, ...]:
    """Score the given dimensions of a text, gates applied; raises `RuleError` for a dimension without checks."""
    scores = tuple(_score(name, document, _checks_of(name, checks), scale, words) for name in dimensions)
    gates = {gate.dimension for gate in protocol.gates}
    if not any(each.dimension in gates and each.score <= scale.minimum for each in scores):
        return scores
    return tuple(
        each if each.dimension in gates else msgspec.structs.replace(each, score=_number(scale.minimum, scale))
        for each in scores
    )


def _checks_of(dimension: str, checks: Mapping[str, Sequence[Check]]) -> Sequence[Check]:
    chosen = checks.get(dimension) or checks.get(EVERY_OTHER)
    if not chosen:
        raise RuleError("error.rules.no_checks", dimension=dimension, others=EVERY_OTHER)
    return chosen


def _score(dimension: str, document: Document, checks: Sequence[Check], scale: Scale, words: Words) -> DimensionScore:
    outcomes = [(check, check.run(document)) for check in checks]
    possible = sum(check.worth for check in checks)
    earned = sum(check.worth for check, outcome in outcomes if outcome.passed)
    share = earned / possible if possible else 1.0
    score = scale.minimum + share * (scale.maximum - scale.minimum)
    for check, outcome in outcomes:
        if check.cap is not None and not outcome.passed:
            if not scale.minimum <= check.cap <= scale.maximum:
                raise RuleError("error.rules.cap", cap=f"{check.cap:g}", dimension=dimension, scale=scale.id)
            score = min(score, check.cap)
    failed = [outcome for _, outcome in outcomes if not outcome.passed]
    telling = failed or [outcome for _, outcome in outcomes]
    quotes = (quote(document.text, outcome.span) for outcome in telling if outcome.span)
    shown = next(filter(None, quotes), "") or quote(document.text, Span(0, len(document.text)))
    reason = words.of(clauses(*(outcome.reason for outcome in telling)))
    return DimensionScore(dimension, _number(score, scale), shown, reason, not failed)


def _number(score: float, scale: Scale) -> float:
    """Round as the scale asks: a whole score must be earned in full, so it is rounded down."""
    return math.floor(score + 1e-9) if scale.integer else round(score, 2)
