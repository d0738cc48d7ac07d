"""Compare two runs, two models or two variants, in pairs where samples match."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from venire.domain.label import Label
from venire.errors import PoolingError, UsageError
from venire.reports.evidence import ReportEvidence
from venire.reports.human_labels import labels_apart
from venire.reports.report import Choices
from venire.stats.comparison.change_attribution import ChangeAttribution, attribute_changes
from venire.stats.ratings.table import RatingsTable
from venire.stats.uncertainty.bayesian_mean import FEW
from venire.words.said import say
from venire.workflows.comparison.compared_scores import (
    common_judges,
    excluded_counts,
    matched_by,
    require_scores,
    run_keys,
    scored_samples,
    what_changed,
)
from venire.workflows.comparison.corrected_scores import LabelScores, corrected_scores, label_scores
from venire.workflows.comparison.result import ComparedScore, Comparison, compare_score, with_holm
from venire.workflows.evidence.from_source import read_evidence

if TYPE_CHECKING:
    import polars as pl


def compare_runs(
    first: str | Path,
    second: str | Path,
    choices: Choices,
    *,
    anchors: Collection[str] = (),
    labels: tuple[Label, ...] = (),
    sequential: bool = False,
) -> Comparison:
    """Compare two ledgers or tables, in pairs where samples match; the difference is second minus first.

    With anchors (the output_ids of frozen outputs that both runs judged), the change is split into the judge's part and
    the system's. Raises `PoolingError` if the protocol differs, or a judge does and there are no anchors.
    """
    before, after = (read_evidence(source, choices) for source in (first, second))
    told, untold = labels_apart(labels, before, after)
    before, after = before.with_labels(told), after.with_labels(told)
    for side, source in ((before, first), (after, second)):
        require_scores(side, str(source))
    changed = what_changed(after, before)
    judges = common_judges(before, after)
    _require_comparable(before, after, changed, anchors)
    frozen = frozenset(anchors)
    units = [{unit for unit, name in side.outputs.items() if name in frozen} for side in (before, after)]
    parts = [_without(side, anchored) for side, anchored in zip((before, after), units, strict=True)]
    notes: list[str] = [say("compare.instrument_changed", what=each) for each in changed]
    notes += _panel_note(before, after, judges)
    notes += [note for side, name in ((before, first), (after, second)) for note in _left_out(side, str(name))]
    notes += [say("compare.first_side", note=before.completeness.said())]
    notes += [say("compare.second_side", note=after.completeness.said())]
    attribution: tuple[ChangeAttribution, ...] = ()
    if frozen:
        both = units[0] & units[1]
        notes.append(say("compare.anchors", both=len(both), anchors=len(frozen)))
        anchored = RatingsTable(_rows_of((before, after), both))
        attribution = attribute_changes(parts[0].primary, parts[1].primary, anchored, level=choices.level)
    scores = _compared(parts[0], parts[1], judges, sequential=sequential)
    shared = [say("compare.labels_shared", count=untold)] if untold else []
    notes = [
        *shared,
        *_labels_note((before, after), scores),
        *_one_look_note(scores),
        *_bayesian_note(choices, scores),
        *notes,
    ]
    return Comparison(
        first=Path(str(first)).name,
        second=Path(str(second)).name,
        judges=judges,
        scores=scores,
        attribution=attribution,
        notes=tuple(notes),
    )


def compare_levels(
    source: str | Path,
    factor: str,
    first: str,
    second: str,
    choices: Choices,
    *,
    labels: tuple[Label, ...] = (),
    sequential: bool = False,
) -> Comparison:
    """Compare two levels of a factor (models or variants) on the same questions and all other factors."""
    material = read_evidence(source, choices).with_labels(labels)
    require_scores(material, str(source))
    known = material.levels(factor)
    for level in (first, second):
        if level not in known:
            without = level in material.table.frame[factor].cast(str)
            code = "error.compare.level_without_scores" if without else "error.compare.no_level"
            raise UsageError(code, factor=factor, level=level, known=tuple(known) or say("compare.none"))
    if first == second:
        raise UsageError("error.compare.same_level", factor=factor, level=first)
    key = matched_by(material, factor)
    rows = []
    for dimension in ("", *material.dimensions):
        one, two = (scored_samples(material, dimension, {factor: level}) for level in (first, second))
        row = compare_score(
            dimension or "overall", one, two, (key,) if key else (), choices.level, sequential=sequential,
            bayesian=choices.bayesian,
        )  # fmt: skip
        given = label_scores(material, dimension)
        rows.append(_with_correction(row, one, two, (given, given), choices.level))
    scores = with_holm(tuple(rows))
    return Comparison(
        first=first,
        second=second,
        judges=material.primary.raters,
        scores=scores,
        notes=(
            *_labels_note((material,), scores),
            *_one_look_note(scores),
            *_bayesian_note(choices, scores),
            *([] if sequential else _early_note(material)),
            *_left_out(material),
            material.completeness.said(),
        ),
    )


def _with_correction(
    row: ComparedScore, first: pl.DataFrame, second: pl.DataFrame, labels: tuple[LabelScores, LabelScores], level: float
) -> ComparedScore:
    return msgspec.structs.replace(row, corrected=corrected_scores(first, second, labels, level))


def _labels_note(sides: tuple[ReportEvidence, ...], scores: tuple[ComparedScore, ...]) -> list[str]:
    """Say that labels were given and none of them is about a compared output."""
    unused = any(side.labels for side in sides) and all(score.corrected is None for score in scores)
    return [say("compare.no_labels_match")] if unused else []


def _one_look_note(scores: tuple[ComparedScore, ...]) -> list[str]:
    """Say that the corrected interval is one of a single look, where looks are many."""
    both = any(score.corrected is not None and score.sequential is not None for score in scores)
    return [say("compare.corrected_one_look")] if both else []


def _early_note(material: ReportEvidence) -> list[str]:
    """Say that a usual interval does not hold where judging ended because the comparison was decided."""
    sides = material.stopped_when_decided
    return [say("compare.until_decided", first=sides[0], second=sides[1])] if sides else []


def _require_comparable(
    before: ReportEvidence, after: ReportEvidence, changed: tuple[str, ...], anchors: Collection[str]
) -> None:
    if before.protocol and after.protocol and before.protocol.digest != after.protocol.digest:
        first, second = (f"{each.id} {each.digest[:12]}" for each in (before.protocol, after.protocol))
        raise PoolingError("error.compare.protocols", first=first, second=second)
    if changed and not anchors:
        raise PoolingError("error.compare.judges_changed", changed=changed)


def _bayesian_note(choices: Choices, scores: tuple[ComparedScore, ...]) -> list[str]:
    """Say whether the interval of the overall difference is Bayesian, where that was asked for."""
    if not choices.bayesian:
        return []
    difference = scores[0].difference
    if not difference.pairs:
        return [say("compare.bayesian.no_pairs")]
    is_few = difference.test.difference.n.get("clusters", FEW) < FEW
    return [say("compare.bayesian.used" if is_few else "compare.bayesian.many", few=FEW)]


def _panel_note(before: ReportEvidence, after: ReportEvidence, judges: tuple[str, ...]) -> list[str]:
    everyone = dict.fromkeys([*before.primary.raters, *after.primary.raters])
    absent = [judge for judge in everyone if judge not in judges]
    return [say("compare.judges_left_out", judges=tuple(absent))] if absent else []


def _left_out(material: ReportEvidence, source: str = "") -> list[str]:
    """Say how overall scores were derived, and how many judgements of a table do not count."""
    notes = []
    if material.assumed_judge:
        notes.append(say("compare.assumed_judge", judge=material.assumed_judge))
    if material.derived_overall:
        notes.append(say("compare.derived", rule=material.derived_overall))
    if material.is_table and material.primary.excluded:
        notes.append(say("compare.left_out", reasons=excluded_counts(material)))
    return [say("compare.of_source", source=source, note=note) if source else note for note in notes]


def _without(material: ReportEvidence, units: set[str]) -> ReportEvidence:
    """Return material without some units among the ratings that count."""
    import polars as pl

    if not units:
        return material
    frame = material.primary.table.frame
    kept = RatingsTable(frame.filter(~pl.col("unit").cast(pl.String).is_in(list(units))))
    return msgspec.structs.replace(material, primary=msgspec.structs.replace(material.primary, table=kept))


def _rows_of(sides: tuple[ReportEvidence, ReportEvidence], units: set[str]) -> pl.DataFrame:
    import polars as pl

    inside = pl.col("unit").cast(pl.String).is_in(list(units))
    frames = [side.table.frame.filter(inside) for side in sides]
    # Two runs that share a ledger's history would bring the same judgement twice.
    return pl.concat(frames, how="diagonal").unique(["judgement", "dimension"], keep="first", maintain_order=True)


def _compared(
    before: ReportEvidence, after: ReportEvidence, judges: tuple[str, ...], *, sequential: bool
) -> tuple[ComparedScore, ...]:
    rows = []
    for dimension in ("", *(name for name in before.dimensions if name in after.dimensions)):
        old, new = (scored_samples(side, dimension, judges=judges) for side in (before, after))
        row = compare_score(
            dimension or "overall", old, new, run_keys(old, new), before.choices.level, sequential=sequential,
            bayesian=before.choices.bayesian,
        )  # fmt: skip
        given = (label_scores(before, dimension), label_scores(after, dimension))
        rows.append(_with_correction(row, old, new, given, before.choices.level))
    return with_holm(tuple(rows))
