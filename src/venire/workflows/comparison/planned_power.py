"""What the questions of a plan will be able to show: the least difference found, and the questions that one needs."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Literal

import msgspec

from venire.errors import UsageError
from venire.ledger.location import is_missing_file
from venire.reports.report import Choices
from venire.reports.sections.power import POWER
from venire.shapes.registry import shape_of
from venire.stats.comparison.score_difference import score_difference
from venire.stats.result import Estimate
from venire.stats.uncertainty.power import minimum_detectable_effect, samples_needed
from venire.workflows.comparison.compared_scores import matched_by, scored_samples
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.plan import planned_samples

if TYPE_CHECKING:
    from venire.config import Settings

GUESSED_SPREAD = 2.0
"""By how many points the differences on single questions are taken to spread while nothing is known about them."""
HIGHEST = 10.0
"""The largest difference that there can be, in points."""
_ALPHA = 0.05
_MOST_LEVELS = 12
"""Of how many models, at most, the differences that were judged already are looked at."""

Factor = Literal["target_model", "prompt_variant"]
"""What outputs are compared by."""


class PlannedPower(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison of two models, or two variants of one, will find with 80 % probability."""

    factor: Factor
    """What is compared."""
    questions: int
    """How many questions have outputs of at least two of them."""
    effect: Estimate
    """The least difference that is found, in standard deviations of the questions' differences."""
    spread: float | None
    """The standard deviation of the questions' differences, in points of 0–10; None if it is not known."""
    judged: int
    """How many judged questions the spread comes from; 0 if it was given."""
    points: Estimate | None
    """The least difference that is found, in points; None if the spread is not known."""
    needed: Estimate | None
    """How many questions the stated difference needs, by a guess if no spread is known; None without one."""


def planned_power(
    settings: Settings, difference: float | None = None, spread: float | None = None
) -> PlannedPower | None:
    """Return what the planned questions will find; None where there are not two models or variants to compare.

    A spread that is not given is that of the questions which the ledger holds already. Raises `UsageError` for a stated
    difference or spread that is not above 0.
    """
    for value in (difference, spread):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise UsageError("error.plan.not_positive", found=f"{value:g}")
    found = _compared(settings)
    if found is None:
        return None
    factor, questions = found
    judged = 0
    if spread is None:
        spread, judged = _judged_spread(settings, factor)
    known = None if spread is None else minimum_detectable_effect(spread, questions, alpha=_ALPHA, power=POWER)
    return PlannedPower(
        factor=factor,
        questions=questions,
        effect=minimum_detectable_effect(1.0, questions, alpha=_ALPHA, power=POWER),
        spread=spread,
        judged=judged,
        points=known,
        needed=None
        if difference is None
        else samples_needed(difference, spread or GUESSED_SPREAD, alpha=_ALPHA, power=POWER),
    )


def _compared(settings: Settings) -> tuple[Factor, int] | None:
    """Return what can be compared, models before variants, and on how many questions."""
    if shape_of(settings.protocol).judges != "sample":
        return None
    levels: dict[Factor, dict[str, set[str]]] = {"target_model": {}, "prompt_variant": {}}
    for sample in planned_samples(settings):
        for factor, by_question in levels.items():
            by_question.setdefault(sample.question_id, set()).add(getattr(sample, factor))
    for factor, by_question in levels.items():
        if shared := sum(len(found) > 1 for found in by_question.values()):
            return factor, shared
    return None


def _judged_spread(settings: Settings, factor: Factor) -> tuple[float | None, int]:
    """Return the middle spread of the differences that the ledger holds, and how many questions the most have."""
    if settings.ledger == "memory:" or is_missing_file(settings.ledger):
        return None, 0
    choices = Choices(count_recovered=settings.config.count_recovered, protocol=settings.protocol.digest)
    try:
        material = read_evidence(settings.ledger, choices)
    except UsageError:
        return None, 0  # It holds no judgement under this protocol yet.
    key = matched_by(material, factor)
    sides = [scored_samples(material, "", {factor: level}) for level in material.levels(factor)[:_MOST_LEVELS]]
    spreads, most = [], 0
    for one, two in combinations(sides, 2):
        seen = score_difference(one, two, (key,) if key else ()).test.difference
        questions = seen.n.get("clusters", 0)
        if seen.standard_error and questions:
            spreads.append(seen.standard_error * math.sqrt(questions))
            most = max(most, questions)
    return (median(spreads), most) if spreads else (None, 0)
