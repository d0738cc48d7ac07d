"""The results of a check as a table for people, or as JSON, JSON Lines, JUnit or SARIF for programs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.cli.arguments.language import report_words
from venire.cli.terminal.printing import open_console, write
from venire.domain.judgement import EvidenceLevel, Quotes, Status

if TYPE_CHECKING:
    from venire.reports.formats.check_record import CheckCase
    from venire.reports.words import ReportWords
    from venire.workflows.check import Checked, CheckRun


def print_results(output_format: str, results: Iterator[Checked], run: CheckRun, archive: Path | None) -> None:
    """Print results as they come, and at the end what they come to."""
    if output_format == "table":
        _print_table(results, run, archive)
    else:
        _FORMATS[output_format](results, run)


def _as_record(checked: Checked, run: CheckRun) -> dict[str, Any]:
    from venire.reports.formats.check_record import evaluation_record, unread_record

    found = {"sha256": checked.sha256, "name": checked.name, "judge": checked.judge, "target": checked.target}
    if checked.judgement is None:
        status = "unread" if checked.is_reply else "not a reply"
        return {**found, "quotes": checked.quotes.value, **unread_record(checked.problem, status)}
    return {**found, **checked.about, **evaluation_record(checked.judgement, checked.identity, run.options.protocol)}


def _print_table(results: Iterator[Checked], run: CheckRun, archive: Path | None) -> None:
    from venire.reports.terminal.check_table import WorstReplies, print_rule_counts, print_worst

    worst = WorstReplies()
    for checked in results:
        if checked.is_reply:
            worst.add(checked.name, checked.judgement, checked.problem)
    console = open_console(width=None if sys.stdout.isatty() else 140)
    words = report_words()
    print_worst(console, worst, words)
    print_rule_counts(console, run.summary.by_rule, run.summary.replies_by_rule, words)
    totals = words("check.totals", total=run.summary.total, parts=_parts(run, words))
    console.print(f"{totals}{_not_compared(run, words)}", style="bold")
    for line in _remarks(run, words):
        console.print(line, markup=False)
    console.print(_terms(run, words), style="dim", markup=False)
    if archive:
        console.print(words("check.archive", folder=str(archive)), style="dim", markup=False)


def _parts(run: CheckRun, words: ReportWords) -> str:
    """Say how many replies there are of each status."""
    counts = {status.value: run.summary.by_status[status] for status in Status} | {"unread": run.summary.unread}
    shown = {status: count for status, count in counts.items() if count or status in ("valid", "invalid")}
    parts = (words("check.part", count=count, name=words(f"check.status.{name}")) for name, count in shown.items())
    return words("comma").join(parts)


def _not_compared(run: CheckRun, words: ReportWords) -> str:
    """Say that quotes were not compared, of all replies or of how many; empty if there is nothing to say."""
    quotes = run.summary.quotes
    count = quotes[Quotes.NOT_COMPARED]
    if not count:
        return ""
    return words("check.some_not_compared", count=count) if quotes[Quotes.COMPARED] else words("check.not_compared")


def _remarks(run: CheckRun, words: ReportWords) -> Iterator[str]:
    summary = run.summary
    if summary.entries:
        yield words("check.entries", entries=summary.entries, valid=summary.valid_entries)
    if summary.self_judged:
        yield words("check.self_judged", count=summary.self_judged)
    if summary.misfiled:
        yield words("check.misfiled", count=summary.misfiled)
    if summary.not_replies:
        names = words("comma").join(summary.not_replies)
        yield words("check.not_replies", count=len(summary.not_replies), names=names)
    if missing := run.missing_samples():
        yield words("check.missing", count=len(missing), first=repr(missing[0]))


def _terms(run: CheckRun, words: ReportWords) -> str:
    """Say what the replies were held to; a result without its terms means nothing."""
    terms = run.options
    held = words("check.terms", protocol=terms.protocol.id, digest=terms.protocol.digest[:12], profile=terms.profile)
    if terms.sources is None:
        key = "check.no_sources" if terms.protocol.asks_for_quotes else "check.no_quotes_asked"
        return held + words(key)
    level = terms.evidence_used
    evidence = words("check.evidence_off") if level is EvidenceLevel.OFF else words("check.evidence", level=level.value)
    return held + evidence + words("check.sources", sources=str(terms.sources))


def _print_json(results: Iterator[Checked], run: CheckRun) -> None:
    write('{"results": {')
    copies: Counter[bytes] = Counter()  # of digests cut short: it grows with the number of replies
    for position, checked in enumerate(results):
        comma = ",\n" if position else ""
        name = checked.sha256 if checked.judgement else checked.name
        if checked.judgement:
            digest = bytes.fromhex(checked.sha256[:24])
            copies[digest] += 1
            name += f"#{copies[digest]}" if copies[digest] > 1 else ""  # two files with the same bytes are two results
        key = json.dumps(name, ensure_ascii=False)
        write(f"{comma}{key}: {json.dumps(_as_record(checked, run), ensure_ascii=False)}", nl=False)
    write('\n}, "summary": ' + json.dumps(_summary(run), ensure_ascii=False, indent=2) + "}")


def _print_jsonl(results: Iterator[Checked], run: CheckRun) -> None:
    for checked in results:
        write(json.dumps(_as_record(checked, run), ensure_ascii=False))


def _print_junit(results: Iterator[Checked], run: CheckRun) -> None:
    from venire.reports.formats.junit import junit_report

    write(junit_report(f"venire.check.{run.options.protocol.id}", map(_case, results), report_words()), nl=False)


def _print_sarif(results: Iterator[Checked], run: CheckRun) -> None:  # noqa: ARG001
    from venire.reports.formats.sarif import sarif_report

    write(sarif_report(map(_case, results), report_words()), nl=False)


def _case(checked: Checked) -> CheckCase:
    from venire.reports.formats.check_record import CheckCase

    return CheckCase(checked.name, checked.judgement, checked.problem, checked.quotes, checked.is_reply)


_FORMATS: dict[str, Callable[[Iterator[Checked], CheckRun], None]] = {
    "json": _print_json,
    "jsonl": _print_jsonl,
    "junit": _print_junit,
    "sarif": _print_sarif,
}


def _summary(run: CheckRun) -> dict[str, Any]:
    summary, terms = run.summary, run.options
    return {
        "protocol": terms.protocol.id,
        "protocol_digest": terms.protocol.digest,
        "profile": terms.profile,
        "evidence": terms.evidence_used.value,
        "quotes": {state.value: count for state, count in summary.quotes.items()},
        "total": summary.total,
        "by_status": {status.value: count for status, count in summary.by_status.items()},
        "not_read": summary.unread,
        "not_replies": summary.not_replies,
        "misfiled": summary.misfiled,
        "findings_by_rule": dict(summary.by_rule),
        "samples_without_reply": run.missing_samples(),
    }
