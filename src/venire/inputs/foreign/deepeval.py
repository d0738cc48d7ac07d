"""Reads DeepEval's test runs: the files of its results folder and `.deepeval/.latest_test_run.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from venire.domain.canonical import digest
from venire.domain.material import MaterialKind
from venire.domain.sample import Sample
from venire.inputs.foreign.file import ForeignFile
from venire.inputs.foreign.results import (
    ForeignJudgement,
    ForeignResults,
    ForeignSample,
    MaterialList,
    Repeats,
    clean,
    number_of,
    plain,
    text_of,
)
from venire.shapes.recorded import NOT_STATED

TOOL = "deepeval"
_WRAPPED = "testRunData"


def recognises(file: ForeignFile) -> bool:
    """Tell whether a file is a test run of DeepEval."""
    top = file.top
    run = top.get(_WRAPPED, top) if isinstance(top, dict) else None
    return isinstance(run, dict) and isinstance(run.get("testCases"), list) and "metricsScores" in run


def read(file: ForeignFile) -> ForeignResults:
    """Read a test run. The file says no version; a case without its metrics is of a form that is not known."""
    top = file.whole()
    run = top.get(_WRAPPED) or top
    cases = [*run["testCases"], *(run.get("conversationalTestCases") or ())]
    if cases and not any("metricsData" in case for case in cases):
        file.check_version(TOOL, "?", ("testCases with metricsData",))
    name = digest("deepeval", plain([run.get("identifier"), cases]))[:8]

    def samples() -> Iterator[ForeignSample]:
        repeats = Repeats()

        def sample_of(case: dict[str, Any]) -> ForeignSample:
            asked = [case.get("name"), case.get("input"), case.get("scenario")]
            return _sample(case, run, repeats.number(asked), name)

        return file.understood(TOOL, cases, sample_of)

    return ForeignResults(TOOL, NOT_STATED, samples, text_of(run.get("identifier")))


def _sample(case: dict[str, Any], run: dict[str, Any], repeat: int, name: str) -> ForeignSample:
    question, parameters = clean(str(case.get("name") or case.get("order"))), run.get("hyperparameters") or {}
    turns = [turn for turn in case.get("turns") or () if isinstance(turn, dict)]
    model = parameters.get("model")
    sample = Sample(
        output_id=f"{question}#{repeat}@{name}" if repeat > 1 else f"{question}@{name}",
        text=text_of(turns[-1].get("content") if turns else case.get("actualOutput")),
        question_id=question,
        prompt_variant=text_of(run.get("identifier")),
        target_model=clean(model) if isinstance(model, str) else "",
        task=text_of(case.get("input") or case.get("scenario")),
        factors={"repeat": str(repeat)} if repeat > 1 else {},
        notes={name: text_of(case[name]) for name in ("comments",) if case.get(name)},
        materials=_materials(case, turns),
    )
    return ForeignSample(sample, tuple(_judgement(metric) for metric in case.get("metricsData") or ()))


def _materials(case: dict[str, Any], turns: list[dict[str, Any]]) -> Any:
    materials = MaterialList()
    for field in ("retrievalContext", "context"):
        for document in case.get(field) or ():
            materials.add(MaterialKind.DOCUMENT, text_of(document))
    materials.add(MaterialKind.REFERENCE, text_of(case.get("expectedOutput") or case.get("expectedOutcome")))
    for turn in turns[:-1]:
        materials.add(MaterialKind.TURN, text_of(turn.get("content")), text_of(turn.get("role")))
    for call in case.get("toolsCalled") or ():
        materials.add_call(call)
        materials.add(MaterialKind.TOOL_RESULT, text_of(call.get("output")), text_of(call.get("name")))
    return materials.listed()


def _judgement(metric: dict[str, Any]) -> ForeignJudgement:
    scorer, score, error = clean(str(metric.get("name"))), number_of(metric.get("score")), text_of(metric.get("error"))
    is_scored = score is not None and not error
    model = metric.get("evaluationModel")
    return ForeignJudgement(
        scorer=scorer,
        by="judge" if model else "",
        judge=clean(str(model or "")),
        scores={scorer: score} if is_scored and score is not None else {},
        verdict=("pass" if metric.get("success") else "fail") if is_scored else "",
        not_scored="" if is_scored else "failed" if error else "unscored",
        detail=error,
        explanation=text_of(metric.get("reason")),
        settings=plain({name: metric[name] for name in ("strictMode",) if name in metric}),
        record=plain(metric),
        input_tokens=metric.get("inputTokenCount"),
        output_tokens=metric.get("outputTokenCount"),
    )
