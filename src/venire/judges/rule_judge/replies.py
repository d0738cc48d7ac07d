"""Words a rule judge's scores in the contract of a protocol, as canonical text: same scores, same bytes."""

from __future__ import annotations

import json
from statistics import fmean
from typing import TYPE_CHECKING, Any

from venire.judges.rule_judge.scoring import DimensionScore, RuleError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venire.domain.design import BundleDesign
    from venire.domain.protocol import Category, EvalProtocol
    from venire.domain.sample import Bundle, Sample

BLIND = "blind"
"""What stands where a judge cannot know a name."""

Scores = tuple[DimensionScore, ...]


def sample_reply(scores: Scores, protocol: EvalProtocol, *, judge: str, handle: str, date: str) -> str:
    """Word the reply for one sample with evidence."""
    overall = _tidy(sum(each.score for each in scores))
    reply: dict[str, Any] = {
        "meta": {
            "judge_model": judge,
            "target_model": BLIND,
            "question_id": BLIND,
            "prompt_variant": BLIND,
            "output_id": handle or BLIND,
            "method": "cross_judge",
            "timestamp": date,
        },
        "scores": {each.dimension: each.score for each in scores} | {protocol.overall.field: overall},
    }
    if protocol.verdict is not None:
        reply["verdict"] = protocol.verdict.verdict(overall)
    reply["flags"] = []
    reply["evidence"] = [{"dimension": each.dimension, "quote": each.quote, "reason": each.reason} for each in scores]
    reply["notes"] = _summary(scores)
    return _write(reply)


def criteria_reply(scores: Scores, protocol: EvalProtocol, category: Category | None) -> str:
    """Word the reply for criteria with justifications."""
    weights = category.weights if category else {}
    if protocol.overall.rule == "weighted":
        overall = sum(weights[each.dimension] * each.score for each in scores)
    else:
        overall = sum(each.score for each in scores)
    return _write(
        {
            "scores": {each.dimension: {"score": each.score, "justification": _justify(each)} for each in scores},
            protocol.overall.field: _tidy(overall),
            "strengths": [f"{each.dimension}: {each.reason}" for each in scores if each.passed],
            "weaknesses": [f"{each.dimension}: {each.reason}" for each in scores if not each.passed],
            "reasoning": _summary(scores),
        }
    )


def bundle_reply(entries: Mapping[str, Scores], protocol: EvalProtocol, design: BundleDesign) -> str:
    """Word the reply for a whole bundle; `entries` holds the scores by the design's labels."""
    totals = {label: _tidy(sum(each.score for each in scores)) for label, scores in entries.items()}
    per_file = [
        {
            "file": label,
            "scores": {each.dimension: each.score for each in scores},
            protocol.overall.field: totals[label],
            "evidence": {each.dimension: each.quote for each in scores},
            "notes": _summary(scores),
        }
        for label, scores in entries.items()
    ]
    meta = {field: list(design.factors[factor]) for field, factor in design.meta_fields.items()}
    summaries = {field: _groups(totals, design, factor) for field, factor in design.summaries.items()}
    return _write(
        {
            "bundle_meta": {"bundle_size": len(entries), **meta},
            "per_file_scores": per_file,
            "aggregates": {"avg_total": _mean(totals.values()), **summaries},
            "final_notes": "Scored by declared checks; each file for itself.",
        }
    )


def label_samples(bundle: Bundle, design: BundleDesign) -> dict[str, Sample]:
    """Return the bundle's samples by the design's labels, in its order; raises `RuleError` if they do not match."""
    found: dict[str, Sample] = {}
    for sample in bundle.samples:
        names = (sample.source.name if sample.source else "", sample.output_id)
        cell = next(filter(None, map(design.cell, names)), None) or next(
            (cell for cell in design.cells if cell.factors.items() <= sample.factors.items()), None
        )
        if cell is None or cell.label in found:
            raise RuleError(f"the sample {sample.output_id} has no place of its own in the protocol's design")
        found[cell.label] = sample
    missing = [cell.label for cell in design.cells if cell.label not in found]
    if missing:
        raise RuleError(f"the bundle lacks {len(missing)} planned files, first {missing[0]}")
    return {cell.label: found[cell.label] for cell in design.cells}


def _groups(totals: Mapping[str, float], design: BundleDesign, factor: str) -> dict[str, Any]:
    groups: dict[str, Any] = {}
    for value in design.factors[factor]:
        members = [totals[cell.label] for cell in design.cells if cell.factors[factor] == value]
        groups[value] = {"avg_total": _mean(members), "notes": f"Mean of {len(members)} totals."}
    return groups


def _summary(scores: Scores) -> str:
    failed = [each.dimension for each in scores if not each.passed]
    return f"Checks failed in: {', '.join(failed)}." if failed else "All checks passed."


def _justify(score: DimensionScore) -> str:
    return f"{score.reason} (“{score.quote}”)" if score.quote else score.reason


def _mean(values: Sequence[float] | Any) -> float:
    return _tidy(fmean(values))


def _tidy(number: float) -> float:
    """Drop what floating point adds; whole numbers are written without a fraction."""
    rounded = round(number, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def _write(reply: dict[str, Any]) -> str:
    return json.dumps(reply, ensure_ascii=False, indent=1)
