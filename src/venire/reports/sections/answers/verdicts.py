"""The first screen of verdicts without scores: who gets the good verdict most often, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import polars as pl

from venire.reports.cells import Draft, make_table
from venire.reports.report import Arguments, Note, ReportSection, Table, Term
from venire.reports.sections.answers.disputed import disputed_verdicts
from venire.reports.sections.leaderboard import contrast_cells, model_contrasts
from venire.reports.sections.overview import EQUAL, NAMED, Standing, basis_counts, more_names, stand
from venire.reports.sections.trust import trust_table
from venire.stats.ratings.table import RatingsTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.evidence import ReportEvidence
    from venire.reports.report import ReportCell

GOOD = ("pass", "c", "correct", "yes", "true", "good", "accept", "accepted", "通过", "正确", "合格", "是", "好")
"""Verdicts that are known to be good ones, in small letters."""


def chief_verdict(evidence: ReportEvidence) -> str:
    """Return the verdict that models are ranked by: one that is known to be good, or else the most frequent."""
    names = evidence.levels("verdict")
    known = sorted((name for name in names if name.lower() in GOOD), key=lambda name: GOOD.index(name.lower()))
    if known:
        return known[0]
    given = list(evidence.primary.table.frame["verdict"].cast(str))
    return max(names, key=given.count, default="")


def verdict_comparisons(evidence: ReportEvidence, shares: Table | None) -> tuple[list[Note], list[Table]]:
    """Compare models by how often they get the chief verdict, on the same questions and by the same judges."""
    verdict = chief_verdict(evidence)
    ranked = _ranked(shares, verdict)
    if len(ranked) < 2:
        return [], []
    given = pl.col("verdict").cast(pl.String)
    hits = pl.when(given != "").then((given == verdict).cast(pl.Float64))  # No verdict is neither the one nor another.
    frame = evidence.primary.table.frame.with_columns(overall=hits, overall_minimum=0.0, overall_maximum=1.0)
    counted = msgspec.structs.replace(evidence.primary, table=RatingsTable(frame))
    notes, contrasts = model_contrasts(msgspec.structs.replace(evidence, primary=counted), [name for name, _ in ranked])
    drafts: list[Draft] = []
    for each in contrasts:
        difference, *rest = contrast_cells(each)
        drafts.append(
            ((each.first, each.second), [msgspec.structs.replace(difference, unit="share_difference"), *rest])
        )
    notes = [note for note in notes if note.key != "comparisons.read"]  # It speaks of scores.
    if not drafts:
        return notes, []
    table = make_table("verdict_comparisons", ("first", "second"), ("difference", "p", "p_adjusted", "pairs"), drafts)
    return [Note("verdicts.compared", {"verdict": verdict}), *notes], [table]


def verdict_overview(evidence: ReportEvidence, sections: Sequence[ReportSection]) -> ReportSection:
    """Answer first: who gets the chief verdict most often; then how far that can be trusted."""
    every = {table.id: table for section in sections for table in section.tables}
    verdict = chief_verdict(evidence)
    ranked = _ranked(every.get("verdict_shares_target_model"), verdict)
    found = stand([(name, cell.value or 0.0) for name, cell in ranked], every.get("verdict_comparisons"))
    notes = [_headline(found, verdict, evidence)]
    if verdict:
        notes.append(Note("overview.basis_verdicts", {"verdict": verdict, "counts": basis_counts(evidence)}))
    return ReportSection("overview", tuple(notes), (trust_table(evidence, every), *disputed_verdicts(evidence)))


def ranked_verdicts(section: ReportSection, shares: Table | None) -> list[tuple[str, ReportCell]]:
    """Return the models of an overview of verdicts by their shares of the verdict it names, the largest first."""
    return _ranked(shares, str(section.notes[0].arguments.get("verdict", "")))


def _ranked(shares: Table | None, verdict: str) -> list[tuple[str, ReportCell]]:
    if shares is None or not verdict:
        return []
    place = next((place for place, column in enumerate(shares.columns) if column.name == verdict), None)
    if place is None:
        return []
    rows = [(row.names[0], row.cells[place]) for row in shares.rows if row.cells[place].value is not None]
    return sorted(rows, key=lambda row: -(row[1].value or 0.0))


def _headline(found: Standing, verdict: str, evidence: ReportEvidence) -> Note:
    if not verdict:
        return Note("overview.nothing", warning=True)
    if not found.models:
        given = list(evidence.primary.table.frame["verdict"].cast(str))
        share = 100 * given.count(verdict) / len(given)
        return Note("overview.verdict.unnamed", {"verdict": verdict, "share": share})
    arguments: Arguments = {"model": found.models[0], "verdict": verdict, "share": 100 * found.scores[0]}
    if len(found.models) == 1:
        return Note("overview.verdict.alone", arguments)
    told = [found.told_apart(0, place) for place in range(1, len(found.models))]
    if all(each is None for each in told):
        is_equal = abs(found.scores[0] - found.scores[1]) < EQUAL
        return Note("overview.verdict.equal" if is_equal else "overview.verdict.untested", arguments)
    beside = [place + 1 for place, each in enumerate(told) if not each]
    behind = [place + 1 for place, each in enumerate(told) if each]
    if not beside:
        return Note("overview.verdict.leads", arguments | {"behind": _shares(found, behind)})
    if len(beside) > NAMED:
        return Note("overview.verdict.many_tied", arguments | {"count": len(beside) + 1, "models": len(found.models)})
    arguments |= {"beside": _shares(found, [0, *beside]), "behind": _shares(found, behind)}
    return Note("overview.verdict.tied" if behind else "overview.verdict.all_tied", arguments)


def _shares(found: Standing, places: Sequence[int]) -> tuple[Term | str, ...]:
    named: list[Term | str] = [
        Term("text", "overview.verdict.share", {"model": found.models[place], "share": 100 * found.scores[place]})
        for place in places[: NAMED + 1]
    ]
    return tuple(named + more_names(len(places) - NAMED - 1))
