"""Differences between models as people would see them: the judges' own, corrected by labels, and where they part."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.report import Arguments, Note, Term
from venire.reports.sections.leaderboard import SIGNIFICANT
from venire.reports.words import number_text
from venire.stats.observations import as_floats
from venire.stats.uncertainty.corrected_difference import CorrectedDifference, corrected_difference
from venire.stats.uncertainty.multiplicity import holm
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from venire.reports.report import Row, Table
    from venire.stats.observations import FloatArray

MOST_LABELLED = 12
"""Up to so many labelled models every two are compared; of more, each with the one that people score best."""

MOST_SENTENCES = 3
"""How many corrected comparisons the summary tells; the table has all."""

_FEWEST = 2


class LabelledOutputs(NamedTuple):
    """The outputs of all models, with the panel's score, the label where there is one, and the question."""

    labels: FloatArray
    judged: FloatArray
    models: NDArray[np.str_]
    questions: NDArray[np.intp]
    probabilities: NDArray[np.float64] | None = None


class CorrectedPair(NamedTuple):
    """Two models, the first of which people score higher, and what labels make of the judges' difference."""

    first: str
    second: str
    found: CorrectedDifference
    adjusted_p: float | None


def compare_corrected(outputs: LabelledOutputs, level: float) -> tuple[CorrectedPair, ...]:
    """Compare models by the judges' scores corrected by labels; those with fewer than two labels are left out."""
    there = ~np.isnan(outputs.labels) & ~np.isnan(outputs.judged)
    names = [str(name) for name in dict.fromkeys(outputs.models.tolist())]
    named = [name for name in names if (there & (outputs.models == name)).sum() >= _FEWEST]
    every = list(itertools.combinations(named, 2))
    chosen = every
    if len(named) > MOST_LABELLED:
        best = max(named, key=lambda name: float(outputs.labels[there & (outputs.models == name)].mean()))
        chosen = [(best, name) for name in named if name != best]
    pairs = [_pair(outputs, names, level) for names in chosen]
    p_values = [np.nan if found.p_value is None else found.p_value for *_, found in pairs]
    untested = [1.0] * (len(every) - len(chosen))
    adjusted = holm(as_floats([*p_values, *untested])).adjusted[: len(pairs)]
    return tuple(CorrectedPair(*pair, value) for pair, value in zip(pairs, adjusted, strict=True))


def _pair(outputs: LabelledOutputs, names: tuple[str, str], level: float) -> tuple[str, str, CorrectedDifference]:
    mine = np.isin(outputs.models, names)
    questions = outputs.questions[mine]
    clusters = questions if len(np.unique(questions)) > 1 else None
    chances = None if outputs.probabilities is None else outputs.probabilities[mine]
    found = [
        corrected_difference(
            outputs.labels[mine], outputs.judged[mine], outputs.models[mine] == first, clusters=clusters,
            probabilities=chances, level=level,
        )
        for first in names
    ]  # fmt: skip
    turned = (found[0].corrected.value or 0.0) < 0
    return (names[1], names[0], found[1]) if turned else (*names, found[0])


def corrected_table(pairs: Sequence[CorrectedPair]) -> Table:
    """Give the corrected difference beside the judges' own and the labels' own."""
    drafts: list[Draft] = []
    for pair in pairs:
        rows, found = where({"target_model": (pair.first, pair.second)}), pair.found
        method = say("method.with_holm", method=found.corrected.method)
        reason = "" if pair.adjusted_p is not None else found.corrected.reason or say("reason.no_p_value")
        cells = [
            estimate_cell(found.corrected, rows, "difference"),
            estimate_cell(found.naive, rows, "difference"),
            number_cell(pair.adjusted_p, rows, "p", method=method, reason=reason),
            estimate_cell(found.judge_bias, rows, "difference"),
            estimate_cell(found.labels_only, rows, "difference"),
            number_cell(sum(found.labelled), rows),
        ]
        drafts.append(((pair.first, pair.second), cells))
    columns = ("corrected", "naive", "p_adjusted", "bias_difference", "labels_only", "labelled")
    return make_table("corrected_comparisons", ("first", "second"), columns, drafts)


def corrected_notes(table: Table) -> Iterator[Note]:
    """Say of the models what holds once people corrected the judges, first where the two part."""
    rows = sorted(table.rows, key=lambda row: (not _parts(row), row.cells[2].value is None, row.cells[2].value or 0.0))
    for row in rows[:MOST_SENTENCES]:
        yield from _sentences(row)
    if len(rows) > MOST_SENTENCES:
        yield Note("summary.corrected.more", {"count": len(rows) - MOST_SENTENCES})


def _parts(row: Row) -> bool:
    """Tell whether judges and people part: the judges' bias differs between the two models."""
    bias = row.cells[3]
    return bias.low is not None and bias.high is not None and not bias.low <= 0 <= bias.high


def _sentences(row: Row) -> Iterator[Note]:
    corrected, naive, p_value, bias, _, labelled = row.cells
    first, second = row.names
    names: Arguments = {"first": first, "second": second, "count": int(labelled.value or 0)}
    if corrected.value is None or corrected.low is None or corrected.high is None or p_value.value is None:
        yield Note("summary.corrected.unknown", names | {"reason": corrected.reason or p_value.reason}, warning=True)
        return
    numbers: Arguments = {
        "corrected": number_text(corrected.value, "difference"),
        "interval": _interval(corrected.low, corrected.high),
        "naive": number_text(naive.value or 0.0, "difference"),
        "p": "< 0.001" if p_value.value < 0.001 else f"= {p_value.value:.3f}",
    }
    yield Note(f"summary.corrected.{'told' if p_value.value < SIGNIFICANT else 'open'}", names | numbers, begins=True)
    if bias.value is not None and bias.low is not None and bias.high is not None and _parts(row):
        favoured, other, ends = first, second, (bias.low, bias.high)
        if bias.value < 0:
            favoured, other, ends = second, first, (-bias.high, -bias.low)
        by: Arguments = {"bias": number_text(abs(bias.value), "score"), "interval": _interval(*ends, unit="score")}
        yield Note("summary.corrected.part", {"favoured": favoured, "other": other, **by}, warning=True)
    if corrected.note:
        yield Note("summary.corrected.rough", {"note": corrected.note})


def _interval(low: float, high: float, unit: str = "difference") -> Term:
    return Term("text", "number.interval", {"low": number_text(low, unit), "high": number_text(high, unit)})
