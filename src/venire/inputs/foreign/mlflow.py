"""Reads MLflow's traces with their assessments, from its SQLite database or as `Trace.to_dict` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from venire.domain.material import MaterialKind
from venire.domain.sample import Sample
from venire.inputs.foreign.file import ForeignFile
from venire.inputs.foreign.mlflow_store import is_store, stored_traces
from venire.inputs.foreign.results import (
    By,
    ForeignJudgement,
    ForeignResults,
    ForeignSample,
    MaterialList,
    clean,
    number_of,
    plain,
    text_of,
)

TOOL = "mlflow"
KNOWN = ("3",)
"""The versions of the schema of traces that are known."""
_SCHEMA = "mlflow.trace_schema.version"
_BY: dict[str, By] = {"HUMAN": "human", "LLM_JUDGE": "judge", "AI_JUDGE": "judge", "CODE": "code"}
_YES = {"yes": 1.0, "no": 0.0}
"""What MLflow counts its judges' words as."""


def recognises(file: ForeignFile) -> bool:
    """Tell whether a file holds traces: one, a list of them, an object with a list, one a line, or a database."""
    return is_store(file) or any(_is_trace(trace) for trace in (file.first_line, *_listed(file.top)))


def read(file: ForeignFile) -> ForeignResults:
    """Read the traces of a file."""

    def traces() -> Iterator[dict[str, Any]]:
        for trace in _traces(file):
            if _is_trace(trace):
                file.check_version(TOOL, (trace["info"].get("trace_metadata") or {}).get(_SCHEMA), KNOWN)
                yield trace

    def samples() -> Iterator[ForeignSample]:
        return file.understood(TOOL, traces(), _sample)

    first = next(traces())
    version = (first["info"].get("trace_metadata") or {}).get(_SCHEMA)
    return ForeignResults(
        TOOL, f"trace schema {version}", samples, created=str(first["info"].get("request_time") or "")
    )


def _is_trace(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("info"), dict) and "trace_id" in value["info"]


def _listed(top: Any) -> list[Any]:
    if isinstance(top, dict) and isinstance(top.get("traces"), list):
        return list(top["traces"])
    return list(top) if isinstance(top, list) else [top]


def _traces(file: ForeignFile) -> Iterator[Any]:
    if file.is_sqlite:
        yield from stored_traces(file)
    elif file.has_lines:
        yield from (line.value for line in file.lines())
    else:
        yield from _listed(file.top)


def _sample(trace: dict[str, Any]) -> ForeignSample:
    info, spans = trace["info"], [_span(span) for span in (trace.get("data") or {}).get("spans") or ()]
    root = next((span for span in spans if not span["parent"]), {"inputs": None, "outputs": None})
    asked = root["inputs"] if root["inputs"] is not None else _decoded(info.get("request_preview"))
    said = root["outputs"] if root["outputs"] is not None else _decoded(info.get("response_preview"))
    assessments = [each for each in info.get("assessments") or () if isinstance(each, dict)]
    sample = Sample(
        output_id=clean(str(info["trace_id"])),
        text=_answer(said),
        question_id=_question(asked),
        target_model=next((span["model"] for span in spans if span["model"]), ""),
        task=_question(asked),
        notes=_notes(info),
        materials=_materials(spans, assessments),
    )
    return ForeignSample(sample, tuple(_judgements(assessments)))


def _span(span: dict[str, Any]) -> dict[str, Any]:
    attributes = {name: _decoded(value) for name, value in (span.get("attributes") or {}).items()}
    model = attributes.get("mlflow.llm.model") or attributes.get("gen_ai.request.model")
    return {
        "parent": span.get("parent_span_id") or span.get("parent_id"),
        "type": attributes.get("mlflow.spanType"),
        "name": clean(str(span.get("name") or "")),
        "inputs": attributes.get("mlflow.spanInputs"),
        "outputs": attributes.get("mlflow.spanOutputs"),
        "model": clean(model) if isinstance(model, str) else "",
    }


def _decoded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _answer(said: Any) -> str:
    """Return the words of an answer: of OpenAI's form the message, otherwise the whole value."""
    if isinstance(said, dict) and isinstance(said.get("choices"), list) and said["choices"]:
        return text_of((said["choices"][0].get("message") or {}).get("content"))
    return text_of(said)


def _question(asked: Any) -> str:
    """Return what was asked: the last message of the user, or the only argument."""
    messages = asked.get("messages") if isinstance(asked, dict) else None
    users = [each for each in messages or () if isinstance(each, dict) and each.get("role") == "user"]
    if users:
        return text_of(users[-1].get("content"))
    if isinstance(asked, dict) and len(asked) == 1:
        return text_of(next(iter(asked.values())))
    return text_of(asked)


def _notes(info: dict[str, Any]) -> dict[str, str]:
    metadata, tags = info.get("trace_metadata") or {}, info.get("tags") or {}
    told = {
        "trace": tags.get("mlflow.traceName"),
        "run": metadata.get("mlflow.sourceRun"),
        "session": metadata.get("mlflow.trace.session"),
    }
    told |= {"request_time": info.get("request_time"), "milliseconds": info.get("execution_duration_ms")}
    return {name: text_of(value) for name, value in told.items() if value is not None}


def _materials(spans: list[dict[str, Any]], assessments: list[dict[str, Any]]) -> Any:
    materials = MaterialList()
    for span in spans:
        if span["type"] == "RETRIEVER" and isinstance(span["outputs"], list):
            for document in span["outputs"]:
                page = document.get("page_content") if isinstance(document, dict) else None
                materials.add(MaterialKind.DOCUMENT, text_of(page if page is not None else document))
        elif span["type"] == "TOOL":
            materials.add_call({"name": span["name"], "arguments": span["inputs"]})
            materials.add(MaterialKind.TOOL_RESULT, text_of(span["outputs"]), span["name"])
    for assessment in assessments:
        if "expectation" in assessment:
            materials.add(MaterialKind.REFERENCE, text_of((assessment["expectation"] or {}).get("value")))
    return materials.listed()


def _judgements(assessments: list[dict[str, Any]]) -> Iterator[ForeignJudgement]:
    seen: dict[tuple[str, str, str], int] = {}
    for assessment in assessments:
        if "feedback" not in assessment:
            continue
        source = assessment.get("source") or {}
        key = (str(assessment.get("assessment_name")), str(source.get("source_type")), str(source.get("source_id")))
        repeat = seen[key] = seen.get(key, -1) + 1
        yield _judgement(assessment, source, repeat)


def _judgement(assessment: dict[str, Any], source: dict[str, Any], repeat: int) -> ForeignJudgement:
    scorer, feedback = clean(str(assessment.get("assessment_name"))), assessment.get("feedback") or {}
    error = feedback.get("error") or {}
    scores, verdict = _values(scorer, feedback.get("value"))
    not_scored = "failed" if error else "" if scores or verdict else "unscored"
    if assessment.get("valid") is False:
        not_scored = "replaced"
    metadata = assessment.get("metadata") or {}
    return ForeignJudgement(
        scorer=scorer,
        by=_BY.get(str(source.get("source_type")), ""),
        judge=clean(str(source.get("source_id") or "")),
        scores=scores,
        verdict=verdict,
        not_scored=not_scored,
        detail=": ".join(filter(None, map(text_of, (error.get("error_code"), error.get("error_message"))))),
        explanation=text_of(assessment.get("rationale")),
        time=text_of(assessment.get("create_time")),
        repeat=repeat,
        settings=plain({name: metadata[name] for name in metadata if name.endswith("scorerDigest")}),
        record=plain(assessment),
    )


def _values(scorer: str, value: Any) -> tuple[dict[str, float], str]:
    if isinstance(value, dict):
        numbers = {clean(str(name)): number_of(item) for name, item in value.items()}
        return {name: number for name, number in numbers.items() if number is not None}, ""
    if isinstance(value, (bool, int, float)):
        number = number_of(value)
        verdict = str(value).lower() if isinstance(value, bool) else ""
        return ({} if number is None else {scorer: number}), verdict
    words = text_of(value)
    return ({scorer: _YES[words.lower()]} if words.lower() in _YES else {}), words
