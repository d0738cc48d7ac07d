"""What a gate says: whether each of its rules holds, and on which numbers that rests."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from venire.stats.result import Estimate


class Outcome(StrEnum):
    """Whether a rule holds."""

    PASSED = "passed"
    """The rule holds."""
    FAILED = "failed"
    """The rule does not hold."""
    UNDECIDED = "undecided"
    """The interval spans the limit: more samples would decide it."""
    UNKNOWN = "not known"
    """There is no number, or no interval where one is needed."""


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one rule."""

    name: str
    """What the rule is called, or what it asks for if it has no name."""
    check: str
    """The kind of the rule."""
    outcome: Outcome
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


def found_text(estimate: Estimate) -> str:
    """Write a number with its interval, or that it is not known.

    >>> found_text(Estimate(value=0.5, low=0.25, high=0.75, level=0.95, method="share"))
    '0.500 (0.250 … 0.750)'
    """
    if estimate.value is None:
        return "not known"
    interval = "" if estimate.low is None or estimate.high is None else f" ({estimate.low:.3f} … {estimate.high:.3f})"
    return f"{estimate.value:.3f}{interval}".replace("-", "−")
