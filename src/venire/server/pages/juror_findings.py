"""What is wrong with a juror's judgement, said beside the dimension that it is about and in the juror's language."""

from __future__ import annotations

from collections.abc import Mapping

from venire.domain.flag import Finding, Severity
from venire.domain.judgement import Judgement
from venire.server.pages.words import PageWords

WHOLE = ""
"""Stands for the judgement as a whole, for findings that are about no single dimension."""


def findings_by_dimension(
    judgement: Judgement, dimensions: tuple[str, ...], words: PageWords
) -> Mapping[str, tuple[str, ...]]:
    """Return what each dimension's part of the form lacks, and under `WHOLE` everything else; each said once."""
    said: dict[str, dict[str, None]] = {}
    for finding in judgement.all_findings:
        if finding.severity is Severity.VIOLATION:
            place = _dimension_of(finding, judgement, dimensions)
            said.setdefault(place, {})[words.rule(finding.rule)] = None
    return {place: tuple(sentences) for place, sentences in said.items()}


def _dimension_of(finding: Finding, judgement: Judgement, dimensions: tuple[str, ...]) -> str:
    parts = finding.pointer.split("/")[1:]
    match parts:
        case ["scores", name, *_] if name in dimensions:
            return name
        case ["evidence", number, *_] if number.isdigit() and int(number) < len(judgement.evidence):
            return judgement.evidence[int(number)].dimension
        case ["evidence"]:
            return next((name for name in dimensions if finding.expected.endswith(f" {name}")), WHOLE)
    return WHOLE
