"""The dimension breakdown: the mean of each dimension for each target model, and how often it falls short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import estimate_cell, make_table, where
from venire.reports.report import Column, Note, Section
from venire.stats.drift import slice_metrics

if TYPE_CHECKING:
    from venire.reports.material import Material


def dimensions(material: Material) -> Section:
    """Give mean and failure rate by dimension and model."""
    names = material.dimensions
    if not names:
        key = "nothing.counts" if material.primary.table.frame.is_empty() else "dimensions.none"
        return Section("dimensions", (Note(key),))
    slices = slice_metrics(material.primary, ["target_model"], level=material.choices.level)
    columns = [Column(name, name) for name in names]
    means, failures = [], []
    for each in slices:
        model = each.where["target_model"]
        rows = {name: where(each.where, dimension=name) for name in names}
        mean_cells = [
            estimate_cell(each.dimension_means[name], rows[name], "score", material.scale(name)) for name in names
        ]
        failure_cells = [estimate_cell(each.failure_rates[name], rows[name], "share") for name in names]
        means.append(((model,), mean_cells))
        failures.append(((model,), failure_cells))
    return Section(
        "dimensions",
        (Note("dimensions.read"),),
        (
            make_table("dimension_means", ("target_model",), columns, means),
            make_table("dimension_failures", ("target_model",), columns, failures),
        ),
    )
