"""The result of a check for a person at a terminal: counts by rule, and the worst replies first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement
from venire.domain.rule import RULES

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 130
"""From how many columns on a table has room for sentences."""


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


def violation_count(judgement: Judgement) -> int:
    """Count the findings that make a judgement invalid."""
    return sum(finding.severity is Severity.VIOLATION for finding in judgement.all_findings)


def spell_out(text: str) -> str:
    r"""Write characters that a terminal would obey or hide as escapes; line breaks stay.

    >>> spell_out("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text)


def print_rule_counts(console: Console, findings: Mapping[str, int], replies: Mapping[str, int], lang: str) -> None:
    """Print how often each rule was broken and in how many replies."""
    from rich.table import Table

    if not findings:
        return
    table = Table(title="Findings by rule" if lang == "en" else "各规则的发现", title_justify="left", box=None)
    headers: tuple[str, ...] = ("rule", "findings", "replies", "flag")
    if console.width >= _WIDE:
        headers += ("what it says",)
    for title in headers:
        table.add_column(
            title, justify="right" if title in ("findings", "replies") else "left", no_wrap=title != "what it says"
        )
    for rule_id, count in sorted(findings.items(), key=lambda item: (-item[1], item[0])):
        rule = RULES[rule_id]
        style = "dim" if rule.flag is None else ""
        flag = rule.flag.value if rule.flag else "(note)"
        says = (rule.zh if lang == "zh" else rule.en,) if console.width >= _WIDE else ()
        table.add_row(rule_id, str(count), str(replies[rule_id]), flag, *says, style=style)
    console.print(table)


def print_worst(console: Console, worst: WorstReplies, lang: str, findings_each: int = 3) -> None:
    """Print the worst replies with their first findings, so that a reader can go and look."""
    from rich.padding import Padding
    from rich.text import Text

    ranked = worst.ranked()
    if not ranked:
        return
    console.print(Text("Worst replies first" if lang == "en" else "问题最多的回复在前", style="italic"))
    for name, judgement, problem in ranked:
        if judgement is None:
            console.print(
                Text.assemble(("  ✗ ", "red"), (spell_out(name), "bold"), f"  not read: {spell_out(problem)}")
            )
            continue
        mark = "~" if judgement.status == "recovered" else "✗"
        flags = ", ".join(judgement.flags)
        console.print(Text.assemble((f"  {mark} ", "red"), (spell_out(name), "bold"), (f"  {flags}", "yellow")))
        violations = [each for each in judgement.all_findings if each.severity is Severity.VIOLATION]
        for finding in violations[:findings_each]:
            place = finding.pointer or "/"
            line = f"{finding.rule} at {place}: expected {finding.expected}, found {finding.found}"
            console.print(Padding(Text(spell_out(line), style="dim"), (0, 0, 0, 6)))
        if len(violations) > findings_each:
            console.print(Text(f"      and {len(violations) - findings_each} more", style="dim"))
