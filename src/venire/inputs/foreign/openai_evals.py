"""Reads the logs of OpenAI Evals (`oaieval`): one event a line; those of a sample need not stand together."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from venire.domain.material import MaterialKind
from venire.domain.sample import Sample
from venire.inputs.foreign.file import ForeignFile
from venire.inputs.foreign.results import (
    ForeignJudgement,
    ForeignResults,
    ForeignSample,
    MaterialList,
    clean,
    number_of,
    plain,
    text_of,
)
from venire.shapes.recorded import NOT_STATED

TOOL = "openai-evals"
UNREADABLE = "__invalid__"
"""What Evals writes for a grade that it could not read; it counts such a one as the lowest score."""
_GRADING = "ModelBasedClassify"


def recognises(file: ForeignFile) -> bool:
    """Tell whether a file is a log of Evals: its first line says what was run."""
    spec = file.first_line.get("spec") if isinstance(file.first_line, dict) else None
    return isinstance(spec, dict) and "eval_name" in spec


def read(file: ForeignFile) -> ForeignResults:
    """Read a log. It says no version; one without the completion functions is of a form that is not known."""
    spec = file.first_line["spec"]
    if not isinstance(spec.get("completion_fns"), list):
        file.check_version(TOOL, "?", ("spec with completion_fns",))

    def samples() -> Iterator[ForeignSample]:
        return file.understood(TOOL, _events_by_sample(file), lambda named: _sample(*named, spec))

    return ForeignResults(TOOL, NOT_STATED, samples, str(spec.get("run_id") or ""), str(spec.get("created_at") or ""))


def _events_by_sample(file: ForeignFile) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the events of each sample in the order in which samples first occur; threads write them in any order.

    Only the places of the lines are kept: they are read a second time.
    """
    found: dict[str, array[int]] = {}
    for start, event in file.lines():
        if isinstance(event, dict) and event.get("sample_id") is not None:
            found.setdefault(str(event["sample_id"]), array("Q")).append(start)
    for name, starts in found.items():
        yield name, list(file.lines_at(starts))


def _sample(name: str, events: list[dict[str, Any]], spec: dict[str, Any]) -> ForeignSample:
    functions = [str(each) for each in spec.get("completion_fns") or ()]
    is_graded = _GRADING in str(((spec.get("run_config") or {}).get("eval_spec") or {}).get("cls"))
    samplings = [event["data"] for event in events if event.get("type") == "sampling"]
    matches = [event for event in events if event.get("type") == "match"]
    grading = samplings[-1] if is_graded and len(samplings) > 1 else {}
    answer = samplings[0] if samplings else {}
    prompt, materials = answer.get("prompt"), MaterialList()
    for match in matches:
        expected = match["data"].get("expected")
        for reference in expected if isinstance(expected, list) else [expected]:
            materials.add(MaterialKind.REFERENCE, text_of(reference))
    if isinstance(prompt, list) and len(prompt) > 1:
        materials.add_messages(prompt)
    sample = Sample(
        output_id=f"{clean(name)}@{str(spec.get('run_id') or '')[-8:]}",
        text=_said(answer) or (text_of(matches[0]["data"].get("sampled")) if matches else ""),
        question_id=clean(name),
        target_model=clean(functions[0]) if functions else "",
        task=_task(prompt),
        materials=materials.listed(),
    )
    grader = (functions[-1] if is_graded else "") if functions else ""
    judgements = [_match(event, spec) for event in matches]
    judgements += [_metrics(event, spec, grader, grading) for event in events if event.get("type") == "metrics"]
    errors = [event["data"] for event in events if event.get("type") == "error"]
    unjudged = {_scorer(spec): text_of(errors[0].get("error") or errors[0])} if errors and not judgements else {}
    return ForeignSample(sample, tuple(judgements), unjudged)


def _scorer(spec: dict[str, Any]) -> str:
    return clean(str(spec.get("base_eval") or spec.get("eval_name")))


def _task(prompt: Any) -> str:
    users = [each for each in prompt if isinstance(each, dict)] if isinstance(prompt, list) else []
    return text_of(users[-1].get("content")) if users else text_of(prompt)


def _said(sampling: dict[str, Any]) -> str:
    sampled = sampling.get("sampled")
    return text_of(sampled[0] if isinstance(sampled, list) and sampled else sampled)


def _match(event: dict[str, Any], spec: dict[str, Any]) -> ForeignJudgement:
    data, scorer = event["data"], _scorer(spec)
    correct = data.get("correct")
    is_scored = isinstance(correct, bool)
    return ForeignJudgement(
        scorer=scorer,
        scores={scorer: float(correct)} if is_scored else {},
        verdict=("correct" if correct else "incorrect") if is_scored else "",
        not_scored="" if is_scored else "unscored",
        time=text_of(event.get("created_at")),
        record=plain({"match": data}),
    )


def _metrics(event: dict[str, Any], spec: dict[str, Any], grader: str, grading: dict[str, Any]) -> ForeignJudgement:
    data, scorer = event["data"], _scorer(spec)
    choice, score = data.get("choice"), number_of(data.get("score"))
    if "score" in data or "choice" in data:
        scores = {} if score is None else {scorer: score}
    else:
        scores = {clean(str(name)): number for name in data if (number := number_of(data[name])) is not None}
    is_unreadable = choice == UNREADABLE
    verdict = text_of(choice) if choice is not None and not is_unreadable else ""
    return ForeignJudgement(
        scorer=scorer,
        by="judge" if grader else "",
        judge=clean(grader),
        scores={} if is_unreadable else scores,
        verdict=verdict,
        not_scored="unreadable" if is_unreadable else "" if scores or verdict else "unscored",
        detail=_said(grading) if is_unreadable else "",
        reply=_said(grading),
        time=text_of(event.get("created_at")),
        record=plain({"metrics": data}),
    )
