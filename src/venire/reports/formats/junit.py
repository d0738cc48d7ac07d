"""Findings as a JUnit XML report, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Quotes
from venire.reports.formats.check_record import CheckCase
from venire.reports.words import ReportWords

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(suite: str, cases: Iterable[CheckCase], words: ReportWords) -> str:
    """Return a JUnit document with one test case for each reply.

    An invalid reply is a failure; a reply that could not be read is an error; a valid one whose quotes were not
    compared with the judged text is skipped, because it has not passed.
    """
    lines: list[str] = []
    count = failures = errors = skipped = 0
    for case in cases:
        count += 1
        judgement = case.judgement
        head = f"  <testcase classname={_attribute(suite)} name={_attribute(case.name)}"
        if not case.is_reply:
            skipped += 1
            lines.append(f"{head}><skipped message={_attribute(words('check.case.not_a_reply'))}/></testcase>")
        elif judgement is None:
            errors += 1
            lines.append(f"{head}><error message={_attribute(words.of(case.problem))}/></testcase>")
        elif judgement.valid and case.quotes is Quotes.NOT_COMPARED:
            skipped += 1
            lines.append(f"{head}><skipped message={_attribute(words('check.case.not_compared'))}/></testcase>")
        elif judgement.valid:
            lines.append(f"{head}/>")
        else:
            failures += 1
            flags = ", ".join(judgement.flags)
            found = _text(_findings(judgement, words))
            lines.append(f"{head}><failure message={_attribute(flags)}>{found}</failure></testcase>")
    counts = f'tests="{count}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<testsuite name={_attribute(suite)} {counts}>",
            *lines,
            "</testsuite>",
            "",
        ]
    )


def _findings(judgement: Judgement, words: ReportWords) -> str:
    violations = [finding for finding in judgement.all_findings if finding.severity is Severity.VIOLATION]
    return "\n".join(map(words.finding, violations))


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", value))


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value))
