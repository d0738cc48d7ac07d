"""Where on the overall scale a judgement lies, so that judges on different scales are held to the same limits."""

from __future__ import annotations

from venire.domain.judgement import Judgement, Status
from venire.domain.protocol import EvalProtocol
from venire.stats.ratings.rating import overall_range


def place_of(judgement: Judgement, protocol: EvalProtocol, *, count_recovered: bool) -> float | None:
    """Return where on the overall scale a judgement lies, from 0 to 1; None if it does not count."""
    counts = judgement.status is Status.VALID or (count_recovered and judgement.status is Status.RECOVERED)
    if not counts or judgement.overall is None:
        return None
    low, high = overall_range(protocol, protocol.scale(judgement.scale or None))
    return round((judgement.overall - low) / (high - low), 9)
