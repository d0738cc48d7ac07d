"""What a comparison of models could have found, and how many questions would settle the differences seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.stats.result import Estimate
from venire.stats.uncertainty.power import minimum_detectable_effect, samples_needed
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venire.reports.report import Table
    from venire.stats.drift.contrasts import Contrast

POWER = 0.8
"""How often a difference should be found if it is there."""

COLUMNS = ("detectable", "difference", "questions", "questions_needed")
"""The columns of the table."""


def power_table(contrasts: Iterable[Contrast], level: float) -> Table:
    """Give the smallest difference that each comparison finds, and the questions that its own difference needs."""
    return make_table("power", ("first", "second"), COLUMNS, [_row(contrast, level) for contrast in contrasts])


def _row(contrast: Contrast, level: float) -> Draft:
    seen = contrast.total.difference
    rows = where({contrast.factor: (contrast.first, contrast.second)})
    questions = seen.n.get("clusters", 0)
    detectable, needed = power_of(seen, questions, 1 - level)
    cells = [
        estimate_cell(detectable, rows, "score"),
        estimate_cell(seen, rows, "difference"),
        number_cell(questions, rows, method=say(f"method.clustered_by_{contrast.clustered_by}")),
        estimate_cell(needed, rows, "count"),
    ]
    return (contrast.first, contrast.second), cells


def power_of(seen: Estimate, questions: int, alpha: float) -> tuple[Estimate, Estimate]:
    """Return the least difference that so many questions find, and how many the difference seen would need."""
    if seen.value is None or not seen.standard_error:
        reason = seen.reason or say("reason.no_spread")
        nothing = Estimate.unknown(say("method.two_sided_paired_t"), reason, n=seen.n)
        return nothing, nothing
    # The clustered standard error stands for the mean of as many questions: further ones are taken to be like these.
    spread = seen.standard_error * math.sqrt(questions)
    alpha = round(alpha, 12)
    detectable = minimum_detectable_effect(spread, questions, alpha=alpha, power=POWER)
    needed = samples_needed(seen.value, spread, alpha=alpha, power=POWER)
    return detectable, _with_range(needed, seen, spread, alpha)


def questions_for(seen: Estimate, difference: float, alpha: float = 0.05) -> Estimate:
    """Return how many questions like those seen find a stated difference with a probability of 80 %."""
    spread = (seen.standard_error or 0.0) * math.sqrt(seen.n.get("clusters", 0))
    return samples_needed(difference, spread, alpha=round(alpha, 12), power=POWER)


def _with_range(needed: Estimate, seen: Estimate, spread: float, alpha: float) -> Estimate:
    """Give the questions needed their range: for the ends of the difference's interval, as the true one may be there.

    If 0 is among them no number of questions may be enough, which a note then says with the least number.
    """
    if needed.value is None or seen.low is None or seen.high is None:
        return needed
    few, many = (
        samples_needed(end, spread, alpha=alpha, power=POWER).value
        for end in sorted((seen.low, seen.high), key=abs, reverse=True)
    )
    if few is None:
        return needed
    if seen.low <= 0 <= seen.high or many is None:
        return replace(needed, note=say("note.settle_at_least", least=int(few)))
    return replace(needed, low=few, high=many, level=seen.level)
