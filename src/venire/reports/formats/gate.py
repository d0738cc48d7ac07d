"""What a gate says of each of its rules, and this as JSON, as JUnit XML and as a Markdown summary."""

from __future__ import annotations

from enum import StrEnum
from xml.etree import ElementTree

import msgspec

from venire.stats.result import Estimate
from venire.words.language import Words
from venire.words.said import as_text

_ENGLISH = Words()
SUITE = "venire.gate"
"""The name of the suite of test cases."""


class RuleOutcome(StrEnum):
    """Whether a rule holds."""

    PASSED = "passed"
    """The rule holds."""
    FAILED = "failed"
    """The rule does not hold."""
    UNDECIDED = "undecided"
    """The interval spans the limit: more samples would decide it."""
    UNKNOWN = "not known"
    """There is no number, or no interval where one is needed."""

    @property
    def code(self) -> str:
        """The code of its word."""
        return f"gate.outcome.{self.name.lower()}"


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one rule."""

    name: str
    """What the rule is called, or what it asks for if it has no name."""
    check: str
    """The kind of the rule."""
    outcome: RuleOutcome
    """Whether it holds."""
    blocks: bool
    """Whether the gate is closed by it: a failure, or what is undecided or not known and counts as one."""
    expected: str
    """What the rule asks for, in words."""
    found: Estimate
    """The number that was held against it."""
    detail: str = ""
    """What a reader should know beside the number: how samples were compared, why it is not known."""
    line: str
    """The file and line of the rule; empty for a rule that is on by default."""


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of all rules."""

    source: str
    """What was measured."""
    baseline: str
    """What it was compared with; empty without a baseline."""
    results: tuple[RuleResult, ...]
    """The outcome of each rule, in the order of the file."""

    @property
    def passed(self) -> bool:
        """Whether the gate is open."""
        return not any(result.blocks for result in self.results)


def found_text(estimate: Estimate, words: Words = _ENGLISH) -> str:
    """Write a number with its interval, or that it is not known.

    >>> found_text(Estimate(value=0.5, low=0.25, high=0.75, level=0.95, method="share"))
    '0.500 (0.250 … 0.750)'
    """
    if estimate.value is None:
        return words("gate.outcome.unknown")
    shown = f"{estimate.value:.3f}"
    if estimate.low is not None and estimate.high is not None:
        interval = words("number.interval", low=f"{estimate.low:.3f}", high=f"{estimate.high:.3f}")
        shown = words("number.with_interval", value=shown, interval=interval)
    return shown.replace("-", "−")


def gate_json(gate: GateResult) -> str:
    """Return everything as JSON, with whether the gate is open."""
    record = {"passed": gate.passed, **msgspec.to_builtins(gate, enc_hook=as_text)}
    return msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"


def gate_junit(gate: GateResult, words: Words = _ENGLISH) -> str:
    """Return a JUnit document with one test case for each rule.

    A rule that fails is a failure; one that is undecided or not known is an error if it blocks, else it is skipped.
    """
    suite = ElementTree.Element("testsuite", name=SUITE, tests=str(len(gate.results)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for result in gate.results:
        name = _plain(words.of(result.name))
        case = ElementTree.SubElement(suite, "testcase", classname=f"{SUITE}.{result.check}", name=name)
        kind = _junit_kind(result)
        if kind:
            counts[kind] += 1
            values = {"outcome": result.outcome, "expected": result.expected, "found": found_text(result.found, words)}
            message = words("gate.expected_found", **values)
            ElementTree.SubElement(case, kind, message=_plain(message)).text = _plain(_explanation(result, words))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def gate_markdown(gate: GateResult, words: Words = _ENGLISH) -> str:
    """Return a summary with a row for each rule; names of the data cannot break the table or bring in markup."""
    source = _cell(gate.source)
    if gate.baseline:
        source = words("gate.source_against", source=source, baseline=_cell(gate.baseline))
    passing = sum(not result.blocks for result in gate.results)
    heads = [words(f"gate.column.{name}") for name in ("rule", "expected", "found", "outcome")]
    lines = [
        f"## {words('gate.title.open' if gate.passed else 'gate.title.closed', source=source)}",
        "",
        words("gate.passing", passing=passing, rules=len(gate.results)),
        "",
        f"| {' | '.join(heads)} |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {_cell(words.of(result.name))} | {_cell(words.of(result.expected))} "
        f"| {_cell(found_text(result.found, words))} | {_mark(result)} {words.of(result.outcome)} |"
        for result in gate.results
    ]
    notes = [
        f"- {_cell(words.of(result.name))}: {_cell(_explanation(result, words))}"
        for result in gate.results
        if result.detail
    ]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _junit_kind(result: RuleResult) -> str:
    if result.outcome is RuleOutcome.FAILED:
        return "failure"
    if result.outcome is RuleOutcome.PASSED:
        return ""
    return "error" if result.blocks else "skipped"


def _mark(result: RuleResult) -> str:
    return "❌" if result.blocks else "✅" if result.outcome is RuleOutcome.PASSED else "⚪"


def _explanation(result: RuleResult, words: Words) -> str:
    origin = words("gate.rule_at", line=result.line) if result.line else words("gate.by_default")
    return words("semicolon").join(filter(None, (words.of(result.detail), origin)))


def _plain(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(letter if letter.isprintable() or letter in "\t\n" else "\ufffd" for letter in text)


def _cell(text: str) -> str:
    plain = _plain(text.replace("\n", " ")).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "\\`*_[]|#" else letter for letter in plain)
