"""The dimension breakdown: the mean of each dimension for each target model, and how often it falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import estimate_cell, make_table, number_cell, where
from venire.reports.report import Column, Note, ReportSection
from venire.stats.drift.slices import slice_metrics
from venire.stats.ratings.rubric_mapping import map_ratings
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.domain.protocol import RubricMapping
    from venire.reports.cells import Draft
    from venire.reports.evidence import ReportEvidence
    from venire.reports.report import Table

_VERDICTS = ("PASS", "PARTIAL", "FAIL")


def dimensions(evidence: ReportEvidence) -> ReportSection:
    """Give mean and failure rate by dimension and model."""
    names = evidence.dimensions
    if not names:
        key = "nothing.counts" if evidence.primary.table.frame.is_empty() else "dimensions.none"
        return ReportSection("dimensions", (Note(key),))
    slices = slice_metrics(evidence.primary, ["target_model"], level=evidence.choices.level)
    columns = [Column(name, name) for name in names]
    means, failures = [], []
    for each in slices:
        model = each.where["target_model"]
        rows = {name: where(each.where, dimension=name) for name in names}
        mean_cells = [
            estimate_cell(each.dimension_means[name], rows[name], "score", evidence.scale(name)) for name in names
        ]
        failure_cells = [estimate_cell(each.failure_rates[name], rows[name], "share") for name in names]
        means.append(((model,), mean_cells))
        failures.append(((model,), failure_cells))
    notes = [Note("dimensions.read")]
    tables = [
        make_table("dimension_means", ("target_model",), columns, means),
        make_table("dimension_failures", ("target_model",), columns, failures),
    ]
    mapping = evidence.protocol.mapping if evidence.protocol else None
    if mapping:
        notes.append(Note("dimensions.mapped", {"onto": f"{mapping.onto.id} {mapping.onto.digest[:12]}"}))
        notes.append(Note(f"dimensions.mapped.{mapping.rule}"))
        tables.append(_mapped(evidence, mapping))
    return ReportSection("dimensions", tuple(notes), tuple(tables))


def _mapped(evidence: ReportEvidence, mapping: RubricMapping) -> Table:
    """Give the means and the verdicts that the protocol's mapping makes of the scores."""
    verdicts = _VERDICTS if mapping.onto.verdict else ()
    columns = [
        *(Column(name, name) for name in mapping.onto.dimension_ids),
        Column("mean"),
        *(Column(each, each) for each in verdicts),
    ]
    return make_table("dimension_mapping", ("target_model",), columns, _mapped_rows(evidence, mapping, verdicts))


def _mapped_rows(evidence: ReportEvidence, mapping: RubricMapping, verdicts: tuple[str, ...]) -> Iterator[Draft]:
    onto, ratings = mapping.onto, map_ratings(evidence.primary, mapping)
    scale = (onto.minimum, onto.maximum)
    total = (onto.minimum * len(onto.dimension_ids), onto.maximum * len(onto.dimension_ids))
    reached = ratings.scores()
    for each in slice_metrics(ratings, ["target_model"], level=evidence.choices.level):
        rows = where(each.where)
        cells = [estimate_cell(each.dimension_means[name], rows, "score", scale) for name in onto.dimension_ids]
        cells.append(estimate_cell(each.mean_total, rows, "score", total))
        own = reached.filter(reached["target_model"].cast(str) == each.where["target_model"])["verdict"].to_list()
        method = say("method.mapped_share")
        for verdict in verdicts:
            share = own.count(verdict) / len(own) if own else None
            cells.append(number_cell(share, rows, "share", method=method, n=len(own)))
        yield (each.where["target_model"],), cells
