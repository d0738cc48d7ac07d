"""The first screen of outputs compared in pairs: who leads, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from venire.reports.cells import Draft, make_table, number_cell, where
from venire.reports.report import Column, Note, ReportSection, Table, Term
from venire.reports.sections.overview import DISPUTED
from venire.reports.sections.ranking import RankedPairs, who_leads
from venire.reports.sections.trust import trust_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venire.reports.evidence import ReportEvidence


def pair_overview(evidence: ReportEvidence, found: RankedPairs, sections: Sequence[ReportSection]) -> ReportSection:
    """Answer first: who leads; then how far that can be trusted, and which pairs judges dispute most."""
    every = {table.id: table for section in sections for table in section.tables}
    names = [pair.pair or f"{pair.question} {sorted((pair.first, pair.second))}" for pair in evidence.pairs]
    counts = {
        "pairs": len({*names}),
        "questions": len({pair.question for pair in evidence.pairs if pair.question}),
        "variants": len(evidence.levels("prompt_variant")),
        "judges": len(evidence.primary.raters),
    }
    told = tuple(Term("text", f"overview.basis.{name}", {"count": count}) for name, count in counts.items() if count)
    notes = (who_leads(found.ranking), Note("overview.basis_pairs", {"counts": told}))
    return ReportSection("overview", notes, (trust_table(evidence, every), *_disputed(evidence)))


def _disputed(evidence: ReportEvidence) -> Iterator[Table]:
    """List the pairs whose winner judges dispute most, with how often each was named, in either order."""
    counts: dict[str, dict[str, int]] = {}
    units: dict[str, list[str]] = {}
    frame = evidence.primary.table.frame.select(pl.col("unit", "verdict").cast(pl.String))
    for unit, verdict in frame.iter_rows() if len(evidence.primary.raters) > 1 else ():
        if verdict:
            name = evidence.outputs.get(unit, unit)
            given = counts.setdefault(name, {})
            given[verdict] = given.get(verdict, 0) + 1
            units.setdefault(name, []).append(unit)
    apart = {name: 1 - max(given.values()) / sum(given.values()) for name, given in counts.items()}
    worst = sorted((name for name in counts if apart[name] > 0), key=lambda name: -apart[name])[:DISPUTED]
    winners = sorted({verdict for name in worst for verdict in counts[name]})
    drafts: list[Draft] = [
        (
            (name,),
            [
                number_cell(counts[name].get(each, 0), where({"unit": sorted({*units[name]}), "verdict": each}))
                for each in winners
            ],
        )
        for name in worst
    ]
    if drafts:
        yield make_table("disputed_verdicts", ("output_id",), [Column(each, each) for each in winners], drafts)
