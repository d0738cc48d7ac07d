"""Whether judges have changed since their first verdicts on anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from venire.reports.cells import make_table, number_cell, text_cell, word_cell
from venire.reports.report import Arguments, Note, ReportCell, ReportSection, Rows
from venire.reports.words import e_text
from venire.runner.canaries.evidence import ALARM, LEVEL
from venire.stats.sequential.anchor_stream import LEAST_PAIRS
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.runner.canaries.evidence import JudgeEvidence

CanaryState = Literal["changed", "unchanged", "begun", "few"]
"""Whether a judge has changed; `begun` and `few`: nothing is known yet, since no anchor was judged again, or too few
were judged twice at first."""


def state_of(evidence: JudgeEvidence) -> CanaryState:
    """Return what is known of a judge."""
    if evidence.has_changed:
        return "changed"
    if evidence.is_watched:
        return "unchanged"
    return "begun" if any(each.pairs >= LEAST_PAIRS for each in evidence.streams) else "few"


def canaries(evidence: ReportEvidence) -> ReportSection:
    """Show what anchors say of each judge; there is a section only where runs judged anchors."""
    table = make_table(
        "canaries", ("rater",), ("canary_state", "evidence", "anchors", "noise", "later", "contradict"), _rows(evidence)
    )
    return ReportSection("canaries", tuple(_notes(evidence)), (table,))


def _notes(evidence: ReportEvidence) -> Iterator[Note]:
    read = evidence.canaries
    for each in read.judges if read else ():
        state = state_of(each)
        told: Arguments = {"judge": each.judge, "e": e_text(each.peak)}
        yield Note(f"canaries.note.{state}", told, warning=state == "changed", begins=True)
    yield Note("canaries.note.how", {"alarm": f"{ALARM:.0f}", "level": f"{LEVEL:.0%}"}, begins=True)


def _rows(evidence: ReportEvidence) -> Iterator[tuple[tuple[str, ...], list[ReportCell]]]:
    read = evidence.canaries
    rows = Rows(among="replies", sequences=(read.sequence,) if read else ())
    for each in read.judges if read else ():
        first = each.streams[0]
        noise = first.parted / first.pairs if first.pairs else None
        share = first.contradictions / first.observations if first.observations else None
        yield (
            (each.judge,),
            [
                word_cell(f"canaries.state.{state_of(each)}", rows),
                text_cell(e_text(each.peak), rows),
                number_cell(first.pairs, rows),
                number_cell(noise, rows, "share", method=say("method.canary_noise"), n=first.pairs),
                number_cell(first.observations, rows),
                number_cell(share, rows, "share", method=say("method.canary_share"), n=first.observations),
            ],
        )
