"""Tell by its declared id or its structure to which protocol a reply was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from venire.domain import rule
from venire.domain.flag import Finding
from venire.domain.protocol import EvalProtocol
from venire.shapes.registry import SHAPES
from venire.shapes.shape import Shape
from venire.validation.strict_json import read_strictly
from venire.words.said import say

_DECLARING = ("protocol", "protocol_id")


def recognise(raw: bytes, protocols: Iterable[EvalProtocol]) -> EvalProtocol | None:
    """Return the one of some protocols that a reply declares or has the structure of; None if that is unknown.

    Of protocols with the reply's form, it is the one that has most of the scored dimensions, and at least half of them.
    """
    value = read_strictly(raw).value
    if value is None:
        return None
    known = tuple(protocols)
    declared = {value.get(key) for key in _DECLARING if type(value.get(key)) is str}
    meta = value.get("meta")
    if type(meta) is dict:
        declared |= {meta.get(key) for key in _DECLARING if type(meta.get(key)) is str}
    named = [protocol for protocol in known if protocol.id in declared or protocol.digest in declared]
    if named:
        return named[0]
    form = form_of(value)
    scored = form.scored(value) if form else set()
    shared = {protocol.id: len(scored.intersection(protocol.dimension_ids)) for protocol in known}
    if form is None or (not scored and form.template == "judge"):
        return None
    fitting = [each for each in known if each.shape == form.id and shared[each.id] * 2 >= len(scored)]
    return max(fitting, key=lambda protocol: shared[protocol.id], default=None)


def form_of(value: dict[str, Any]) -> Shape | None:
    """Return the form that a reply has, whatever its dimensions are called; None if that is unknown."""
    return next((shape for shape in SHAPES.values() if shape.is_form_of(value)), None)


def other_form(raw: bytes, protocol: EvalProtocol) -> Finding | None:
    """Report a reply that has the form of another kind of protocol; None if it has this one's, or none at all."""
    value = read_strictly(raw).value
    form = form_of(value) if value is not None else None
    if form is None or form.id == protocol.shape:
        return None
    return rule.REPLY_OTHER_PROTOCOL.finding("", say(f"finding.form.{protocol.shape}"), say(f"finding.form.{form.id}"))
