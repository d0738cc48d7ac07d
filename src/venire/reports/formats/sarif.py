"""Findings as a SARIF 2.1.0 log, for code-scanning viewers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from venire.domain.flag import Finding, Severity
from venire.domain.rule import EVIDENCE_UNCHECKED, RULES
from venire.reports.formats.check_record import CheckCase
from venire.reports.words import ReportWords
from venire.version import __version__

_UNREAD = "input.unread"
_NOT_A_REPLY = "input.not-a-reply"
_OWN_RULES = {_UNREAD: "sarif.rule.unread", _NOT_A_REPLY: "sarif.rule.not_a_reply"}


def sarif_report(cases: Iterable[CheckCase], words: ReportWords) -> str:
    """Return a SARIF log of all findings."""
    results: list[dict[str, Any]] = []
    for case in cases:
        if not case.is_reply:
            results.append(_result(_NOT_A_REPLY, "note", words("sarif.not_a_reply"), case.name, ""))
            continue
        if case.judgement is None:
            results.append(_result(_UNREAD, "error", words.of(case.problem), case.name, ""))
            continue
        results += [_of_finding(finding, case.name, words) for finding in case.judgement.all_findings]
    used = sorted({result["ruleId"] for result in results})
    driver = {
        "name": "venire",
        "version": __version__,
        "rules": [{"id": rule_id, "shortDescription": {"text": _rule_text(rule_id, words)}} for rule_id in used],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _of_finding(finding: Finding, name: str, words: ReportWords) -> dict[str, Any]:
    level = "error" if finding.severity is Severity.VIOLATION else "note"
    code = "sarif.not_compared" if finding.rule == EVIDENCE_UNCHECKED.id else "sarif.finding"
    text = words(code, expected=finding.expected, found=finding.found)
    return _result(finding.rule, level, text, name, finding.pointer)


def _result(rule_id: str, level: str, text: str, name: str, pointer: str) -> dict[str, Any]:
    path, _, line = name.rpartition(":")
    is_line = bool(path) and line.isdigit()
    location: dict[str, Any] = {"artifactLocation": {"uri": path if is_line else name}}
    if is_line:
        location["region"] = {"startLine": int(line)}
    where: dict[str, Any] = {"physicalLocation": location}
    if pointer:
        where["logicalLocations"] = [{"fullyQualifiedName": pointer}]
    return {"ruleId": rule_id, "level": level, "message": {"text": text}, "locations": [where]}


def _rule_text(rule_id: str, words: ReportWords) -> str:
    return words.rule(RULES[rule_id]) if rule_id in RULES else words(_OWN_RULES[rule_id])
