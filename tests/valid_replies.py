"""One valid reply for each protocol, with what it is about; tests change one thing at a time."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import msgspec

from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import EvidenceLevel
from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Bundle, Sample, make_pair
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import Checker, Subject, prepare

DRIFT_SAMPLE = find_protocol("drift-sample")
DRIFT_BUNDLE = find_protocol("drift-bundle")
QUALITY = find_protocol("quality")
GROUNDED = find_protocol("grounded")
PREFERENCE = find_protocol("preference")
CITING = msgspec.structs.replace(
    GROUNDED, id="citing", evidence=msgspec.structs.replace(GROUNDED.evidence, cite="sentences")
)
"""The protocol `grounded`, with sentences cited by their numbers."""

JUDGE = JudgeIdentity("glm", model="GLM-4.7", aliases=("ChatGLM",))
TEXT = "# 计划 Plan\nThe first step is to collect the data.\n第二步：分析数据，并写出报告。\nThe last step is a review."
SAMPLE = Sample("q3-a.txt", TEXT, question_id="Q3", prompt_variant="A", target_model="deepseek-v3")
PAIR = make_pair(
    Sample("q1-alder", "The library opens at ten, and it closes at six in the evening.", target_model="alder-7b",
           question_id="q1", task="When is the library open?"),
    Sample("q1-birch", "It opens at ten, I am quite sure.", target_model="birch-9b", question_id="q1",
           task="When is the library open?"),
)  # fmt: skip
"""Two outputs to one task."""
QUOTES = ("# 计划 Plan", "collect the data", "分析数据，并写出报告", "The last step is a review.")

Change = Callable[[dict[str, Any]], None]


def sample_reply(scores: tuple[int, int, int, int] = (2, 1, 2, 1), verdict: str = "PARTIAL") -> dict[str, Any]:
    """Return a reply that `drift-sample` has nothing to say about."""
    dimensions = DRIFT_SAMPLE.dimension_ids
    return {
        "meta": {
            "judge_model": "GLM-4.7",
            "target_model": "deepseek-v3",
            "question_id": "Q3",
            "prompt_variant": "A",
            "output_id": "q3-a.txt",
            "method": "cross_judge",
            "timestamp": "2026-01-31",
        },
        "scores": {**dict(zip(dimensions, scores, strict=True)), "overall_score": sum(scores)},
        "verdict": verdict,
        "flags": [],
        "evidence": [
            {"dimension": dimension, "quote": quote, "reason": "It shows it."}
            for dimension, quote in zip(dimensions, QUOTES, strict=True)
        ],
        "notes": "",
    }


def bundle_text(label: str) -> str:
    """Return the text of a file of the bundle; some words stand in this file only."""
    stem = label.removesuffix(".pdf")
    web = f"[ChatGPT 联网搜索指令] search the web\nfor {stem}"
    return f"[事实快照] 现象 of {stem}.\n{web}\n[Gemini 深度挖掘指令] 给出来源与表格。"


BUNDLE = Bundle(
    "outputs",
    tuple(Sample(cell.label, bundle_text(cell.label), target_model="deepseek-v3") for cell in DRIFT_BUNDLE.design.cells)
    if DRIFT_BUNDLE.design
    else (),
    target_model="deepseek-v3",
)


def bundle_entry(label: str, scores: tuple[int, int, int, int, int]) -> dict[str, Any]:
    """Return a valid entry for one file."""
    dimensions = DRIFT_BUNDLE.dimension_ids
    stem = label.removesuffix(".pdf")
    quotes = ("[事实快照]", f"现象 of {stem}.", f"for {stem}", "给出来源与表格。", "[Gemini 深度挖掘指令]")
    return {
        "file": label,
        "scores": dict(zip(dimensions, scores, strict=True)),
        "total": sum(scores),
        "evidence": dict(zip(dimensions, quotes, strict=True)),
        "notes": "",
    }


def bundle_reply() -> dict[str, Any]:
    """Return a reply that `drift-bundle` has nothing to say about, in the stricter profile."""
    entries = []
    for position, sample in enumerate(BUNDLE.samples):
        entries.append(bundle_entry(sample.output_id, (2, 2, 2, position % 3, 1)))
    reply = {
        "bundle_meta": {
            "bundle_size": 16,
            "questions": ["q3", "q4"],
            "versions": ["baseline", "long", "weak", "conflict"],
            "trigger_types": ["implicit", "explicit"],
        },
        "per_file_scores": entries,
        "aggregates": {},
        "final_notes": "",
    }
    reply["aggregates"] = aggregates(entries)
    return reply


def aggregates(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the means of the entries' totals in the form of the contract."""
    return {
        "avg_total": mean_total(entries, ""),
        "implicit_vs_explicit_summary": {
            word: {"avg_total": mean_total(entries, word), "notes": ""} for word in ("implicit", "explicit")
        },
        "version_level_summary": {
            word: {"avg_total": mean_total(entries, word), "notes": ""}
            for word in ("baseline", "long", "weak", "conflict")
        },
    }


def mean_total(entries: list[dict[str, Any]], word: str) -> float:
    """Return the mean total of the files whose label has a word in it."""
    totals = [entry["total"] for entry in entries if word in entry["file"]]
    return round(sum(totals) / len(totals), 4)


QUALITY_SAMPLE = Sample("a1", "Paris.", target_model="deepseek-v3", factors={"category": "qa_simple"})


def quality_reply(accuracy: float = 4.5, conciseness: float = 4.0, clarity: float = 4.5) -> dict[str, Any]:
    """Return a reply that `quality` has nothing to say about, for the category `qa_simple`."""
    scores = {"accuracy": accuracy, "conciseness": conciseness, "clarity": clarity}
    return {
        "scores": {name: {"score": score, "justification": "Because."} for name, score in scores.items()},
        "overall_score": round(0.4 * accuracy + 0.3 * conciseness + 0.3 * clarity, 4),
        "strengths": ["short"],
        "weaknesses": [],
        "reasoning": "Right and short.",
    }


GROUNDED_SAMPLE = Sample(
    "lib-1",
    "Hello! The library opens at 10 am. 图书可以借三周。Dogs may come in.",
    question_id="Q7",
    target_model="deepseek-v3",
    materials=(
        Material("document-1", MaterialKind.DOCUMENT, "The library opens at 9 am. Fines are 20 cents a day."),
        Material("document-2", MaterialKind.DOCUMENT, "# 借阅\n图书可以借三周。期刊不外借。"),
        Material("reference-1", MaterialKind.REFERENCE, "Three weeks."),
    ),
)


def grounded_reply() -> dict[str, Any]:
    """Return a reply that `grounded` has nothing to say about: a claim of each finding, and a greeting."""
    opens = {"words": "The library opens at 10 am.", "finding": "contradicted"}
    weeks = {"words": "图书可以借三周", "finding": "supported"}
    return {
        "claims": [
            {**opens, "source": "document-1", "passage": "The library opens at 9 am.", "reason": "9, not 10."},
            {**weeks, "source": "document-2", "passage": "图书可以借三周。"},
            {"words": "Dogs may come in.", "finding": "absent"},
        ],
        "nothing_to_check": ["Hello!"],
    }


def citing_reply() -> dict[str, Any]:
    """Return the same reply by the numbers of sentences."""
    return {
        "claims": [
            {"sentence": 2, "finding": "contradicted", "source": "document-1", "passage": 1},
            {"sentence": 3, "finding": "supported", "source": "document-2", "passage": 2},
            {"sentence": 4, "finding": "absent"},
        ],
        "nothing_to_check": [1],
    }


def changed(reply: dict[str, Any], change: Change) -> bytes:
    """Return the JSON of a reply after a change to a copy of it."""
    copied = copy.deepcopy(reply)
    change(copied)
    return as_json(copied)


def as_json(value: object) -> bytes:
    """Return a value as JSON text."""
    return json.dumps(value, ensure_ascii=False).encode()


CASES: list[tuple[Checker, Subject, dict[str, Any]]] = [
    (checker, subject, reply)
    for protocol, judged, reply in (
        (DRIFT_SAMPLE, SAMPLE, sample_reply()),
        (DRIFT_BUNDLE, BUNDLE, bundle_reply()),
        (QUALITY, QUALITY_SAMPLE, quality_reply()),
        (GROUNDED, GROUNDED_SAMPLE, grounded_reply()),
        (CITING, GROUNDED_SAMPLE, citing_reply()),
    )
    for checker in (Checker(protocol), Checker(protocol, profile="seed"))
    for subject in (prepare(judged), None)
]
CASES += [
    (Checker(DRIFT_SAMPLE, blind=True), prepare(SAMPLE), sample_reply()),
    (Checker(DRIFT_SAMPLE), prepare(SAMPLE), sample_reply((2, 2, 2, 2), "PASS")),
    (Checker(DRIFT_SAMPLE, evidence=EvidenceLevel.EXACT), prepare(SAMPLE), sample_reply()),
    (Checker(DRIFT_BUNDLE, evidence=EvidenceLevel.OFF), prepare(BUNDLE), bundle_reply()),
    (Checker(QUALITY, scale="0-10"), prepare(QUALITY_SAMPLE), quality_reply()),
]
"""Checkers of every bundled protocol under several terms, with what is judged and a reply that they can read."""
