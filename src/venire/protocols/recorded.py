"""The protocol of what another tool recorded: it names tool, scorer and version, and says what Venire did not check."""

from __future__ import annotations

from collections.abc import Iterable

from venire.domain.protocol import Dimension, EvalProtocol, EvidencePolicy, OverallRule, Scale
from venire.domain.protocol import Words as InLanguages
from venire.shapes.recorded import NOT_STATED
from venire.words.language import Words, languages
from venire.words.said import say

SHAPE = "recorded"
_COMMON_SCALES = ((0, 1), (-1, 1), (1, 5), (0, 5), (0, 10), (0, 100))
"""The scales that scores are taken to be on, from the narrowest; the records of other tools do not state one."""


def recorded_protocol(
    tool: str, version: str, scorer: str, by: str, dimensions: Iterable[str], lowest: float, highest: float
) -> EvalProtocol:
    """Return the protocol of a scorer of a tool, on the narrowest common scale that holds all scores."""
    low, high = common_scale(lowest, highest)
    named = {"tool": tool, "scorer": scorer, "written_by": tool_and_version(tool, version)}
    return EvalProtocol(
        id="/".join(filter(None, (tool, scorer, by))),
        version=version,
        title=_said("recorded.title", **named),
        source=_said("recorded.source", low=f"{low:g}", high=f"{high:g}", **named),
        shape=SHAPE,
        instructions=_said("recorded.instructions", **named),
        scales=(Scale(f"{low:g}-{high:g}", low, high, {}),),
        dimensions=tuple(
            Dimension(name, dict.fromkeys(languages(), name), _said("recorded.asks", name=name, **named))
            for name in dimensions
        ),
        overall=OverallRule("overall", "sum"),
        evidence=EvidencePolicy("none"),
    )


def tool_and_version(tool: str, version: str) -> str:
    """Say which version of a tool wrote a record, or that the record does not say it."""
    return say("recorded.no_version" if version == NOT_STATED else "recorded.version", tool=tool, version=version)


def common_scale(lowest: float, highest: float) -> tuple[float, float]:
    """Return the narrowest common scale that holds two scores.

    >>> common_scale(0.2, 0.9), common_scale(2, 4), common_scale(-3, 250)
    ((0, 1), (1, 5), (-1000.0, 1000.0))
    """
    for low, high in _COMMON_SCALES:
        if low <= lowest and highest <= high:
            return low, high
    bound = 1.0
    while bound < max(abs(lowest), abs(highest)):
        bound *= 10
    return (-bound if lowest < 0 else 0.0), bound


def holds(protocol: EvalProtocol, other: EvalProtocol, lowest: float, highest: float) -> bool:
    """Tell whether a protocol is of the same scorer as another one, and has room for the scores it was made for."""
    if (protocol.id, protocol.version, protocol.shape) != (other.id, other.version, SHAPE):
        return False
    scale = protocol.scale()
    has_room = scale.minimum <= lowest and highest <= scale.maximum
    return has_room and set(other.dimension_ids) <= set(protocol.dimension_ids)


def _said(code: str, **values: str) -> InLanguages:
    return {language: Words(language)(code, **values) for language in languages()}
