"""All forms of a reply, and the form of a protocol's replies."""

from __future__ import annotations

from venire.domain.protocol import EvalProtocol
from venire.shapes.bundle import BundleShape
from venire.shapes.claims import ClaimsShape
from venire.shapes.criteria import CriteriaShape
from venire.shapes.pair import PairShape
from venire.shapes.recorded import RecordedShape
from venire.shapes.sample import SampleShape
from venire.shapes.shape import Shape

_ALL: tuple[Shape, ...] = (
    BundleShape(),
    ClaimsShape(),
    CriteriaShape(),
    PairShape(),
    RecordedShape(),
    SampleShape(),
)

SHAPES: dict[str, Shape] = {shape.id: shape for shape in _ALL}
"""The forms by what protocols call them, in the order in which a reply is held against them."""


def shape_of(protocol: EvalProtocol) -> Shape:
    """Return the form of the replies to a protocol."""
    return SHAPES[protocol.shape]
