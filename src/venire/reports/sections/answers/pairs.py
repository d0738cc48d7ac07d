"""The first screen of outputs compared in pairs: who leads, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.report import Note, ReportSection
from venire.reports.sections.answers.disputed import disputed_verdicts
from venire.reports.sections.overview import basis_counts
from venire.reports.sections.ranking import RankedPairs, who_leads
from venire.reports.sections.trust import trust_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.evidence import ReportEvidence


def pair_overview(evidence: ReportEvidence, found: RankedPairs, sections: Sequence[ReportSection]) -> ReportSection:
    """Answer first: who leads; then how far that can be trusted, and which pairs judges dispute most."""
    every = {table.id: table for section in sections for table in section.tables}
    notes = (who_leads(found.ranking), Note("overview.basis_pairs", {"counts": basis_counts(evidence)}))
    return ReportSection("overview", notes, (trust_table(evidence, every), *disputed_verdicts(evidence)))
