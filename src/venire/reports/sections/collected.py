"""What was collected: how many outputs of each target there are, and how they ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from venire.domain.output import OutputState
from venire.reports.cells import Draft, make_table, number_cell, where
from venire.reports.report import Arguments, Note, ReportSection
from venire.words.said import say

if TYPE_CHECKING:
    from venire.domain.completeness import TargetCompleteness
    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.outputs_read import CollectedForm


def collected(evidence: ReportEvidence, *, is_judged: bool) -> ReportSection:
    """Count the outputs of each target; where nothing was judged, that is said first."""
    forms, planned = evidence.forms, {each.target: each for each in evidence.collection}
    targets = sorted({each.target for each in forms} | planned.keys())
    table = make_table(
        "collected",
        ("target_model",),
        ("outputs", "outputs_missing", *(f"outputs_{state.value}" for state in OutputState), "characters"),
        [_draft(name, [each for each in forms if each.target == name], planned.get(name)) for name in targets],
    )
    if is_judged:
        return ReportSection("collected", (), (table,))
    counts: Arguments = {"outputs": len(forms), "targets": len(targets), "cases": len({each.case for each in forms})}
    notes = (Note("collected.only", counts), Note("collected.next"), *collection_notes(evidence))
    return ReportSection("collected", notes, (table,))


def collection_notes(evidence: ReportEvidence) -> Iterator[Note]:
    """Say what was to be collected and is not there, and which outputs are empty, by their targets."""
    if missing := {each.target: each.missing for each in evidence.collection if each.missing}:
        planned = sum(each.planned for each in evidence.collection)
        counts: Arguments = {"collected": planned - sum(missing.values()), "planned": planned}
        yield Note("collected.incomplete", {**counts, "missing": _by_target(missing)}, warning=True)
    empty = Counter(each.target for each in evidence.forms if each.state is OutputState.EMPTY)
    if empty:
        yield Note("collected.empty", {"count": empty.total(), "targets": _by_target(empty)}, warning=True)


def _by_target(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(f"{target} {count}" for target, count in counts.items())


def _draft(target: str, own: Sequence[CollectedForm], plan: TargetCompleteness | None) -> Draft:
    rows = where({"target_model": target}, among="recorded")
    length = round(fmean(each.form.characters for each in own)) if own else None
    cells = [
        number_cell(len(own), rows),
        number_cell(plan.missing if plan else None, rows),
        *(number_cell(sum(each.state is state for each in own), rows) for state in OutputState),
        number_cell(length, rows, method=say("method.mean"), n=len(own)),
    ]
    return (target,), cells
