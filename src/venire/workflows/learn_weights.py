"""Learn the judges' weights from their judgements, for the next run to read."""

from __future__ import annotations

import numpy as np

from venire.errors import UsageError
from venire.judges.weights_file import JudgeWeight, WeightsFile
from venire.reports.evidence import ReportEvidence
from venire.reports.human_labels import match_labels
from venire.stats.judges.learnt_weights import (
    JudgeError,
    LearntWeights,
    errors_against_reference,
    inverse_variance_weights,
)
from venire.stats.ratings.matrix import RatingMatrix
from venire.stats.ratings.panel_scores import normalise
from venire.words.said import clauses, say

FEWEST_JUDGES = 2
"""How many judges a panel needs to be weighed."""


def learn_weights(evidence: ReportEvidence) -> WeightsFile:
    """Weigh each judge by one over its error variance.

    Errors are measured against people where the evidence has labels of overall scores, and otherwise against what the
    whole panel says of an output, which rewards steadiness and not truth. Raises `UsageError` where nothing can be
    learnt: fewer than two judges, or no scores in common.
    """
    raters = evidence.primary.raters
    if len(raters) < FEWEST_JUDGES:
        raise UsageError("error.weights.too_few", least=FEWEST_JUDGES, found=len(raters))
    if evidence.protocol is None:
        raise UsageError("error.weights.not_ledger")
    errors, against = (
        (_against_people(evidence), say("weights.against_people"))
        if evidence.labels
        else (_against_panel(evidence), say("weights.against_panel"))
    )
    learnt = inverse_variance_weights(errors)
    if not learnt.weights:
        raise UsageError("error.weights.none", reason=learnt.reason)
    return WeightsFile(
        protocol=evidence.protocol.digest,
        method=clauses(learnt.method, against, learnt.reason),
        judges=_weights(evidence, learnt),
    )


def _against_panel(evidence: ReportEvidence) -> dict[str, JudgeError]:
    return {
        each.judge: JudgeError(
            None if each.consistency.value is None else each.consistency.value**2, each.consistency.n.get("scores", 0)
        )
        for each in evidence.leniency
    }


def _against_people(evidence: ReportEvidence) -> dict[str, JudgeError]:
    if evidence.rescaled:
        raise UsageError("error.weights.several_scales")
    truth = match_labels(evidence).scores.get("", {})
    matrix: RatingMatrix = evidence.primary.matrix()
    reference = np.array([truth.get(str(unit), np.nan) for unit in matrix.units or ()])
    if np.isnan(reference).all():
        raise UsageError("error.weights.no_labels")
    low, high = evidence.scale() or (0.0, 10.0)
    return errors_against_reference(
        normalise(matrix.scores, low, high), normalise(reference, low, high), list(matrix.raters)
    )


def _weights(evidence: ReportEvidence, learnt: LearntWeights) -> dict[str, JudgeWeight]:
    import polars as pl

    columns = pl.col("rater", "rater_version").cast(pl.String)
    digests = dict(evidence.primary.table.frame.select(columns).unique(maintain_order=True).iter_rows())
    return {
        judge: JudgeWeight(
            weight=weight, digest=digests[judge], error_variance=learnt.errors[judge].variance,
            scores=learnt.errors[judge].scores,
        )
        for judge, weight in learnt.weights.items()
    }  # fmt: skip
