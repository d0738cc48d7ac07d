"""The result of a check for a person at a terminal: counts by rule, and the worst replies first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from venire.domain.flag import Severity
from venire.domain.hidden import show_controls
from venire.domain.judgement import Judgement
from venire.domain.rule import RULES
from venire.reports.terminal.line_breaks import broken_for

if TYPE_CHECKING:
    from rich.console import Console

    from venire.reports.words import ReportWords

_WIDE = 130
"""From how many columns on a table has room for sentences."""
_INDENT = 6


class WorstReplies:
    """The replies with the most violations, of a stream of any length."""

    def __init__(self, keep: int = 10) -> None:
        self._keep = keep
        self._heap: list[tuple[int, int, str, Judgement | None, str]] = []
        self._counter = 0

    def add(self, name: str, judgement: Judgement | None, problem: str) -> None:
        """Consider one reply, given by name, judgement and the problem of reading it."""
        if judgement is not None and judgement.valid:
            return
        count = 1 if judgement is None else violation_count(judgement)
        self._counter += 1
        item = (count, -self._counter, name, judgement, problem)
        if len(self._heap) < self._keep:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def ranked(self) -> list[tuple[str, Judgement | None, str]]:
        """Return the worst replies, most violations first."""
        ordered = sorted(self._heap, key=lambda item: (-item[0], -item[1]))
        return [(name, judgement, problem) for _, _, name, judgement, problem in ordered]

    @property
    def left_out(self) -> int:
        """How many replies that are not valid are not among the worst."""
        return self._counter - len(self._heap)


def violation_count(judgement: Judgement) -> int:
    """Count the findings that make a judgement invalid."""
    return sum(finding.severity is Severity.VIOLATION for finding in judgement.all_findings)


def print_rule_counts(
    console: Console, findings: Mapping[str, int], replies: Mapping[str, int], words: ReportWords
) -> None:
    """Print how often each rule was broken and in how many replies."""
    from rich.table import Table

    if not findings:
        return
    is_wide = console.width >= _WIDE
    table = Table(title=words("check.by_rule"), title_justify="left", box=None)
    for column in ("rule", "findings", "replies", "flag", *(("says",) if is_wide else ())):
        justify: Literal["left", "right"] = "right" if column in ("findings", "replies") else "left"
        table.add_column(words(f"check.column.{column}"), justify=justify, no_wrap=column != "says")
    for rule_id, count in sorted(findings.items(), key=lambda item: (-item[1], item[0])):
        rule = RULES[rule_id]
        style = "dim" if rule.flag is None else ""
        flag = rule.flag.value if rule.flag else words("check.note")
        says = (words.rule(rule),) if is_wide else ()
        table.add_row(rule_id, str(count), str(replies[rule_id]), flag, *says, style=style)
    console.print(table)


def print_worst(console: Console, worst: WorstReplies, words: ReportWords, findings_each: int = 3) -> None:
    """Print the worst replies with their first findings, so that a reader can go and look."""
    from rich.padding import Padding
    from rich.text import Text

    ranked = worst.ranked()
    if not ranked:
        return
    console.print(Text(words("check.worst"), style="italic"))
    for name, judgement, problem in ranked:
        if judgement is None:
            unread = words("check.not_read", problem=words.of(problem))
            console.print(Text.assemble(("  ✗ ", "red"), (show_controls(name), "bold"), f"  {show_controls(unread)}"))
            continue
        mark = "~" if judgement.status == "recovered" else "✗"
        flags = ", ".join(judgement.flags)
        console.print(Text.assemble((f"  {mark} ", "red"), (show_controls(name), "bold"), (f"  {flags}", "yellow")))
        violations = [each for each in judgement.all_findings if each.severity is Severity.VIOLATION]
        for finding in violations[:findings_each]:
            line = broken_for(console.width - _INDENT, show_controls(words.finding(finding)))
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, _INDENT)))
        if len(violations) > findings_each:
            more = words("check.more_findings", count=len(violations) - findings_each)
            console.print(Text(f"{' ' * _INDENT}{more}", style="dim"))
    if worst.left_out:
        console.print(Text(f"  {words('check.more_replies', count=worst.left_out)}", style="dim"))
