"""Where on the overall scale a judgement lies, so that judges on different scales are held to the same limits."""

from __future__ import annotations

from venire.domain.judgement import Judgement, Status
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.probes.pairs import outcome_of, probed_place
from venire.stats.ratings.rating import overall_range


def place_of(judgement: Judgement, protocol: EvalProtocol, *, count_recovered: bool) -> float | None:
    """Return where on the overall scale a judgement lies, from 0 to 1; None if it does not count."""
    counts = judgement.status is Status.VALID or (count_recovered and judgement.status is Status.RECOVERED)
    if not counts or judgement.overall is None:
        return None
    low, high = overall_range(protocol, protocol.scale(judgement.scale or None))
    return round((judgement.overall - low) / (high - low), 9)


def place_of_probe(
    judgement: Judgement, subject: Sample | Bundle, protocol: EvalProtocol, *, count_recovered: bool
) -> tuple[str, float | None]:
    """Return which probe was judged, and where on the scale it lies, or how its probed output fared beside another."""
    probed = probed_place(subject)
    if probed.place is None:
        return str(probed.name), place_of(judgement, protocol, count_recovered=count_recovered)
    return str(probed.name), outcome_of(judgement, probed.place, count_recovered=count_recovered)
