"""What a ledger says of the judged outputs themselves: the form of those collected, the order of those compared."""

from __future__ import annotations

import msgspec

from venire.domain.output import OutputState
from venire.stats.drift.text_form import TextForm


class CollectedForm(msgspec.Struct, frozen=True, gc=False):
    """The form of an output that was collected, and its place in the design."""

    case: str
    """The case."""
    variant: str
    """The prompt variant."""
    target: str
    """The target."""
    factors: tuple[tuple[str, str], ...]
    """Further factors, in the order of their names."""
    repeat: int
    """Which of several equal requests it is."""
    form: TextForm
    """What it looks like."""
    state: OutputState = OutputState.COMPLETE
    """How it ended."""


class ShownPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two outputs that a judge compared, in the order in which it saw them."""

    judge: str
    """The judge."""
    question: str
    """What the two outputs answer."""
    first: str
    """The output that was shown first."""
    second: str
    """The output that was shown second."""
    outcome: float
    """1 if the first won, 0 if the second did, 0.5 for a tie."""
    pair: str = ""
    """What the two outputs are called together, in either order; empty where only the question says it."""
    meeting: str = ""
    """What a table calls this meeting of the two in either order; empty where the question alone says it."""
    first_length: int | None = None
    """How many characters the first output has; None where it is not at hand."""
    second_length: int | None = None
    """How many characters the second output has."""
