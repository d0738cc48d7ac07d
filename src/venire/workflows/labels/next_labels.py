"""Draw the outputs to be labelled next, with probabilities that the ledger keeps and the correction uses."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from venire.domain.label import DrawKind, LabelDraw
from venire.errors import UsageError
from venire.ledger.entry import Kind
from venire.ledger.labels import KINDS, LedgerLabels, draw_draft
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_of
from venire.reports.evidence import ReportEvidence
from venire.reports.human_labels import units_by_name
from venire.reports.report import Choices
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.panel_scores import combine, panel_weights
from venire.stats.uncertainty.label_draw import draw_outputs, judges_doubt, label_chances
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.ledgers import opened_ledger, require_ledger

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray, IntArray

FAR_ABOVE = 1.25
"""From how many times the mean on a judges' doubt, or a model's weight, is the reason to draw an output."""


class Reason(StrEnum):
    """Why an output is to be labelled."""

    DISPUTED = "disputed"
    """Its judges part more than usual."""
    UNCERTAIN = "uncertain"
    """The judges part on its question more than usual."""
    INFLUENTIAL = "influential"
    """Its model has fewer outputs than others, so that each counts more."""
    DRAWN = "drawn"
    """By chance: some are drawn where judges agree, since they may be wrong together."""


class OutputToLabel(msgspec.Struct, frozen=True, kw_only=True):
    """One output to be labelled."""

    output_id: str
    """The name under which its label finds it."""
    unit: str
    """Its digest."""
    target_model: str
    """The model that wrote it."""
    question_id: str
    """The question that it answers."""
    score: float | None
    """The panel's score."""
    spread: float | None
    """The standard deviation of its judges; None with fewer than two."""
    probability: float
    """How likely it was to be drawn, by the draw that drew it."""
    reason: Reason
    """Why it is to be labelled."""


class LabelsNext(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs to be labelled next."""

    outputs: tuple[OutputToLabel, ...]
    """The outputs, in the order in which they are to be labelled."""
    fresh: int
    """How many were drawn now; the others wait since an earlier draw."""
    labelled: int
    """How many outputs have labels by people already."""
    judged: int
    """How many outputs there are."""
    before: int
    """How many outputs were labelled before the first draw; they are taken as drawn at random."""
    left_out: int
    """How many labels are on outputs that nobody drew, once others were drawn; corrections leave them out."""


class _JudgedOutputs(NamedTuple):
    """The outputs that judges scored."""

    units: list[str]
    names: list[str]
    models: list[str]
    question_ids: list[str]
    questions: IntArray
    panel: FloatArray
    spread: FloatArray
    doubt: FloatArray
    weight: FloatArray


def labels_next(
    location: str, count: int, *, kind: DrawKind = DrawKind.SOUGHT, seed: int = 0, models: tuple[str, ...] = (),
    protocol: str = "",
) -> LabelsNext:  # fmt: skip
    """Return `count` outputs to label: those that wait since earlier draws, and as many new ones as are missing.

    New ones are drawn and the draw is recorded. `models` are those whose difference is the answer sought. Raises
    `UsageError` if there are not so many outputs without a label.
    """
    require_ledger(location)
    with opened_ledger(location) as ledger:
        evidence, _ = read_ledger(ledger, Choices(protocol=protocol), Path(location).name)
        if evidence.protocol is None or not evidence.primary.table.judgement_count:
            raise UsageError("error.labels.no_protocol", where=location)
        judged = _read_judged(evidence, models, kind)
        held = LedgerLabels(evidence.protocol.digest)
        for entry in ledger.read(kinds=KINDS):
            held.take(entry)
        drawn = {unit for draw in held.draws for unit in draw.drawn}
        waiting = [unit for draw in held.draws for unit in draw.drawn if unit not in held.labelled]
        waiting = [unit for unit in waiting if unit in set(judged.units)][:count]
        before = len(held.labelled_before & {*judged.units})
        draws = held.draws
        if len(waiting) < count:
            taken = drawn | held.labelled
            draw = _draw(judged, taken, count - len(waiting), kind, seed + len(draws), evidence.protocol.digest)
            if not draws:
                draw = msgspec.structs.replace(draw, before=before / len(judged.units))
            ledger.append([draw_draft(draw)])
            draws = (*draws, draw)
            waiting += draw.drawn
        fresh = len(draws[-1].drawn) if len(draws) > len(held.draws) else 0
        places = {unit: place for place, unit in enumerate(judged.units)}
        chances = {unit: draw.chances[unit] for draw in reversed(draws) for unit in draw.drawn}
        return LabelsNext(
            outputs=tuple(_output(judged, places[unit], chances[unit], kind) for unit in waiting),
            fresh=fresh, labelled=len(held.labelled), judged=len(judged.units), before=before,
            left_out=held.read()[1],
        )  # fmt: skip


def texts_of(location: str, units: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Return the task and the text of outputs, by their digests."""
    with opened_ledger(location, read_only=True) as ledger:
        return dict(_texts(ledger, units))


def _texts(ledger: Ledger, units: frozenset[str]) -> dict[str, tuple[str, str]]:
    found = {}
    for entry in ledger.read(kinds=[Kind.SAMPLE]):
        subject = subject_of(entry, ledger)
        for sample in subject.samples:
            key = entry.key if sample is subject else sample.digest
            if key in units:
                found[key] = (sample.task, sample.text)
    return found


def _read_judged(evidence: ReportEvidence, models: tuple[str, ...], kind: DrawKind) -> _JudgedOutputs:
    frame = evidence.primary.table.frame.unique("unit", keep="first", maintain_order=True)
    matrix = evidence.primary.matrix()
    units = [str(unit) for unit in matrix.units or ()]
    if not units or np.isnan(matrix.scores).all():
        raise UsageError("error.labels.no_scores")
    owner = dict(zip(frame["unit"].cast(str), frame["target_model"].cast(str), strict=True))
    asked = dict(zip(frame["unit"].cast(str), frame["question_id"].cast(str).fill_null(""), strict=True))
    codes = dict(zip(frame["unit"].cast(str), cluster_codes(frame).tolist(), strict=True))
    known = tuple(dict.fromkeys(owner[unit] for unit in units))
    for model in models:
        if model not in known:
            raise UsageError("error.compare.no_level", factor="target_model", level=model, known=known)
    kept = np.array([not models or owner[unit] in models for unit in units])
    named = units_by_name(evidence)
    names = {
        unit: evidence.outputs[unit]
        if len(named[evidence.outputs[unit]]) == 1
        else f"{owner[unit]}/{evidence.outputs[unit]}"
        for unit in units
    }
    units = [unit for unit, own in zip(units, kept, strict=True) if own]
    weights, _ = panel_weights(evidence.primary, None, renormalise=True)
    scores = matrix.scores[kept]
    panel, _ = combine(scores, np.array([weights.get(judge, 0.0) for judge in matrix.raters]))
    questions = np.array([codes[unit] for unit in units], dtype=np.intp)
    sizes = {model: sum(owner[unit] == model for unit in units) for model in known}
    weight = np.array([len(units) / len(sizes) / sizes[owner[unit]] for unit in units])
    doubt = judges_doubt(scores, questions)
    spread = np.array([float(np.nanstd(row, ddof=1)) if (~np.isnan(row)).sum() > 1 else np.nan for row in scores])
    if kind is DrawKind.RANDOM:
        doubt, weight = np.ones(len(units)), np.ones(len(units))
    return _JudgedOutputs(
        units, [names[unit] for unit in units], [owner[unit] for unit in units], [asked[unit] or "" for unit in units],
        questions, panel, spread, doubt, weight,
    )  # fmt: skip


def _draw(judged: _JudgedOutputs, taken: set[str], count: int, kind: DrawKind, seed: int, protocol: str) -> LabelDraw:
    is_open = np.array([unit not in taken for unit in judged.units])
    chances = label_chances(judged.doubt * judged.weight, is_open, count)
    generator = np.random.default_rng(seed)
    together = judged.questions if kind is DrawKind.SOUGHT else np.arange(len(judged.units))
    places = draw_outputs(chances, together, is_open, count, generator)
    return LabelDraw(
        kind=kind, protocol=protocol, seed=seed, drawn=tuple(judged.units[place] for place in places.tolist()),
        chances=dict(zip(judged.units, chances.tolist(), strict=True)),
    )  # fmt: skip


def _output(judged: _JudgedOutputs, place: int, chance: float, kind: DrawKind) -> OutputToLabel:
    score, spread = float(judged.panel[place]), float(judged.spread[place])
    return OutputToLabel(
        output_id=judged.names[place], unit=judged.units[place], target_model=judged.models[place],
        question_id=judged.question_ids[place], score=None if np.isnan(score) else score,
        spread=None if np.isnan(spread) else spread, probability=chance, reason=_reason(judged, place, kind),
    )  # fmt: skip


def _reason(judged: _JudgedOutputs, place: int, kind: DrawKind) -> Reason:
    if kind is DrawKind.RANDOM:
        return Reason.DRAWN
    usual = float(np.nanmean(judged.spread)) if not np.isnan(judged.spread).all() else np.inf
    if judged.spread[place] >= FAR_ABOVE * usual > 0:
        return Reason.DISPUTED
    if judged.doubt[place] >= FAR_ABOVE * float(judged.doubt.mean()):
        return Reason.UNCERTAIN
    return Reason.INFLUENTIAL if judged.weight[place] >= FAR_ABOVE else Reason.DRAWN
