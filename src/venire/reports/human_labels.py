"""Human labels brought to the units of the ratings: means of scores, and the majority of verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from venire.domain.label import LabelPart, part_of
from venire.stats.ratings.grouping import cluster_codes, first_of_each

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from venire.domain.label import Label
    from venire.reports.evidence import ReportEvidence


class HumanLabels(NamedTuple):
    """What people said, unit by unit."""

    scores: dict[str, dict[str, float]]
    """The mean score of each unit, by dimension; the overall score stands under the empty name."""
    verdicts: dict[str, str]
    """The verdict that most people gave, or the place that won where two were compared; without a majority, none."""
    models: dict[str, str]
    """The target model of each unit."""
    unmatched: int
    """How many labels name an output that is not in the data, or that is there more than once."""
    probabilities: dict[str, float]
    """How likely each labelled unit was to be chosen for labelling; empty if all were equally likely."""
    questions: dict[str, int]
    """The number of each unit's question, or one of its own where the data has no questions."""
    parts: dict[str, LabelPart]
    """Whether the labels of a unit are for fitting or for testing a recalibration."""
    variants: dict[str, str]
    """The prompt variant of each unit."""

    def probabilities_of(self, units: Iterable[str]) -> NDArray[Any] | None:
        """Return the sampling probabilities of some units, 1 without a label; None if all were equally likely."""
        if not self.probabilities:
            return None
        return np.array([self.probabilities.get(unit, 1.0) for unit in units])

    def clusters_of(self, units: Iterable[str]) -> NDArray[Any]:
        """Return the numbers of the questions of some units, or of the units if there is but one question at all."""
        listed = list(units)
        first = next(iter(self.questions.values()), 0)
        if all(question == first for question in self.questions.values()):
            return np.arange(len(listed))
        return np.array([self.questions[unit] for unit in listed], dtype=np.intp)


def match_labels(evidence: ReportEvidence, labels: tuple[Label, ...] | None = None) -> HumanLabels:
    """Find the unit of each label by output_id, or by `target_model/output_id` where models share their names.

    The labels are those of people, unless others are given.
    """
    models, questions = _models(evidence)
    named = _named_units(evidence, models)
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    verdicts: dict[str, list[str]] = defaultdict(list)
    unmatched = 0
    probabilities: dict[str, float] = {}
    asked, parts = split_names(evidence), dict[str, LabelPart]()
    for label in labels if labels is not None else evidence.labels:
        units = [label.unit] if label.unit in models else named.get(label.output_id, [])
        if not units or (len(units) > 1 and not evidence.pairs):  # a pair may have been shown in both orders
            unmatched += 1
            continue
        for unit in units:
            parts[unit] = label.part or part_of(asked[unit])
            if label.probability is not None:
                probabilities[unit] = label.probability
            if label.score is not None:
                scores[label.dimension][unit].append(label.score)
            if label.verdict:
                verdicts[unit].append(evidence.class_of(unit, label.verdict))
    return HumanLabels(
        {dimension: {unit: fmean(given) for unit, given in found.items()} for dimension, found in scores.items()},
        {unit: most for unit, given in verdicts.items() if (most := _majority(given)) is not None},
        models,
        unmatched,
        probabilities,
        questions,
        parts,
        _variants(evidence),
    )


def split_names(evidence: ReportEvidence) -> dict[str, str]:
    """Return by which name each unit falls to fitting or testing: its question, or itself where there is none."""
    frame = first_of_each(evidence.table.frame, ["unit"])
    units, questions = (frame[name].cast(str).to_list() for name in ("unit", "question_id"))
    return {unit: question or unit for unit, question in zip(units, questions, strict=True)}


def units_by_name(evidence: ReportEvidence) -> dict[str, list[str]]:
    """Return the units of each name that a label may give: output_id, or `target_model/output_id`."""
    return _named_units(evidence, _models(evidence)[0])


def labels_apart(
    labels: tuple[Label, ...], first: ReportEvidence, second: ReportEvidence
) -> tuple[tuple[Label, ...], int]:
    """Return the labels that tell of which run's output they are, and how many others there are.

    A name that outputs of both runs have tells it only if it is one and the same output, which a ledger knows.
    """
    names = [_named_units(side, _models(side)[0]) for side in (first, second)]
    knows = not (first.is_table or second.is_table)

    def tells(label: Label) -> bool:
        units = [set(named.get(label.output_id, ())) for named in names]
        return bool(label.unit) or not all(units) or (knows and units[0] == units[1])

    kept = tuple(filter(tells, labels))
    return kept, len(labels) - len(kept)


def _named_units(evidence: ReportEvidence, models: dict[str, str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = defaultdict(list)
    for unit, output in evidence.outputs.items():
        if unit in models:
            named[output].append(unit)
            named[f"{models[unit]}/{output}"].append(unit)
    return named


def _models(evidence: ReportEvidence) -> tuple[dict[str, str], dict[str, int]]:
    """Return the target model and the number of the question of each unit."""
    frame = first_of_each(evidence.table.frame, ["unit"])
    units = list(frame["unit"].cast(str))
    models = dict(zip(units, frame["target_model"].cast(str), strict=True))
    return models, dict(zip(units, cluster_codes(frame).tolist(), strict=True))


def _variants(evidence: ReportEvidence) -> dict[str, str]:
    frame = first_of_each(evidence.table.frame, ["unit"])
    units, variants = (frame[name].cast(str).to_list() for name in ("unit", "prompt_variant"))
    return {unit: variant or "" for unit, variant in zip(units, variants, strict=True)}


def _majority(given: list[str]) -> str | None:
    (most, count), *others = Counter(given).most_common()
    return None if others and others[0][1] == count else most
