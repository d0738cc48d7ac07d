"""Findings as a SARIF 2.1.0 log, for code-scanning viewers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from venire.domain.flag import Finding, Severity
from venire.domain.rule import EVIDENCE_UNCHECKED, RULES
from venire.reports.formats.check_record import CheckCase
from venire.version import __version__

_UNREAD = "input.unread"
_NOT_A_REPLY = "input.not-a-reply"
_OWN_RULES = {_UNREAD: "The reply must be readable.", _NOT_A_REPLY: "Files that are not replies are only listed."}


def sarif_report(cases: Iterable[CheckCase]) -> str:
    """Return a SARIF log of all findings."""
    results: list[dict[str, Any]] = []
    for case in cases:
        if not case.is_reply:
            results.append(_result(_NOT_A_REPLY, "note", "The file is not a reply; it is not counted.", case.name, ""))
            continue
        if case.judgement is None:
            results.append(_result(_UNREAD, "error", case.problem, case.name, ""))
            continue
        results += [_of_finding(finding, case.name) for finding in case.judgement.all_findings]
    used = sorted({result["ruleId"] for result in results})
    driver = {
        "name": "venire",
        "version": __version__,
        "rules": [{"id": rule_id, "shortDescription": {"text": _rule_text(rule_id)}} for rule_id in used],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _of_finding(finding: Finding, name: str) -> dict[str, Any]:
    level = "error" if finding.severity is Severity.VIOLATION else "note"
    text = f"Expected {finding.expected}; found {finding.found}."
    if finding.rule == EVIDENCE_UNCHECKED.id:
        text = f"Quotes not compared. {text}"
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


def _rule_text(rule_id: str) -> str:
    return RULES[rule_id].says() if rule_id in RULES else _OWN_RULES[rule_id]
