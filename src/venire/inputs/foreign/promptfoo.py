"""Reads what `promptfoo eval -o results.json` or `.jsonl` writes: one judgement for each assertion of each answer."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from venire.domain.canonical import digest
from venire.domain.sample import Sample
from venire.errors import InputError
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
from venire.inputs.tables.materials import kind_by_name
from venire.shapes.recorded import NOT_STATED
from venire.words.said import say

TOOL = "promptfoo"
KNOWN = ("3",)
"""The versions of the format that are known."""


def recognises(file: ForeignFile) -> bool:
    """Tell whether a file is an export of promptfoo."""
    top = file.first_line if file.has_lines else file.top
    if not isinstance(top, dict):
        return bool(_without_grades(file))
    return _is_row(top) or (isinstance(top.get("results"), dict) and "prompts" in top["results"])


def read(file: ForeignFile) -> ForeignResults:
    """Read an export; raises `InputError` for one of a kind that does not tell failed graders from low grades."""
    if kind := _without_grades(file):
        raise InputError("error.foreign.promptfoo_kind", where=str(file.path), kind=kind)
    if _is_row(file.first_line):
        return _read_lines(file)
    top = file.whole()
    results = top["results"]
    file.check_version(TOOL, results.get("version"), KNOWN)
    version = (top.get("metadata") or {}).get("promptfooVersion") or "unknown"
    run = str(top.get("evalId") or "")
    rows = sorted(results.get("results") or (), key=_place)
    is_repeated = int((top.get("runtimeOptions") or {}).get("repeat") or 1) > 1

    def samples() -> Iterator[ForeignSample]:
        return _samples(file, lambda: iter(rows), run, is_repeated)

    return ForeignResults(TOOL, str(version), samples, run, str(results.get("timestamp") or ""))


def _read_lines(file: ForeignFile) -> ForeignResults:
    """Read an export of one row a line, in the order of an export as one value; it names neither version nor run."""
    found = sorted((*_place(row), start, str(row.get("id"))) for start, row in file.lines() if _is_row(row))
    starts = array("Q", (start for _, _, start, _ in found))
    run = digest("promptfoo", [name for *_, name in found])[:8]

    def samples() -> Iterator[ForeignSample]:
        return _samples(file, lambda: file.lines_at(starts), run)

    return ForeignResults(TOOL, NOT_STATED, samples)


def _samples(
    file: ForeignFile, rows: Callable[[], Iterator[dict[str, Any]]], run: str, is_repeated: bool = False
) -> Iterator[ForeignSample]:
    names, repeats = _QuestionNames(rows()), Repeats()
    is_repeated = is_repeated or names.has_repeats

    def sample_of(row: dict[str, Any]) -> ForeignSample:
        question = names.of(row)
        repeat = repeats.number([question, row["promptIdx"], row.get("provider")])
        return _sample(row, question, str(repeat) if is_repeated or repeat > 1 else "", run)

    return file.understood(TOOL, rows(), sample_of)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and {"testIdx", "promptIdx", "gradingResult", "testCase"} <= value.keys()


def _place(row: dict[str, Any]) -> tuple[int, int]:
    return row["testIdx"], row["promptIdx"]


def _without_grades(file: ForeignFile) -> str:
    """Return which other kind of export a file is: one that shows a grader that failed as a 0; empty if it is none."""
    text = file.beginning.decode("utf-8", "replace").lstrip("\ufeff \n")
    if text.startswith("<"):
        return "HTML" if "promptfoo" in text.lower() else ""
    return "CSV" if "Named Scores" in text and "Grader Reason" in text else ""


class _QuestionNames:
    """Names tests by their descriptions, with a digest of their variables where a description is missing or shared."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self._variables: dict[str, set[str]] = {}
        self.has_repeats = False
        repeats = Repeats()
        for row in rows:
            described, variables = _description(row), _variables_digest(row)
            self._variables.setdefault(described, set()).add(variables)
            self.has_repeats |= repeats.number([described, variables, row.get("promptIdx"), row.get("provider")]) > 1

    def of(self, row: dict[str, Any]) -> str:
        """Return the name of a row's test; it is the same for all answers to it."""
        described = _description(row)
        if described and len(self._variables[described]) == 1:
            return described
        return " ".join(filter(None, (described, _variables_digest(row)[:12])))


def _description(row: dict[str, Any]) -> str:
    return clean(str((row.get("testCase") or {}).get("description") or ""))


def _variables_digest(row: dict[str, Any]) -> str:
    return digest("promptfoo-test", plain(row.get("vars") or {}))


def _sample(row: dict[str, Any], question: str, repeat: str, run: str) -> ForeignSample:
    provider, prompt = row.get("provider") or {}, row.get("prompt") or {}
    model = clean(str(provider.get("label") or provider.get("id") or ""))
    variant = clean(str(prompt.get("label") or row.get("promptIdx")))
    response, materials = row.get("response") or {}, MaterialList()
    for name, value in (row.get("vars") or {}).items():
        if (kind := kind_by_name(name)) is not None:
            for text in value if isinstance(value, list) else [value]:
                materials.add(kind, text_of(text))
    sample = Sample(
        output_id=f"{question}/{variant}/{model}{'#' if repeat else ''}{repeat}@{run.removeprefix('eval-')}",
        text=text_of(response.get("output")),
        question_id=question,
        prompt_variant=variant,
        target_model=model,
        task=text_of(prompt.get("raw")),
        factors={"repeat": repeat} if repeat else {},
        materials=materials.listed(),
    )
    components = list(_components((row.get("gradingResult") or {}).get("componentResults")))
    expected = () if components else (row.get("testCase") or {}).get("assert") or ()
    reason = text_of(row.get("error") or response.get("error")) or say("import.no_score")
    return ForeignSample(sample, tuple(_judgements(components, row)), dict.fromkeys(_names(expected), reason))


def _components(results: Any) -> Iterator[dict[str, Any]]:
    """Yield the results of single assertions; a set of assertions holds several."""
    for result in results or ():
        if not result.get("assertion") and result.get("componentResults"):
            yield from _components(result["componentResults"])
        elif result.get("assertion"):
            yield result


def _judgements(components: list[dict[str, Any]], row: dict[str, Any]) -> Iterator[ForeignJudgement]:
    for scorer, result in zip(_names(result["assertion"] for result in components), components, strict=True):
        yield _judgement(scorer, result, _grader(result, row))


def _names(assertions: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the name of each assertion of a test: its metric or its type, numbered from the second of a name on."""
    repeats = Repeats()
    for assertion in assertions:
        name = clean(str(assertion.get("metric") or assertion.get("type")))
        number = repeats.number(name)
        yield f"{name} {number}" if number > 1 else name


def _judgement(scorer: str, result: dict[str, Any], grader: str) -> ForeignJudgement:
    metadata, assertion = result.get("metadata") or {}, result["assertion"]
    score, reason = number_of(result.get("score")), text_of(result.get("reason"))
    has_failed = bool(metadata.get("graderError"))
    is_scored = not has_failed and score is not None
    return ForeignJudgement(
        scorer=scorer,
        by="judge" if _asked_a_model(result) else "",
        judge=grader,
        scores={scorer: score} if is_scored and score is not None else {},
        verdict=("pass" if result.get("pass") else "fail") if is_scored else "",
        not_scored="" if is_scored else "failed" if has_failed else "unscored",
        detail="" if is_scored else reason,
        explanation=reason,
        settings=plain({name: assertion[name] for name in ("type", "rubricPrompt") if name in assertion}),
        record=plain({name: result[name] for name in result if name != "tokensUsed"}),
    )


def _asked_a_model(result: dict[str, Any]) -> bool:
    """Tell whether a model was asked: only then does promptfoo write how many tokens it used."""
    return isinstance(result.get("tokensUsed"), dict)


def _grader(result: dict[str, Any], row: dict[str, Any]) -> str:
    """Return the model that an assertion or its test names as the grader; where neither does, it is not known."""
    if not _asked_a_model(result):
        return ""
    given = result["assertion"].get("provider") or ((row.get("testCase") or {}).get("options") or {}).get("provider")
    if isinstance(given, dict):
        given = given.get("id") or (given.get("text") or {})
    return clean(given) if isinstance(given, str) else ""
