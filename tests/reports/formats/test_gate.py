"""What a gate says, as JSON, JUnit and Markdown."""

import json
from xml.etree import ElementTree

import pytest

from venire.reports.formats.gate import (
    GateResult,
    RuleOutcome,
    RuleResult,
    found_text,
    gate_json,
    gate_junit,
    gate_markdown,
)
from venire.stats.result import Estimate
from venire.words.language import Words

KNOWN = Estimate(value=-0.5, low=-0.75, high=0.25, level=0.95, method="share")
UNKNOWN = Estimate(value=None, method="share", reason="no data")


def rule(name, outcome, *, blocks, found=KNOWN, line="rules.yaml:3", **fields):
    values = {"name": name, "check": "no_drop", "outcome": outcome, "blocks": blocks, "expected": "more"}
    return RuleResult(**values, found=found, line=line, **fields)


GATE = GateResult(
    source="run <1>",
    baseline="old|run",
    results=(
        rule("holds", RuleOutcome.PASSED, blocks=False),
        rule("fails", RuleOutcome.FAILED, blocks=True, detail="by question"),
        rule("open", RuleOutcome.UNDECIDED, blocks=True),
        rule("unknown\x00", RuleOutcome.UNKNOWN, blocks=False, found=UNKNOWN, line="", detail="no *data*"),
    ),
)
OPEN = GateResult(source="run", baseline="", results=GATE.results[:1])


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        (KNOWN, "−0.500 (−0.750 … 0.250)"),
        (UNKNOWN, "not known"),
        (Estimate(value=1.0, method="m", reason="one row"), "1.000"),
    ],
)
def test_a_number_is_written_with_its_interval_or_said_to_be_unknown(estimate, shown):
    assert found_text(estimate) == shown


def test_a_gate_is_open_only_if_no_rule_blocks():
    assert (GATE.passed, OPEN.passed) == (False, True)
    record = json.loads(gate_json(GATE))
    assert (record["passed"], record["source"], len(record["results"])) == (False, "run <1>", 4)


def test_junit_has_failures_for_what_fails_and_errors_for_what_blocks_undecided():
    suite = ElementTree.fromstring(gate_junit(GATE))
    assert suite.attrib == {"name": "venire.gate", "tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert [(case.get("name"), [each.tag for each in case]) for case in suite] == [
        ("holds", []),
        ("fails", ["failure"]),
        ("open", ["error"]),
        ("unknown\ufffd", ["skipped"]),
    ]
    assert {case.get("classname") for case in suite} == {"venire.gate.no_drop"}
    assert suite[1][0].get("message") == "failed: expected more, found −0.500 (−0.750 … 0.250)"
    assert suite[1][0].text == "by question; rule at rules.yaml:3"
    assert suite[3][0].text == f"no *data*; {Words()('gate.by_default')}"


def test_junit_speaks_the_language_of_the_reader():
    suite = ElementTree.fromstring(gate_junit(GATE, Words("zh")))
    assert "failed" not in suite[1][0].get("message")
    assert "未知" in suite[3][0].get("message")


def test_a_summary_has_a_row_for_each_rule_and_names_cannot_break_it():
    lines = gate_markdown(GATE).splitlines()
    assert lines[0] == "## " + Words()(
        "gate.title.closed", source=Words()("gate.source_against", source="run &lt;1>", baseline="old\\|run")
    )
    assert lines[2] == Words()("gate.passing", passing=2, rules=4)
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 5
    assert [row.rsplit("|", 2)[1].strip()[0] for row in rows[1:]] == ["✅", "❌", "❌", "⚪"]
    assert [line for line in lines if line.startswith("- ")] == [
        "- fails: by question; rule at rules.yaml:3",
        f"- unknown\ufffd: no \\*data\\*; {Words()('gate.by_default')}",
    ]


def test_an_open_gate_without_a_baseline_says_no_more_than_that():
    lines = gate_markdown(OPEN).splitlines()
    assert lines[0] == "## " + Words()("gate.title.open", source="run")
    assert lines[-1].startswith("| holds")


def test_an_interval_is_written_with_the_signs_of_its_language():
    assert found_text(KNOWN) == "−0.500 (−0.750 … 0.250)"
    assert found_text(KNOWN, Words("zh")) == "−0.500 [−0.750, 0.250]"
