"""Reads Inspect's logs, `.eval` and `.json`: scores by scorer, and the graders behind each from the model's events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from zipfile import ZipFile

from venire.domain.material import MaterialKind
from venire.domain.sample import Sample
from venire.inputs.foreign.file import ForeignFile, json_value
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
from venire.inputs.foreign.zip_members import read_member
from venire.words.said import say

TOOL = "inspect"
KNOWN = ("2",)
"""The versions of the format that are known."""
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect counts its letters as: correct, partly, incorrect, no answer."""
_NO_GRADE = "Grade not found in model output"
"""How Inspect explains that it could not read a grade; older versions then wrote `I`."""
_GRADE = re.compile(r"GRADE\s*:\s*(correct|incorrect|partial|[CPIN])\b", re.IGNORECASE)


def recognises(file: ForeignFile) -> bool:
    """Tell whether a file is a log of Inspect."""
    if file.is_zip:
        with ZipFile(file.path) as archive:
            return {"header.json", "_journal/start.json"} & set(archive.namelist()) != set()
    top = file.top
    return isinstance(top, dict) and isinstance(top.get("eval"), dict) and "run_id" in top["eval"]


def read(file: ForeignFile) -> ForeignResults:
    """Read a log; a log of a run that was broken off gives what it holds."""
    header = _header(file)
    file.check_version(TOOL, header.get("version"), KNOWN)
    spec = header.get("eval") or {}
    version = (spec.get("packages") or {}).get("inspect_ai") or "unknown"

    def samples() -> Iterator[ForeignSample]:
        return file.understood(TOOL, _raw_samples(file), lambda sample: _sample(sample, spec))

    return ForeignResults(TOOL, str(version), samples, str(spec.get("eval_id") or ""), str(spec.get("created") or ""))


def _header(file: ForeignFile) -> dict[str, Any]:
    if not file.is_zip:
        return file.whole()
    with ZipFile(file.path) as archive:
        names = archive.namelist()
        name = "header.json" if "header.json" in names else "_journal/start.json"
        header: dict[str, Any] = json_value(read_member(archive, name, file.path), f"{file.path}: {name}")
        return header


def _raw_samples(file: ForeignFile) -> Iterator[dict[str, Any]]:
    if not file.is_zip:
        yield from file.whole().get("samples") or ()
        return
    with ZipFile(file.path) as archive:
        for name in archive.namelist():
            if name.startswith("samples/") and name.endswith(".json"):
                yield json_value(read_member(archive, name, file.path), f"{file.path}: {name}")


def _sample(raw: dict[str, Any], spec: dict[str, Any]) -> ForeignSample:
    resolve = _Attachments(raw.get("attachments") or {}).resolve
    question, epoch = clean(str(raw.get("id"))), int(raw.get("epoch") or 1)
    is_repeated = int((spec.get("config") or {}).get("epochs") or 1) > 1
    run = str(spec.get("eval_id") or "")
    output = raw.get("output") or {}
    sample = Sample(
        output_id=f"{question}#{epoch}@{run[:8]}" if is_repeated else f"{question}@{run[:8]}",
        text=clean(resolve(_completion(output))),
        question_id=question,
        target_model=clean(str(spec.get("model") or output.get("model") or "")),
        task=_task(raw.get("input"), resolve),
        factors={"epoch": str(epoch)} if is_repeated else {},
        notes=_notes(raw.get("metadata")),
        materials=_materials(raw, resolve).listed(),
    )
    scores, reason = (
        raw.get("scores") or {},
        clean(str((raw.get("error") or {}).get("message") or say("import.no_score"))),
    )
    expected = [clean(str(each.get("name"))) for each in spec.get("scorers") or ()]
    judgements = tuple(
        judgement
        for name, score in scores.items()
        for judgement in _judgements(clean(str(name)), score, _graders(raw, name, resolve), spec)
    )
    return ForeignSample(sample, judgements, {name: reason for name in expected if name not in scores})


class _Attachments:
    """Long texts stand once in a log, and are named by their digest elsewhere."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def resolve(self, text: str) -> str:
        """Return the text that is meant."""
        return self._texts.get(text.removeprefix("attachment://"), text) if text.startswith("attachment://") else text


def _completion(output: dict[str, Any]) -> str:
    if isinstance(output.get("completion"), str):
        return str(output["completion"])
    choices = output.get("choices") or [{}]
    return text_of((choices[0].get("message") or {}).get("content"))


def _task(given: Any, resolve: Any) -> str:
    if isinstance(given, str):
        return clean(resolve(given))
    asked = [each for each in given or () if isinstance(each, dict) and each.get("role") == "user"]
    return resolve(text_of(asked[-1].get("content"))) if asked else ""


def _materials(raw: dict[str, Any], resolve: Any) -> MaterialList:
    materials, target = MaterialList(), raw.get("target")
    for reference in target if isinstance(target, list) else [target]:
        materials.add(MaterialKind.REFERENCE, resolve(text_of(reference)))
    messages = [
        {**each, "content": resolve(text_of(each.get("content")))}
        for each in raw.get("messages") or ()
        if isinstance(each, dict)
    ]
    if len(messages) > 2:  # more than one question and the answer to it, which are the task and the output
        is_answer = messages[-1].get("role") == "assistant" and not messages[-1].get("tool_calls")
        materials.add_messages(messages[:-1] if is_answer else messages)
    return materials


def _notes(metadata: Any) -> dict[str, str]:
    given = metadata if isinstance(metadata, dict) else {}
    return {clean(str(name)): text_of(value) for name, value in given.items() if isinstance(value, (str, int, float))}


def _graders(raw: dict[str, Any], scorer: str, resolve: Any) -> list[dict[str, Any]]:
    """Return what models said inside the span of a scorer."""
    parents, wanted, said = {}, set(), []
    for event in raw.get("events") or ():
        if event.get("event") == "span_begin":
            parents[event.get("id")] = event.get("parent_id")
            if event.get("type") == "scorer" and event.get("name") == scorer:
                wanted.add(event.get("id"))
        if event.get("event") == "model" and _is_inside(event.get("span_id"), wanted, parents):
            output = event.get("output") or {}
            usage = output.get("usage") or {}
            said.append(
                {
                    "model": clean(str(event.get("model") or output.get("model") or "")),
                    "reply": clean(resolve(_completion(output))),
                    "error": event.get("error"),
                    "time": str(event.get("timestamp") or ""),
                    "config": event.get("config") or {},
                    "input_tokens": usage.get("input_tokens"),
                    "output_tokens": usage.get("output_tokens"),
                }
            )
    return said


def _is_inside(span: Any, wanted: set[Any], parents: dict[Any, Any]) -> bool:
    for _ in range(len(parents) + 1):
        if span is None or span in wanted:
            return span is not None
        span = parents.get(span)
    return False


def _judgements(
    scorer: str, score: dict[str, Any], graders: list[dict[str, Any]], spec: dict[str, Any]
) -> Iterator[ForeignJudgement]:
    """Yield what a scorer gave: of one grader or none its score; of a panel each grader's, and the combined one."""
    options = _options(scorer, spec)
    if len(graders) < 2:
        yield _scored(scorer, score, graders[0] if graders else None, options)
        return
    votes = _votes(score, options)
    seen: dict[str, int] = {}
    for grader in graders:
        repeat = seen[grader["model"]] = seen.get(grader["model"], -1) + 1
        yield _member(scorer, grader, votes, options, repeat)
    yield _scored(scorer, score, None, options, combined=True)


def _scored(
    scorer: str,
    score: dict[str, Any],
    grader: dict[str, Any] | None,
    options: dict[str, Any],
    *,
    combined: bool = False,
) -> ForeignJudgement:
    value, explanation = score.get("value"), clean(str(score.get("explanation") or ""))
    scores, verdict = _values(scorer, value)
    not_scored = ""
    if explanation.startswith(_NO_GRADE):
        not_scored, scores, verdict = "unreadable", {}, ""
    elif not scores and not verdict:
        not_scored = "unscored"
    reason = score.get("reason") or (score.get("metadata") or {}).get("unscored_reason")
    said = grader or {}
    return ForeignJudgement(
        scorer=scorer,
        by="combined" if combined else "judge" if grader else "",
        judge=said.get("model", ""),
        scores=scores,
        verdict=verdict,
        not_scored=not_scored,
        detail=": ".join(filter(None, (clean(str(reason or "")), explanation))) if not_scored else "",
        explanation=explanation,
        reply=said.get("reply", ""),
        time=said.get("time", ""),
        settings=_settings(options, said),
        record=plain({"score": {name: item for name, item in score.items() if name != "metadata"}}),
        input_tokens=said.get("input_tokens"),
        output_tokens=said.get("output_tokens"),
    )


def _values(scorer: str, value: Any) -> tuple[dict[str, float], str]:
    """Return the scores of a value, and the verdict of one in words; neither of NaN, which stands for no score."""
    if isinstance(value, dict):
        numbers = {clean(str(name)): LETTERS.get(item) if isinstance(item, str) else number_of(item)
                   for name, item in value.items()}  # fmt: skip
        return {name: number for name, number in numbers.items() if number is not None}, ""
    if isinstance(value, str):
        return ({scorer: LETTERS[value]} if value in LETTERS else {}), clean(value)
    number = number_of(value)
    return ({} if number is None else {scorer: number}), ""


def _member(
    scorer: str, grader: dict[str, Any], votes: dict[str, str | None] | None, options: dict[str, Any], repeat: int
) -> ForeignJudgement:
    """Return one grader's part in a panel: its vote as Inspect recorded it, or the grade in its words."""
    vote = votes.get(grader["model"]) if votes is not None else _grade_in(grader["reply"], options)
    failed = "failed" if grader["error"] else "" if vote else "unreadable"
    return ForeignJudgement(
        scorer=scorer,
        by="judge",
        judge=grader["model"],
        scores={scorer: LETTERS[vote]} if vote in LETTERS and vote else {},
        verdict=vote or "",
        not_scored=failed,
        detail=clean(str(grader["error"] or grader["reply"])) if failed else "",
        reply=grader["reply"],
        time=grader["time"],
        repeat=repeat,
        settings=_settings(options, grader),
        record=plain({"model_event": {name: grader[name] for name in ("model", "reply", "error", "time")}}),
        input_tokens=grader["input_tokens"],
        output_tokens=grader["output_tokens"],
    )


def _votes(score: dict[str, Any], options: dict[str, Any]) -> dict[str, str | None] | None:
    """Return the votes of a panel by model, where Inspect recorded them and the models' names tell them apart."""
    votes = ((score.get("metadata") or {}).get("panel") or {}).get("votes")
    models = options.get("model")
    if not isinstance(votes, list) or not isinstance(models, list) or len(votes) != len(models):
        return None
    names = [str(each.get("model") if isinstance(each, dict) else each) for each in models]
    return dict(zip(names, votes, strict=True)) if len(set(names)) == len(names) else None


def _grade_in(reply: str, options: dict[str, Any]) -> str | None:
    """Return the last grade in a grader's words; of a pattern that the user wrote nothing is known."""
    found = [] if options.get("grade_pattern") else _GRADE.findall(reply)
    return str(found[-1][0]).upper() if found else None


def _options(scorer: str, spec: dict[str, Any]) -> dict[str, Any]:
    scorers = spec.get("scorers") or ()
    return next((each.get("options") or {} for each in scorers if each.get("name") == scorer), {})


def _settings(options: dict[str, Any], grader: dict[str, Any]) -> dict[str, Any]:
    """Return how a grader was asked; its model is told apart by its name."""
    asked = {name: value for name, value in options.items() if name != "model"}
    config = {name: value for name, value in (grader.get("config") or {}).items() if value is not None}
    settings: dict[str, Any] = plain({**asked, **({"generate": config} if config else {})})
    return settings
