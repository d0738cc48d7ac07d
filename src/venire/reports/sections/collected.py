"""What was collected: how many outputs of each target there are, and how they ended."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from venire.domain.output import OutputState
from venire.reports.cells import Draft, make_table, number_cell, where
from venire.reports.report import Note, ReportSection
from venire.words.said import say

if TYPE_CHECKING:
    from venire.reports.evidence import CollectedForm


def collected(forms: Sequence[CollectedForm], *, is_judged: bool) -> ReportSection:
    """Count the outputs of each target; where nothing was judged, that is said first."""
    targets = sorted({each.target for each in forms})
    table = make_table(
        "collected",
        ("target_model",),
        ("outputs", *(f"outputs_{state.value}" for state in OutputState), "characters"),
        [_draft(name, [each for each in forms if each.target == name]) for name in targets],
    )
    if is_judged:
        return ReportSection("collected", (), (table,))
    cases = len({each.case for each in forms})
    only = Note("collected.only", {"outputs": len(forms), "targets": len(targets), "cases": cases})
    return ReportSection("collected", (only, Note("collected.next")), (table,))


def _draft(target: str, own: Sequence[CollectedForm]) -> Draft:
    rows = where({"target_model": target}, among="recorded")
    cells = [
        number_cell(len(own), rows),
        *(number_cell(sum(each.state is state for each in own), rows) for state in OutputState),
        number_cell(round(fmean(each.form.characters for each in own)), rows, method=say("method.mean"), n=len(own)),
    ]
    return (target,), cells
