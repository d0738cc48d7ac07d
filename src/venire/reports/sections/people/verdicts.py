"""Verdicts of judges beside those of people: confusion matrices, agreement, and corrected shares of PASS."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.domain.sample import PLACES
from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.report import Column, ReportCell, Rows, Table
from venire.stats.agreement.confusion_matrix import ConfusionMatrix, confusion_matrix
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.stats.uncertainty.rogan_gladen import corrected_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.reports.human_labels import HumanLabels

PASS = "PASS"  # noqa: S105 - a verdict, no secret
"""The verdict whose share is corrected."""

ORDER = ("PASS", "PARTIAL", "FAIL", *PLACES)
"""The order of verdicts that follow from a rule, and of places that can win; others come after them."""


CORRECTED = ("corrected", "naive", "sensitivity", "specificity", "labelled")
"""The columns of the table of corrected shares."""


class GivenVerdicts(NamedTuple):
    """The verdicts of one judge, output by output."""

    judge: str
    """The judge."""
    stated: dict[str, str]
    """The verdict on each unit."""
    labelled: tuple[str, ...]
    """The units that people gave a verdict too."""
    questions: dict[str, str]
    """The question of each unit, or the unit itself where there is none."""

    def crossed(self, labels: HumanLabels, level: float) -> ConfusionMatrix:
        """Cross the judge's verdicts with people's."""
        ours = [self.stated[unit] for unit in self.labelled]
        theirs = [labels.verdicts[unit] for unit in self.labelled]
        named = {*ours, *theirs}
        return confusion_matrix(
            ours, theirs, labels=[name for name in ORDER if name in named], level=level,
            clusters=[self.questions[unit] for unit in self.labelled],
        )  # fmt: skip


def given_verdicts(evidence: ReportEvidence, labels: HumanLabels) -> list[GivenVerdicts]:
    """Return the verdicts of every judge; none where judges or people gave none."""
    import polars as pl

    frame = evidence.primary.table.frame.filter(pl.col("verdict").is_not_null())
    frame = frame.unique(["unit", "rater"], keep="first", maintain_order=True)
    if not labels.verdicts:
        return []
    stated: dict[str, dict[str, str]] = {}
    questions: dict[str, str] = {}
    rows = frame.select(pl.col("unit", "rater", "verdict", "question_id").cast(pl.String)).rows()
    for unit, rater, verdict, question in rows:
        stated.setdefault(rater, {})[unit] = evidence.class_of(unit, verdict)
        questions[unit] = f"question {question}" if question else f"unit {unit}"
    return [
        GivenVerdicts(judge, given, tuple(unit for unit in given if unit in labels.verdicts), questions)
        for judge, given in stated.items()
    ]


def verdicts_beside_people(evidence: ReportEvidence, labels: HumanLabels) -> Iterator[Table]:
    """Give each judge's confusion matrix, its agreement with people, and the share of PASS that people would give."""
    judges, level = given_verdicts(evidence, labels), evidence.choices.level
    if not judges:
        return
    crossed = {given.judge: given.crossed(labels, level) for given in judges}
    found = {name for matrix in crossed.values() for name in matrix.labels}
    names = [*(name for name in ORDER if name in found), *sorted(found - {*ORDER})]
    confusion: list[Draft] = []
    for given in judges:
        confusion += _confusion(given, crossed[given.judge], labels, names)
    if confusion:
        columns = [*(Column(name, name) for name in names), Column("precision"), Column("recall")]
        yield make_table("confusion", ("rater", "verdict"), columns, confusion)
    beside = [((given.judge,), _accuracy_cells(given, crossed[given.judge], labels, level)) for given in judges]
    columns_of = ("same_verdict", "base_rate", "over_guess", "kappa", "labelled")
    yield make_table("people_verdicts", ("rater",), columns_of, beside)
    if evidence.is_table and evidence.pairs:
        yield from _both_orders(evidence, judges, labels)
    if PASS in labels.verdicts.values():
        shares = [((given.judge,), _pass_cells(given, labels, level)) for given in judges]
        yield make_table("corrected_pass", ("rater",), CORRECTED, shares)


def _accuracy_cells(
    given: GivenVerdicts, matrix: ConfusionMatrix, labels: HumanLabels, level: float
) -> list[ReportCell]:
    """Return a judge's accuracy beside that of one who always says what people say most, and the difference."""
    rows = _labelled_rows(given)
    same, kappa, labelled = agreement_cells(matrix, rows)
    said = [labels.verdicts[unit] for unit in given.labelled]
    most = Counter(said).most_common(1)[0][0] if said else ""
    right = np.array([given.stated[unit] == labels.verdicts[unit] for unit in given.labelled], dtype=float)
    guessed = np.array([verdict == most for verdict in said], dtype=float)
    questions = [given.questions[unit] for unit in given.labelled]
    base = clustered_share(guessed, questions, level=level)
    over = clustered_mean(right - guessed, questions, level=level)
    return [same, estimate_cell(base, rows, "share"), estimate_cell(over, rows, "share_difference"), kappa, labelled]


def _both_orders(evidence: ReportEvidence, judges: list[GivenVerdicts], labels: HumanLabels) -> Iterator[Table]:
    """Give how often a judge that saw a pair in both orders named the winner that people named in both, or in one."""
    drafts: list[Draft] = []
    for given in judges:
        orders: dict[str, list[str]] = {}
        for unit in given.labelled:
            orders.setdefault(evidence.outputs.get(unit, unit), []).append(unit)
        twice = [units for units in orders.values() if len(units) == 2]
        right = [sum(given.stated[unit] == labels.verdicts[unit] for unit in units) for units in twice]
        if not twice:
            continue
        rows, questions = _labelled_rows(given), [given.questions[units[0]] for units in twice]
        shares = [
            clustered_share([float(each >= least) for each in right], questions, level=evidence.choices.level)
            for least in (2, 1)
        ]
        cells = [*(estimate_cell(each, rows, "share") for each in shares), number_cell(len(twice), rows)]
        drafts.append(((given.judge,), cells))
    if drafts:
        yield make_table("people_orders", ("rater",), ("right_in_both", "right_in_one", "both_orders"), drafts)


def agreement_cells(matrix: ConfusionMatrix, rows: Rows) -> list[ReportCell]:
    """Return the share of equal verdicts, kappa, and the number of outputs."""
    return [
        estimate_cell(matrix.agreement, rows, "share"),
        estimate_cell(matrix.kappa, rows, "coefficient"),
        number_cell(int(matrix.counts.sum()), rows),
    ]


def _labelled_rows(given: GivenVerdicts) -> Rows:
    return where({"rater": given.judge, "unit": given.labelled})


def _confusion(given: GivenVerdicts, matrix: ConfusionMatrix, labels: HumanLabels, names: list[str]) -> Iterator[Draft]:
    places = {name: place for place, name in enumerate(matrix.labels)}
    for name in matrix.labels:
        mine = {"rater": given.judge} | ({} if name in PLACES else {"verdict": name})  # Rows name models, not places.
        saying = [unit for unit in given.labelled if given.stated[unit] == name]
        cells = []
        for human in names:
            units = tuple(unit for unit in saying if labels.verdicts[unit] == human)
            count = int(matrix.counts[places[name], places[human]]) if human in places else 0
            cells.append(number_cell(count, where(mine, {"unit": units})))
        said = where({"rater": given.judge, "unit": tuple(u for u in given.labelled if labels.verdicts[u] == name)})
        precision = estimate_cell(matrix.precision[name], where(mine, {"unit": tuple(saying)}), "share")
        yield (given.judge, name), [*cells, precision, estimate_cell(matrix.recall[name], said, "share")]


def _pass_cells(given: GivenVerdicts, labels: HumanLabels, level: float) -> list[ReportCell]:
    said = labels.verdicts
    found = corrected_share(
        [verdict == PASS for verdict in given.stated.values()],
        [float(said[unit] == PASS) if unit in said else math.nan for unit in given.stated],
        [given.questions[unit] for unit in given.stated],
        level=level,
    )
    rows: Rows = where({"rater": given.judge})
    estimates = (found.corrected, found.naive, found.sensitivity, found.specificity)
    return [*(estimate_cell(each, rows, "share") for each in estimates), number_cell(len(given.labelled), rows)]
