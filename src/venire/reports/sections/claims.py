"""Claims: which share of them rests on the documents, and those that do not, contradicted ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import NOTHING, Draft, estimate_cell, make_table, number_cell, text_cell, where, word_cell
from venire.reports.report import Note, ReportSection, Rows
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.uncertainty.clustered_share import clustered_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.claims_read import ClaimsRead, ListedClaim
    from venire.reports.report import Table
    from venire.stats.observations import FloatArray, IntArray

LISTED = 200
"""How many claims are listed with both sides at most."""


def claims(evidence: ReportEvidence, read: ClaimsRead) -> ReportSection:
    """Show the shares of claims by finding, for each model and judge, and the claims that are not supported."""
    import polars as pl

    frame = evidence.primary.table.frame.unique("judgement", maintain_order=True)
    frame = frame.filter(pl.col("judgement").is_in(list(read.counts)))
    if frame.is_empty():
        return ReportSection("claims", (Note("nothing.counts"),))
    counts = np.array([read.counts[key] for key in frame["judgement"]], dtype=np.int64).reshape(-1, 3)
    tables = list(_shares(evidence, frame, counts, "target_model"))
    if len(evidence.primary.raters) > 1:
        tables += _shares(evidence, frame, counts, "rater")
    notes = [Note("claims.read")]
    empty = sum(not any(found) for found in read.counts.values())
    if empty:
        notes.append(Note("claims.none_in", {"count": empty}))
    counted = set(frame["judgement"])
    listed = [each for each in (*read.contradicted, *read.absent) if each.judgement in counted]
    total = int(counts[:, 1:].sum())
    shown = min(len(listed), LISTED)
    if shown < total:
        notes.append(Note("claims.not_listed", {"shown": shown, "total": total}))
    if listed:
        tables.append(_list(listed[:LISTED]))
    return ReportSection("claims", tuple(notes), tuple(tables))


def _shares(evidence: ReportEvidence, frame: pl.DataFrame, counts: IntArray, factor: str) -> Iterator[Table]:
    """Give the share of each finding among all claims of a model or judge, clustered by question."""
    levels, owner = evidence.levels(factor), frame[factor].cast(str).to_numpy()
    codes = cluster_codes(frame)
    drafts: list[Draft] = []
    for level in levels:
        mine = owner == level
        rows = where({factor: level})
        cells = [
            estimate_cell(clustered_share(*_trials(counts[mine], place, codes[mine]), level=evidence.choices.level),
                          rows, "share")
            for place in range(3)
        ]  # fmt: skip
        numbers = (int(counts[mine].sum()), int(mine.sum()))
        drafts.append(((level,), [*cells, *(number_cell(number, rows) for number in numbers)]))
    if drafts:
        columns = ("supported", "contradicted", "absent", "claims", "judgements")
        yield make_table(f"claims_{factor}", (factor,), columns, drafts)


def _trials(counts: IntArray, place: int, codes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return for every claim whether it has a finding, and the cluster of its output."""
    each = np.stack([counts[:, place], counts.sum(axis=1) - counts[:, place]], axis=1).ravel()
    hits = np.tile(np.array([1.0, 0.0]), len(counts))
    return np.repeat(hits, each), np.repeat(np.repeat(codes, 2), each)


def _list(listed: list[ListedClaim]) -> Table:
    columns = ("finding", "claim", "document", "passage", "differs")
    shown = columns if any(each.reason for each in listed) else columns[:-1]
    return make_table("claims_not_supported", ("output", "rater"), shown, [_draft(each, len(shown)) for each in listed])


def _draft(claim: ListedClaim, columns: int) -> Draft:
    rows = Rows() if claim.sequence is None else Rows(sequences=(claim.sequence,))
    sides = (claim.words, claim.source, claim.passage, claim.reason)
    cells = [word_cell(f"claim.{claim.finding.value}", rows), *(text_cell(side or NOTHING, rows) for side in sides)]
    return (claim.output_id, claim.judge), cells[:columns]
