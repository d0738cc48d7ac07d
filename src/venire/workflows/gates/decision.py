"""Whether a number holds a limit: passed, failed, undecided while its interval spans the limit, or not known."""

from __future__ import annotations

import math
from typing import NamedTuple

import msgspec

from venire.reports.formats.gate import RuleOutcome
from venire.stats.result import Estimate
from venire.words.said import say
from venire.workflows.gates.rules import Proof

_ROUNDING = 1e-12
_MOST_SAMPLES = 1_000_000


class Decision(NamedTuple):
    """An outcome, and what a reader should know of it."""

    outcome: RuleOutcome
    detail: str = ""


def at_least(found: Estimate, limit: float, *, confident: bool = False, by_question: bool = False) -> Decision:
    """Tell whether a number, or if confident its whole interval, reaches a limit."""
    if confident:
        return _decide(found, limit, sign=1, by_question=by_question)
    if found.value is None:
        return Decision(RuleOutcome.UNKNOWN, found.reason)
    return Decision(RuleOutcome.PASSED if found.value >= limit - _ROUNDING else RuleOutcome.FAILED)


def at_most(found: Estimate, limit: float, *, confident: bool = False, by_question: bool = False) -> Decision:
    """Tell whether a number, or if confident its whole interval, stays below a limit."""
    if confident:
        return _decide(found, limit, sign=-1, by_question=by_question)
    if found.value is None:
        return Decision(RuleOutcome.UNKNOWN, found.reason)
    return Decision(RuleOutcome.PASSED if found.value <= limit + _ROUNDING else RuleOutcome.FAILED)


def no_drop(change: Estimate, margin: float, proof: Proof = "of_no_harm", *, by_question: bool = False) -> Decision:
    """Tell whether a change is a drop beyond a margin; see `NoDrop` for what must be proved."""
    change = _itself(change)
    if proof == "of_no_harm":
        return _decide(change, -margin, sign=1, by_question=by_question)
    if change.low is None or change.high is None:
        return Decision(RuleOutcome.UNKNOWN, change.reason)
    if change.high < -margin - _ROUNDING:
        return Decision(RuleOutcome.FAILED)
    not_ruled_out = change.low < -margin - _ROUNDING
    return Decision(RuleOutcome.PASSED, say("gate.not_ruled_out") if not_ruled_out else "")


def within(change: Estimate, margin: float, *, by_question: bool = False) -> Decision:
    """Tell whether the whole interval of a change lies within ±margin, or the whole of it outside."""
    change = _itself(change)
    if change.low is None or change.high is None:
        return Decision(RuleOutcome.UNKNOWN, change.reason or say("gate.no_interval"))
    if -margin < change.low and change.high < margin:
        return Decision(RuleOutcome.PASSED)
    if change.high < -margin or change.low > margin:
        return Decision(RuleOutcome.FAILED)
    limit = math.copysign(margin, change.value or 0.0)
    return Decision(RuleOutcome.UNDECIDED, _needed(change, limit, by_question=by_question))


def _itself(change: Estimate) -> Estimate:
    """Let a change decide itself if several questions changed alike to the last digit, so that there is no interval.

    Not one that labels correct: they are a part of all outputs, and say nothing of the others by being alike.
    """
    alike = change.low is None and change.value is not None and change.n.get("clusters", 0) > 1
    if not alike or "labelled" in change.n:
        return change
    return msgspec.structs.replace(change, low=change.value, high=change.value)


def _decide(found: Estimate, limit: float, *, sign: int, by_question: bool) -> Decision:
    """Hold the whole interval against a limit from above (sign 1) or from below (sign −1)."""
    if found.low is None or found.high is None:
        return Decision(RuleOutcome.UNKNOWN, found.reason or say("gate.no_interval"))
    worse, better = sorted((sign * found.low, sign * found.high))
    if worse >= sign * limit - _ROUNDING:
        return Decision(RuleOutcome.PASSED)
    if better < sign * limit - _ROUNDING:
        return Decision(RuleOutcome.FAILED)
    return Decision(RuleOutcome.UNDECIDED, _needed(found, limit, by_question=by_question))


def _needed(found: Estimate, limit: float, *, by_question: bool) -> str:
    """Say how many more samples would decide it: an interval shrinks with the root of their number."""
    value, low, high = found.value or 0.0, found.low or 0.0, found.high or 0.0
    shown = f"{limit:g}".replace("-", "−")
    groups = found.n.get("clusters", found.n.get("units", 0))
    samples = found.n.get("values", found.n.get("pairs", groups)) if by_question else groups
    distance, width = abs(value - limit), value - low if value >= limit else high - value
    growth = (width / distance) ** 2 - 1 if distance > _ROUNDING else math.inf
    if not samples or growth * samples > _MOST_SAMPLES:
        return say("gate.too_close", limit=shown)
    more, questions = max(1, math.ceil(growth * samples)), max(1, math.ceil(growth * groups))
    if by_question:
        return say("gate.needs_questions", limit=shown, more=more, questions=questions)
    return say("gate.needs", limit=shown, more=more)
