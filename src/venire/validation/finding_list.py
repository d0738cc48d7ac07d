"""The findings of one reply. A hostile one could make millions: only so many are kept, and the rest counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from venire.domain import rule
from venire.domain.flag import Finding, Severity
from venire.words.said import say

MAX_FINDINGS = 1_000
"""How many findings are kept for one reply."""
MAX_ENTRY_FINDINGS = 100
"""How many findings are kept for one entry of a bundle."""

MAX_QUOTES = 1_000
"""How many quotes are looked up in one reply on a sample, or for one dimension of a bundle's entry."""


class FindingList(list[Finding]):
    """A list that keeps its first findings, and beyond its limit only those of a rule that is not in it yet.

    So nothing that makes a judgement invalid, and no flag, is ever lost with what is left out.
    """

    def __init__(self, findings: Iterable[Finding] = (), *, limit: int = MAX_FINDINGS) -> None:
        super().__init__()
        self._limit = limit
        self._kinds: set[tuple[str, Severity]] = set()
        self.left_out = 0
        self.extend(findings)

    def append(self, finding: Finding) -> None:
        """Add a finding, or count it if there are too many like it."""
        kind = (finding.rule, finding.severity)
        if len(self) >= self._limit and kind in self._kinds:
            self.left_out += 1
            return
        self._kinds.add(kind)
        super().append(finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add several findings; of another list also the number of those that it has left out."""
        for finding in findings:
            self.append(finding)
        if isinstance(findings, FindingList):
            self.left_out += findings.left_out

    def __iadd__(self, findings: Iterable[Finding]) -> Self:  # type: ignore[override,misc]
        """Add several findings."""
        self.extend(findings)
        return self

    def closed(self) -> tuple[Finding, ...]:
        """Return what was kept, followed by a note that says how many more there were."""
        if not self.left_out:
            return tuple(self)
        expected, more = say("finding.at_most_findings", most=self._limit), say("finding.left_out", count=self.left_out)
        return (*self, rule.FINDINGS_LEFT_OUT.finding("", expected, more))


def too_many_quotes(given: int, pointer: str) -> Finding:
    """Report quotes that were not looked up, so that a judgement with them cannot be valid."""
    found = say("finding.quotes_not_read", count=given, unread=given - MAX_QUOTES)
    return rule.CONTRACT_WRONG_TYPE.finding(pointer, say("finding.at_most_quotes", most=MAX_QUOTES), found)
