"""Compare all target models pairwise, from the panel's scores on the same questions and other factors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from venire.reports.report import Choices
from venire.reports.sections.pairwise import model_comparisons
from venire.stats.comparison.score_comparisons import ScoreComparisons
from venire.workflows.comparison.compared_scores import require_scores
from venire.workflows.evidence.from_source import read_evidence


def pairwise_models(source: str | Path, choices: Choices) -> ScoreComparisons:
    """Compare every two target models of a ledger or table."""
    material = read_evidence(source, choices)
    require_scores(material, str(source))
    return model_comparisons(material)


def comparisons_record(found: ScoreComparisons) -> dict[str, Any]:
    """Return comparisons as plain values, for a file."""
    return {
        "models": found.wins.models,
        "wins": found.wins.wins.tolist(),
        "ties": found.wins.ties.tolist(),
        "strengths": found.fit.strengths,
        "tie": found.fit.tie,
        "elo": found.elo.ratings,
        "clusters": found.clusters,
        "method": found.fit.method,
        "reason": found.fit.reason,
    }
