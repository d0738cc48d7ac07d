"""A gate's outcome as JSON, as JUnit XML and as a Markdown summary, for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec

from venire.reports.gate_result import Outcome, found_text

if TYPE_CHECKING:
    from venire.reports.gate_result import GateResult, RuleResult

SUITE = "venire.gate"
"""The name of the suite of test cases."""


def gate_json(gate: GateResult) -> str:
    """Return everything as JSON, with whether the gate is open."""
    record = {"passed": gate.passed, **msgspec.to_builtins(gate)}
    return msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"


def gate_junit(gate: GateResult) -> str:
    """Return a JUnit document with one test case for each rule.

    A rule that fails is a failure; one that is undecided or not known is an error if it blocks, else it is skipped.
    """
    suite = ElementTree.Element("testsuite", name=SUITE, tests=str(len(gate.results)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for result in gate.results:
        case = ElementTree.SubElement(suite, "testcase", classname=f"{SUITE}.{result.check}", name=_plain(result.name))
        kind = _junit_kind(result)
        if kind:
            counts[kind] += 1
            message = f"{result.outcome}: expected {result.expected}, found {found_text(result.found)}"
            ElementTree.SubElement(case, kind, message=_plain(message)).text = _plain(_explanation(result))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def gate_markdown(gate: GateResult) -> str:
    """Return a summary with a row for each rule; names of the data cannot break the table or bring in markup."""
    word = "open" if gate.passed else "closed"
    against = f", against {_cell(gate.baseline)}" if gate.baseline else ""
    blocked = sum(result.blocks for result in gate.results)
    lines = [
        f"## Gate {word}: {_cell(gate.source)}{against}",
        "",
        f"{len(gate.results) - blocked} of {len(gate.results)} rules let it pass.",
        "",
        "| rule | expected | found | outcome |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {_cell(result.name)} | {_cell(result.expected)} | {_cell(found_text(result.found))} "
        f"| {_mark(result)} {result.outcome} |"
        for result in gate.results
    ]
    notes = [f"- {_cell(result.name)}: {_cell(_explanation(result))}" for result in gate.results if result.detail]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _junit_kind(result: RuleResult) -> str:
    if result.outcome is Outcome.FAILED:
        return "failure"
    if result.outcome is Outcome.PASSED:
        return ""
    return "error" if result.blocks else "skipped"


def _mark(result: RuleResult) -> str:
    return "❌" if result.blocks else "✅" if result.outcome is Outcome.PASSED else "⚪"


def _explanation(result: RuleResult) -> str:
    return "; ".join(filter(None, (result.detail, f"rule at {result.line}" if result.line else "on by default")))


def _plain(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(letter if letter.isprintable() or letter in "\t\n" else "\ufffd" for letter in text)


def _cell(text: str) -> str:
    plain = _plain(text.replace("\n", " ")).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "\\`*_[]|#" else letter for letter in plain)
