"""The leaderboard: each target model's panel score, and whether the differences can be told from chance."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from venire.domain.judgement import Status
from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, rank_cell, where, word_cell
from venire.reports.report import Arguments, Note, ReportCell, ReportSection, Rows, Table, Term
from venire.reports.sections.power import POWER, power_table
from venire.stats.comparison.rank_ranges import rank_scores, rank_told_apart
from venire.stats.drift.contrasts import paired_contrasts
from venire.stats.drift.slices import by_output, slice_metrics
from venire.stats.judges.z_scores import combined_z_scores
from venire.stats.ratings.grouping import cluster_codes, first_of_each, number_groups
from venire.stats.ratings.panel_scores import GroupScore, PanelScores, panel_scores
from venire.stats.result import Estimate
from venire.stats.uncertainty.bayesian_mean import FEW, with_prior
from venire.stats.uncertainty.clustered import clustered_mean
from venire.words.said import say

_NO_Z = Estimate.unknown(say("method.mean_z"), say("reason.no_different_scores"))

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venire.reports.evidence import ReportEvidence
    from venire.stats.comparison.rank_ranges import RankRange
    from venire.stats.drift.contrasts import Contrast
    from venire.stats.drift.slices import SliceMetrics

MOST_MODELS = 12
"""Up to so many models every two are compared, unless more is asked for."""


SIGNIFICANT = 0.05
"""Below which adjusted p value two models are told apart."""

"""Why models are not compared on the same questions."""


def leaderboard(evidence: ReportEvidence) -> ReportSection:
    """Rank target models by the panel's score on 0–10, with intervals clustered by question."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("leaderboard", (Note("nothing.counts", warning=True),))
    panel = panel_scores(evidence.primary, renormalise=True)
    notes = list(_notes(evidence, panel))
    if evidence.choices.bayesian:
        notes.append(Note("bayesian.read", {"few": FEW}))
    rows = [(names, list(cells)) for names, cells in _rows(evidence, panel)]
    means = columns_of(evidence).index("mean")
    compared, contrasts = model_contrasts(
        evidence, [names[0] for names, cells in rows if cells[means].value is not None]
    )
    ranked = [names[0] for names, cells in rows if cells[0].value is not None]
    ranks, reason = _ranks(panel, ranked, contrasts)
    for (model, *_), cells in rows:
        cells[1] = _rank(ranks.get(model), cells[0], reason)
    if ranks:
        key = "ranks.read" if _is_each_compared(ranked, contrasts) else "ranks.read_many"
        notes.append(Note(key, {"level": f"{100 * (1 - SIGNIFICANT):g}"}))
    board = make_table("leaderboard", ("target_model",), columns_of(evidence), rows)
    tables = [board]
    recovered = recovered_count(evidence)
    if recovered:
        notes.append(Note("recovered.both", {"count": recovered}))
        tables.append(_otherwise(evidence))
    notes += compared
    if contrasts:
        columns = ("difference", "p", "p_adjusted", "pairs")
        tables.append(make_table("comparisons", ("first", "second"), columns, map(_comparison, contrasts)))
        tables.append(power_table(contrasts, evidence.choices.level))
        notes.append(Note("power.read", {"power": POWER}))
    return ReportSection("leaderboard", tuple(notes), tuple(tables))


def columns_of(evidence: ReportEvidence) -> tuple[str, ...]:
    """Return the columns of the leaderboard; without a structure dimension there is no hard-break rate."""
    broken = () if evidence.structure_dimension is None else ("hard_break",)
    return ("score", "ranks", "grade", "z", "mean", *broken, "coverage", "samples", "judgements")


def recovered_count(evidence: ReportEvidence) -> int:
    """Return how many judgements have scores that were recovered."""
    frame = evidence.table.frame
    return frame.filter(frame["status"].cast(str) == Status.RECOVERED.value)["judgement"].n_unique()


def _otherwise(evidence: ReportEvidence) -> Table:
    """Give panel scores as they would be if recovered judgements were counted, or were not where they are."""
    choices = evidence.choices
    counted = not choices.count_recovered
    primary = evidence.table.primary(count_recovered=counted, include_self=choices.include_self)
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


def model_contrasts(evidence: ReportEvidence, models: Sequence[str]) -> tuple[list[Note], tuple[Contrast, ...]]:
    """Compare models on the same questions, variants and further factors, judge by judge, or by their means.

    The models come best first; of many, neighbours are compared, and each with the best.
    """
    if len(models) < 2:
        return [], ()
    match = ("question_id", "prompt_variant", *evidence.matched)
    if not any(evidence.levels(name) for name in match):
        match = ("unit",)  # Nothing says which outputs belong together, and no output is of two models.
    every = len(models) * (len(models) - 1) // 2
    few = len(models) <= MOST_MODELS or evidence.choices.all_pairs
    pairs = (
        None if few else list(dict.fromkeys([*itertools.pairwise(models), *((models[0], each) for each in models[1:])]))
    )
    contrasts = paired_contrasts(
        evidence.primary,
        "target_model",
        pairs=pairs,
        match=match,
        level=evidence.choices.level,
        scale=evidence.scale() if evidence.choices.bayesian else None,
    )
    unknown = sum(contrast.total_adjusted_p is None for contrast in contrasts)
    unpaired = sum(not contrast.paired for contrast in contrasts)
    notes = [Note("comparisons.read", {"count": every - unknown})] if unpaired < len(contrasts) else []
    notes += [Note("comparisons.means", {"count": unpaired})] if unpaired else []
    if pairs is not None:
        counts: Arguments = {"models": len(models), "count": len(pairs), "left": every - len(pairs), "best": models[0]}
        notes.append(Note("comparisons.many", counts))
    return notes, contrasts


def contrast_cells(contrast: Contrast) -> list[ReportCell]:
    """Return difference, p value, adjusted p value and the number of pairs of a contrast."""
    levels = {contrast.factor: (contrast.first, contrast.second)}
    rows, test = where(levels), contrast.total
    p_adjusted = number_cell(
        contrast.total_adjusted_p,
        rows,
        "p",
        method=say("method.with_holm", method=test.method),
        reason=_no_p(contrast.total_adjusted_p, test.reason),
    )
    is_one_question = contrast.paired and contrast.clustered_by == "output"
    difference = by_output(test.difference) if is_one_question else test.difference
    return [
        estimate_cell(difference, rows, "difference"),
        number_cell(test.p_value, rows, "p", method=test.method, reason=_no_p(test.p_value, test.reason)),
        p_adjusted,
        number_cell(
            test.n.get("values", 0), rows, "count", method=say("method.pairs_unmatched", count=contrast.unmatched)
        ),
    ]


def _origin(panel: PanelScores) -> Term:
    if panel.weights_from.startswith("equal"):
        return Term("text", "weights.equal")
    return Term("text", "weights.rescaled" if "rescaled" in panel.weights_from else "weights.panel")


def _no_p(value: float | None, reason: str) -> str:
    return "" if value is not None else reason or say("reason.no_p_value")


def _comparison(contrast: Contrast) -> Draft:
    return (contrast.first, contrast.second), contrast_cells(contrast)


def _notes(evidence: ReportEvidence, panel: PanelScores) -> Iterator[Note]:
    weights = tuple(f"{judge} {weight:.3g}" for judge, weight in panel.weights.items())
    yield Note("weights", {"weights": weights, "origin": _origin(panel)})
    yield Note("z.read")
    for kind, count in evidence.without.items():
        yield Note("materials.not_given", {"count": count, "kind": Term("text", f"material.{kind}")})
    if evidence.rescaled:
        yield Note("scales.mixed")
    if panel.incomplete:
        yield Note("panel.incomplete", {"count": panel.incomplete}, warning=True)
    if panel.without_scale:
        yield Note("panel.without_scale", {"count": panel.without_scale}, warning=True)


def _rows(evidence: ReportEvidence, panel: PanelScores) -> Iterator[Draft]:
    level, structure = evidence.choices.level, evidence.structure_dimension
    metrics = slice_metrics(
        evidence.primary, ["target_model"], structure_dimension=structure, by_dimension=False, level=level
    )
    slices = {each.where["target_model"]: each for each in metrics}
    scored = panel.mean_by("target_model", level=level, bayesian=evidence.choices.bayesian)
    groups = {group.where["target_model"]: group for group in scored}
    # Models whose scale is not known have a mean, and no panel score: they come behind the others, by their means.
    rest = sorted(
        (name for name in slices if name not in groups), key=lambda name: -(slices[name].mean_total.value or 0)
    )
    z_means = _mean_z(evidence, panel)
    for model in [*groups, *rest]:
        yield (model,), _cells(evidence, panel, groups.get(model), slices[model], z_means.get(model, _NO_Z))
    for model in evidence.without_scores("target_model"):
        rows = where({"target_model": model}, among="recorded")
        nothing = [number_cell(None, rows, "score", reason=say("reason.nothing_counts")) for _ in columns_of(evidence)]
        yield (model,), [*nothing[:-2], number_cell(0, rows), number_cell(0, where({"target_model": model}))]


def _cells(
    evidence: ReportEvidence, panel: PanelScores, group: GroupScore | None, metrics: SliceMetrics, z_mean: Estimate
) -> list[ReportCell]:
    rows = where(metrics.where)
    reason = "" if group else say("reason.no_overall") if metrics.mean_total.value is None else say("reason.no_scale")
    score = (
        estimate_cell(group.score, rows, "score", (0.0, 10.0))
        if group
        else number_cell(None, rows, "score", reason=reason)
    )
    mean = _mean_with_prior(evidence, metrics) if evidence.choices.bayesian else metrics.mean_total
    broken = [] if evidence.structure_dimension is None else [estimate_cell(metrics.hard_break_rate, rows, "share")]
    coverage = say("method.weight_present")
    return [
        score,
        rank_cell(None, None, rows, reason=reason),
        word_cell(f"grade.{group.grade.id}" if group and group.grade else "", rows, reason=reason),
        estimate_cell(z_mean, rows, "difference"),
        estimate_cell(mean, rows, "score", evidence.scale()),
        *broken,
        number_cell(_coverage(panel, group), rows, "share", method=coverage, reason=reason),
        number_cell(metrics.samples, rows),
        number_cell(metrics.judgements, rows),
    ]


def _mean_with_prior(evidence: ReportEvidence, metrics: SliceMetrics) -> Estimate:
    """Return the mean total of a model with the Bayesian interval, if its questions are few and the scale is known."""
    frame = msgspec.structs.replace(evidence.primary, table=evidence.primary.table.only(where=metrics.where)).scores()
    by = cluster_codes(frame) if metrics.clustered_by == "question" else number_groups(frame, ["unit"])[1]
    level = evidence.choices.level
    return with_prior(metrics.mean_total, frame["score"].to_numpy(), by, evidence.scale(), level=level)


def _ranks(
    panel: PanelScores, models: Sequence[str], contrasts: Sequence[Contrast]
) -> tuple[dict[str, RankRange], str]:
    """Return which places each model may have; nothing, and why, where models were not compared.

    Where every two were compared, ranges follow from these comparisons, so that ranks and sentences agree. Of many
    models only some were: then ranges rest on the differences of all panel scores at once.
    """
    if len(models) < 2:
        return {}, say("reason.one_model")
    known = [each for each in contrasts if each.total_adjusted_p is not None]
    if _is_each_compared(models, contrasts) and known:
        return rank_told_apart(models, [_better_first(each) for each in known if _tells_apart(each)]), ""
    if known and len(known) == len(contrasts):
        frame = panel.frame
        names = frame["target_model"].cast(str).to_numpy()
        return rank_scores(frame["score"].to_numpy(), names, cluster_codes(frame), level=1 - SIGNIFICANT), ""
    return {}, say("reason.models_not_compared")


def _is_each_compared(models: Sequence[str], contrasts: Sequence[Contrast]) -> bool:
    pairs = {frozenset((each.first, each.second)) for each in contrasts}
    return all(frozenset(pair) in pairs for pair in itertools.combinations(models, 2))


def _tells_apart(contrast: Contrast) -> bool:
    return contrast.total_adjusted_p is not None and contrast.total_adjusted_p < SIGNIFICANT


def _better_first(contrast: Contrast) -> tuple[str, str]:
    is_higher = (contrast.total.difference.value or 0.0) > 0
    return (contrast.first, contrast.second) if is_higher else (contrast.second, contrast.first)


def _rank(found: RankRange | None, score: ReportCell, reason: str) -> ReportCell:
    """Return the places that a model may have; one without a panel score has none, for the same reason."""
    if found is None:
        return rank_cell(None, None, score.rows, reason=reason if score.value is not None else score.reason)
    return rank_cell(found.best, found.worst, score.rows, method=found.method, reason=found.reason)


def _mean_z(evidence: ReportEvidence, panel: PanelScores) -> dict[str, Estimate]:
    """Return how far each model's outputs lie from each judge's own mean, on average and by the panel's weights."""
    import polars as pl

    models = first_of_each(evidence.primary.table.frame, ["unit"])
    frame = combined_z_scores(evidence.primary, panel.weights).join(
        models, on="unit", how="left", maintain_order="left"
    )
    clusters = cluster_codes(frame)
    found = {}
    for model in frame["target_model"].unique(maintain_order=True).cast(str):
        rows = frame["target_model"].cast(pl.String) == model
        found[model] = clustered_mean(
            frame.filter(rows)["z"].to_numpy(), clusters[rows.to_numpy()], level=evidence.choices.level
        )
    return found


def _coverage(panel: PanelScores, group: GroupScore | None) -> float | None:
    import polars as pl

    if group is None:
        return None
    frame = panel.frame.filter(pl.col("target_model").cast(pl.String) == group.where["target_model"])
    mean = frame["coverage"].mean()
    return float(mean) if isinstance(mean, (int, float)) else None
