"""What rules of a gate are held against, what was found, and how a rule is put into words."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.errors import UsageError
from venire.reports.evidence import ReportEvidence
from venire.reports.formats.gate import RuleOutcome
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.result import Estimate
from venire.words.said import clauses, say
from venire.workflows.gates.decision import Decision
from venire.workflows.gates.rules import (
    Agreement,
    Equivalence,
    LimitRule,
    MinimumScore,
    NoDrop,
    NonInferiority,
    ShareBelow,
    SliceRule,
    WorstScore,
)

if TYPE_CHECKING:
    import polars as pl

    from venire.stats.observations import IntArray

NO_SCORE = say("gate.no_score")
"""Why nothing is known where no sample has a score."""


class GateEvidence(NamedTuple):
    """What rules are held against."""

    material: ReportEvidence
    baseline: ReportEvidence | None
    level: float
    untold_labels: int = 0
    """How many labels do not tell of which run's output they are, and were left out."""


class RuleFinding(NamedTuple):
    """What a rule asks for, the number found, and whether the rule holds."""

    expected: str
    found: Estimate
    outcome: RuleOutcome
    detail: str = ""

    @classmethod
    def of(cls, expected: str, found: Estimate, decision: Decision, detail: str = "") -> RuleFinding:
        """Put together a number and what was decided of it."""
        return cls(expected, found, decision.outcome, clauses(*dict.fromkeys((detail, decision.detail))))


def unknown(expected: str, method: str, reason: str) -> RuleFinding:
    """Return what was found where nothing is known."""
    return RuleFinding(expected, Estimate.unknown(method, reason), RuleOutcome.UNKNOWN, reason)


def clusters_of(frame: pl.DataFrame) -> tuple[IntArray, bool]:
    """Return what errors are clustered by, and whether it is the question: with a single one, it is the output."""
    questions = cluster_codes(frame)
    if len(np.unique(questions)) > 1:
        return questions, True
    return number_groups(frame, ["unit" if "unit" in frame.columns else "output_id"])[1], False


def sure(what: str, rule: LimitRule, evidence: GateEvidence) -> str:
    """Say what a rule asks for, with its confidence if it asks for one."""
    return say("gate.with_confidence", what=what, level=f"{evidence.level:.0%}") if rule.confident else what


def require_dimension(dimension: str, material: ReportEvidence) -> None:
    """Raise `UsageError` for a dimension that nobody scored."""
    known = material.dimensions
    if dimension and dimension not in known:
        raise UsageError("error.gate.no_dimension", dimension=dimension, known=tuple(known) or say("compare.none"))


def score_words(rule: MinimumScore | WorstScore | NoDrop | NonInferiority | Equivalence) -> str:
    """Say which score a rule is about."""
    return say("gate.score", dimension=dimension_words(rule), where=where_words(rule))


def dimension_words(
    rule: MinimumScore | WorstScore | NoDrop | NonInferiority | Equivalence | ShareBelow | Agreement,
) -> str:
    """Say which dimension a rule is about; empty for the overall score."""
    return say("gate.of_dimension", dimension=rule.dimension) if rule.dimension else ""


def where_words(rule: SliceRule) -> str:
    """Say which outputs a rule is about; empty for all."""
    conditions = [say("gate.condition", name=name, value=value) for name, value in rule.where.items()]
    if not conditions:
        return ""
    return say("gate.where", conditions=reduce(lambda one, two: say("gate.and", one=one, two=two), conditions))
