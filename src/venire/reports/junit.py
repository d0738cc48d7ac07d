"""Findings as a JUnit XML report, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(suite: str, cases: Iterable[tuple[str, Judgement | None, str]]) -> str:
    """Return a JUnit document with one test case for each reply, given as name, judgement and problem.

    An invalid reply is a failure; a reply that could not be read is an error.
    """
    lines: list[str] = []
    count = failures = errors = 0
    for name, judgement, problem in cases:
        count += 1
        head = f"  <testcase classname={_attribute(suite)} name={_attribute(name)}"
        if judgement is None:
            errors += 1
            lines.append(f"{head}><error message={_attribute(problem)}/></testcase>")
        elif judgement.valid:
            lines.append(f"{head}/>")
        else:
            failures += 1
            flags = ", ".join(judgement.flags)
            lines.append(
                f"{head}><failure message={_attribute(flags)}>{_text(_findings(judgement))}</failure></testcase>"
            )
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuite name={_attribute(suite)} tests="{count}" failures="{failures}" errors="{errors}">',
            *lines,
            "</testsuite>",
            "",
        ]
    )


def _findings(judgement: Judgement) -> str:
    return "\n".join(
        f"{finding.rule} at {finding.pointer or '/'}: expected {finding.expected}, found {finding.found}"
        for finding in judgement.all_findings
        if finding.severity is Severity.VIOLATION
    )


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", value))


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value))
