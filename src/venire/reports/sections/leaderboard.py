"""The leaderboard: each target model's panel score, and whether the differences can be told from chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.domain.judgement import Status
from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where, word_cell
from venire.reports.report import Cell, Note, Rows, Section, Table, Term
from venire.reports.sections.power import POWER, power_table
from venire.stats.drift import slice_metrics
from venire.stats.drift_contrasts import paired_contrasts
from venire.stats.panel_scores import GroupScore, PanelScores, panel_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.material import Material
    from venire.stats.drift_contrasts import Contrast

COLUMNS = ("score", "grade", "mean", "hard_break", "coverage", "samples", "judgements")
"""The columns of the leaderboard."""


def leaderboard(material: Material) -> Section:
    """Rank target models by the panel's score on 0–10, with intervals clustered by question."""
    if material.primary.table.frame.is_empty():
        return Section("leaderboard", (Note("nothing.counts", warning=True),))
    panel = panel_scores(material.primary, renormalise=True)
    notes = list(_notes(material, panel))
    tables = [make_table("leaderboard", ("target_model",), COLUMNS, _rows(material, panel))]
    recovered = recovered_count(material)
    if recovered:
        notes.append(Note("recovered.both", {"count": recovered}))
        tables.append(_otherwise(material))
    contrasts = _model_contrasts(material)
    if contrasts:
        columns = ("difference", "p", "p_adjusted", "pairs")
        tables.append(make_table("comparisons", ("first", "second"), columns, map(_comparison, contrasts)))
        notes.append(Note("comparisons.read"))
        tables.append(power_table(contrasts, material.choices.level))
        notes.append(Note("power.read", {"power": f"{POWER:.0%}".replace("%", " %")}))
    return Section("leaderboard", tuple(notes), tuple(tables))


def recovered_count(material: Material) -> int:
    """Return how many judgements have scores that were recovered."""
    frame = material.table.frame
    return frame.filter(frame["status"].cast(str) == Status.RECOVERED.value)["judgement"].n_unique()


def _otherwise(material: Material) -> Table:
    """Give panel scores as they would be if recovered judgements were counted, or were not where they are."""
    choices = material.choices
    counted = not choices.count_recovered
    primary = material.table.primary(count_recovered=counted, include_self=choices.include_self)
    panel = panel_scores(primary, renormalise=True)
    drafts: list[Draft] = []
    for group in panel.mean_by("target_model", level=choices.level):
        frame = primary.table.only(where=group.where).frame
        numbers = tuple(frame["sequence"].drop_nulls().unique(maintain_order=True))
        statuses = ("valid", "recovered") if counted else ("valid",)
        rows = where(group.where, {"status": statuses}, among="recorded")
        rows = Rows(among="recorded", where=rows.where, sequences=numbers or None)
        cells = [
            estimate_cell(group.score, rows, "score", (0.0, 10.0)),
            word_cell(f"grade.{group.grade.id}" if group.grade else "", rows),
            number_cell(frame["judgement"].n_unique(), rows),
        ]
        drafts.append(((group.where["target_model"],), cells))
    name = "leaderboard_counted" if counted else "leaderboard_left_out"
    return make_table(name, ("target_model",), ("score", "grade", "judgements"), drafts)


def _model_contrasts(material: Material) -> tuple[Contrast, ...]:
    """Compare every two models on the same questions, variants and further factors, judge by judge."""
    if len(material.levels("target_model")) < 2 or len(material.levels("target_model")) > 12:
        return ()
    match = ("question_id", "prompt_variant", *material.matched)
    if not any(material.levels(name) for name in match):
        return ()
    return paired_contrasts(material.primary, "target_model", match=match, level=material.choices.level)


def contrast_cells(contrast: Contrast) -> list[Cell]:
    """Return difference, p value, adjusted p value and the number of pairs of a contrast."""
    levels = {contrast.factor: (contrast.first, contrast.second)}
    rows, test = where(levels), contrast.total
    p_adjusted = number_cell(
        contrast.total_adjusted_p,
        rows,
        "p",
        method=f"{test.method}; Holm",
        reason=_no_p(contrast.total_adjusted_p, test.reason),
    )
    return [
        estimate_cell(test.difference, rows, "difference"),
        number_cell(test.p_value, rows, "p", method=test.method, reason=_no_p(test.p_value, test.reason)),
        p_adjusted,
        number_cell(test.n.get("values"), rows, "count", method=f"pairs; {contrast.unmatched} unmatched"),
    ]


def _origin(panel: PanelScores) -> Term:
    if panel.weights_from.startswith("equal"):
        return Term("text", "weights.equal")
    return Term("text", "weights.rescaled" if "rescaled" in panel.weights_from else "weights.panel")


def _no_p(value: float | None, reason: str) -> str:
    return "" if value is not None else reason or "no p value"


def _comparison(contrast: Contrast) -> Draft:
    return (contrast.first, contrast.second), contrast_cells(contrast)


def _notes(material: Material, panel: PanelScores) -> Iterator[Note]:
    weights = ", ".join(f"{judge} {weight:.3g}" for judge, weight in panel.weights.items())
    yield Note("weights", {"weights": weights, "origin": _origin(panel)})
    if material.rescaled:
        yield Note("scales.mixed")
    if panel.incomplete:
        yield Note("panel.incomplete", {"count": panel.incomplete}, warning=True)
    if panel.without_scale:
        yield Note("panel.without_scale", {"count": panel.without_scale}, warning=True)


def _rows(material: Material, panel: PanelScores) -> Iterator[Draft]:
    level = material.choices.level
    slices = {
        each.where["target_model"]: each
        for each in slice_metrics(
            material.primary, ["target_model"], structure_dimension=material.structure_dimension, level=level
        )
    }
    groups = {group.where["target_model"]: group for group in panel.mean_by("target_model", level=level)}
    # Models whose scale is not known have a mean, and no panel score: they come last.
    for model in [*groups, *(name for name in slices if name not in groups)]:
        rows = where({"target_model": model})
        group, metrics = groups.get(model), slices[model]
        no_scale = "the scale is not known"
        yield (
            (model,),
            [
                estimate_cell(group.score, rows, "score", (0.0, 10.0))
                if group
                else number_cell(None, rows, "score", reason=no_scale),
                word_cell(
                    f"grade.{group.grade.id}" if group and group.grade else "", rows, reason="" if group else no_scale
                ),
                estimate_cell(metrics.mean_total, rows, "score", material.scale()),
                estimate_cell(metrics.hard_break_rate, rows, "share"),
                number_cell(_coverage(panel, group), rows, "share", method="mean share of the panel's weight present"),
                number_cell(metrics.samples, rows),
                number_cell(metrics.judgements, rows),
            ],
        )


def _coverage(panel: PanelScores, group: GroupScore | None) -> float | None:
    import polars as pl

    if group is None:
        return None
    frame = panel.frame.filter(pl.col("target_model").cast(pl.String) == group.where["target_model"])
    mean = frame["coverage"].mean()
    return float(mean) if isinstance(mean, (int, float)) else None
