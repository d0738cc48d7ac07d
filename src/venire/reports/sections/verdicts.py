"""Verdicts without scores: how often each was given, how far judges agree, who can be relied on, and position bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, text_cell, where
from venire.reports.report import Column, Note, ReportCell, ReportSection, Table
from venire.reports.sections.agreement import verdict_agreement, verdict_matrix
from venire.reports.sections.answers.verdicts import verdict_comparisons
from venire.reports.sections.judges.competence import competence
from venire.stats.agreement.matrix import agreement_matrix
from venire.stats.judges.position_bias import position_bias
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.uncertainty.bayesian_mean import FEW, with_prior
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.result import Estimate

MANY = 20
"""How many verdicts or judges are listed side by side at most."""


def verdicts(evidence: ReportEvidence) -> ReportSection:
    """Show the shares of verdicts, the agreement on them, and what models of hidden verdicts say of the judges."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("verdicts", (Note("nothing.counts"),))
    notes = [Note("verdicts.read" if evidence.is_table else "verdicts.read_pairs")]
    if evidence.choices.bayesian:
        notes.append(Note("bayesian.read", {"few": FEW}))
    by_model = [] if evidence.pairs and not evidence.is_table else list(_shares(evidence, "target_model"))
    told, compared = ([], []) if evidence.pairs else verdict_comparisons(evidence, next(iter(by_model), None))
    notes += told
    tables = [*by_model, *compared, *_shares(evidence, "rater")]
    if len(evidence.primary.raters) > 1:
        tables += [*verdict_agreement(evidence), *_pairs(evidence)]
    else:
        notes.append(Note("agreement.one_judge", {"judge": evidence.primary.raters[0]}, warning=True))
    more, latent = competence(evidence)
    tables += [*_positions(evidence), *latent]
    if not evidence.pairs:
        more.append(Note("verdicts.no_order"))
    return ReportSection("verdicts", (*notes, *more), tuple(tables))


def _shares(evidence: ReportEvidence, factor: str) -> Iterator[Table]:
    """Give the share of each verdict, for each model or judge."""
    frame = evidence.primary.table.frame
    names, levels = evidence.levels("verdict"), evidence.levels(factor)
    if not levels or len(names) > MANY:
        return
    codes, given = cluster_codes(frame), frame["verdict"].cast(str).to_numpy()
    owner = frame[factor].cast(str).to_numpy()
    drafts: list[Draft] = []
    for level in levels:
        mine = owner == level
        cells = [
            estimate_cell(
                _share(evidence, (given[mine] == name).astype(np.float64), codes[mine]),
                where({factor: level, "verdict": name}),
                "share",
            )
            for name in names
        ]
        drafts.append(((level,), [*cells, number_cell(int(mine.sum()), where({factor: level}))]))
    columns = [*(Column(name, name) for name in names), Column("judgements")]
    yield make_table(f"verdict_shares_{factor}", (factor,), columns, drafts)


def _share(evidence: ReportEvidence, hits: FloatArray, codes: IntArray) -> Estimate:
    level = evidence.choices.level
    usual = clustered_share(hits, codes, level=level)
    return with_prior(usual, hits, codes, (0.0, 1.0), level=level) if evidence.choices.bayesian else usual


def _pairs(evidence: ReportEvidence) -> Iterator[Table]:
    """Give Cohen's kappa of every two judges."""
    if len(evidence.primary.raters) > MANY:
        return
    matrix, clusters = verdict_matrix(evidence)
    found = agreement_matrix(matrix, "cohen kappa", clusters=clusters, level=evidence.choices.level)
    drafts: list[Draft] = []
    for judge, row in zip(found.raters, found.cells, strict=True):
        cells: list[ReportCell] = []
        for other, each in zip(found.raters, row, strict=True):
            rows = where({"rater": (judge, other)})
            cells.append(text_cell("–", rows) if each is None else estimate_cell(each, rows, "coefficient"))
        drafts.append(((judge,), cells))
    yield make_table("verdict_pairs", ("rater",), [Column(judge, judge) for judge in found.raters], drafts)


def _positions(evidence: ReportEvidence) -> Iterator[Table]:
    """Give each judge's preference for the first place, from pairs that were shown in both orders."""
    if not evidence.pairs:
        return
    drafts: list[Draft] = []
    for judge in dict.fromkeys(pair.judge for pair in evidence.pairs):
        mine = [pair for pair in evidence.pairs if pair.judge == judge]
        preference, flips = position_bias(
            [pair.first for pair in mine], [pair.second for pair in mine], [pair.outcome for pair in mine],
            [pair.question for pair in mine], pairs=[pair.pair or pair.meeting or pair.question for pair in mine],
            judge=judge, level=evidence.choices.level,
        )  # fmt: skip
        rows = where({"rater": judge})
        cells = [
            estimate_cell(preference.estimate, rows, "share_difference"),
            estimate_cell(flips.estimate, rows, "share"),
            number_cell(
                preference.details.get("p_value"),
                rows,
                "p",
                method=say("method.position_sign_test"),
                reason=preference.estimate.reason,
            ),
            number_cell(preference.observations, rows),
            number_cell(preference.smallest, rows, method=say("method.least_observations")),
        ]
        drafts.append(((judge,), cells))
    yield make_table("position", ("rater",), ("first_place", "flips", "fair_p", "both_orders", "needed"), drafts)
