"""The outputs, or pairs of them, whose verdict judges dispute most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from venire.reports.cells import Draft, make_table, number_cell, where
from venire.reports.report import Column, Table
from venire.reports.sections.overview import DISPUTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence


def disputed_verdicts(evidence: ReportEvidence) -> Iterator[Table]:
    """List what got the most different verdicts, with how often each was given; a pair counts in either order."""
    if len(evidence.primary.raters) < 2:
        return
    counts: dict[str, dict[str, int]] = {}
    units: dict[str, set[str]] = {}
    for unit, verdict in evidence.primary.table.frame.select(pl.col("unit", "verdict").cast(pl.String)).iter_rows():
        if verdict:
            key = evidence.outputs.get(unit, unit) if evidence.pairs else unit
            given = counts.setdefault(key, {})
            given[verdict] = given.get(verdict, 0) + 1
            units.setdefault(key, set()).add(unit)
    apart = {key: 1 - max(given.values()) / sum(given.values()) for key, given in counts.items()}
    worst = sorted((key for key in counts if apart[key] > 0), key=lambda key: -apart[key])[:DISPUTED]
    names = list(evidence.levels("verdict"))
    if evidence.pairs:  # Sixty models that may have won would be sixty columns.
        names = sorted({verdict for key in worst for verdict in counts[key]})
    drafts: list[Draft] = [
        (
            (evidence.outputs.get(key, key),),
            [
                number_cell(counts[key].get(name, 0), where({"unit": sorted(units[key]), "verdict": name}))
                for name in names
            ],
        )
        for key in worst
    ]
    if drafts:
        yield make_table("disputed_verdicts", ("output_id",), [Column(name, name) for name in names], drafts)
