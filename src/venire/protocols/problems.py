"""What may be wrong with a protocol that has all its fields: parts that do not fit together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from venire.domain.protocol import EvalProtocol, Scale
from venire.shapes.registry import SHAPES
from venire.words.said import Said, say
from venire.yaml_source import Place

KEYED_LISTS = ("dimensions", "scales", "categories")
"""The lists whose items are told apart by their ids."""

_MOST_INTEGERS = 1_000  # the contract lists them one by one
_MOST_FILES = 10_000

_OF_SOME_SHAPES = ("verdict", "gates", "categories", "salvage", "materials", "pairs")
"""Fields that have an effect on replies of some shapes only."""


class ProtocolProblem(NamedTuple):
    """One thing that is wrong with a protocol."""

    place: Place
    """The keys and positions that lead to it."""
    message: Said
    """What is wrong."""
    hint: Said
    """What to do about it."""


def find_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Yield everything that is wrong with a protocol."""
    yield from _id_problems(protocol)
    yield from _scale_problems(protocol)
    yield from _overall_problems(protocol)
    yield from _dimension_problems(protocol)
    yield from _category_problems(protocol)
    yield from _shape_problems(protocol)
    yield from _material_problems(protocol)
    yield from _design_problems(protocol)
    yield from _mapping_problems(protocol)
    yield from _missing_words(protocol)


def _problem(place: Place, code: str, /, **values: object) -> ProtocolProblem:
    return ProtocolProblem(place, say(code, **values), say(f"{code}.hint", **values))


def _id_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    if not protocol.id.strip():
        yield _problem(("id",), "error.protocol.empty_id")
    for field in KEYED_LISTS:
        seen: set[str] = set()
        for position, item in enumerate(getattr(protocol, field)):
            place = (field, position, "id")
            if not item.id.strip():
                yield _problem(place, "error.protocol.empty_item_id", field=field)
            if item.id in seen:
                yield _problem(place, "error.protocol.duplicate_id", id=item.id, field=field)
            seen.add(item.id)
    shape = SHAPES.get(protocol.shape)
    if not protocol.dimensions and not (shape and "no dimensions" in shape.uses):
        yield _problem(("dimensions",), "error.protocol.no_dimension")


def _scale_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    if not protocol.scales:
        yield _problem(("scales",), "error.protocol.no_scale")
    for position, scale in enumerate(protocol.scales):
        place: Place = ("scales", position)
        ends = {"id": scale.id, "low": scale.minimum, "high": scale.maximum}
        if not scale.minimum < scale.maximum:
            yield _problem(place, "error.protocol.scale_ends", **ends)
        elif scale.integer and not _has_few_integers(scale):
            yield _problem(place, "error.protocol.scale_integers", **ends, most=_MOST_INTEGERS)
        if not scale.levels:
            yield _problem(place, "error.protocol.no_levels", id=scale.id)
        for level in scale.levels:
            if not _is_number_within(level, scale.minimum, scale.maximum):
                yield _problem((*place, "levels", level), "error.protocol.level_off_scale", level=level, **ends)
        if scale.bands and not any(_is_number_within(level, scale.minimum, scale.minimum) for level in scale.levels):
            yield _problem((*place, "bands"), "error.protocol.no_lowest_band", id=scale.id, low=scale.minimum)


def _overall_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    if protocol.overall.tolerance < 0:
        yield _problem(("overall", "tolerance"), "error.protocol.tolerance")
    if protocol.verdict is None:
        return
    if not protocol.verdict.fail_at_most < protocol.verdict.pass_at_least:
        yield _problem(("verdict",), "error.protocol.verdict_order")
    highest = max((scale.maximum for scale in protocol.scales), default=0.0) * len(protocol.dimensions)
    if protocol.verdict.pass_at_least > highest:
        place = ("verdict", "pass_at_least")
        yield _problem(place, "error.protocol.pass_too_high", found=protocol.verdict.pass_at_least, highest=highest)


def _dimension_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    known = protocol.dimension_ids
    if protocol.overall.field in known:
        yield _problem(("overall", "field"), "error.protocol.overall_named_dimension", field=protocol.overall.field)
    for position, gate in enumerate(protocol.gates):
        if gate.dimension not in known:
            yield _problem(("gates", position), "error.protocol.gate_dimension", dimension=gate.dimension, known=known)
    low = min((scale.minimum for scale in protocol.scales), default=0.0)
    high = max((scale.maximum for scale in protocol.scales), default=0.0)
    for position, dimension in enumerate(protocol.dimensions):
        for level in dimension.levels:
            if not _is_number_within(level, low, high):
                place = ("dimensions", position, "levels", level)
                values = {"level": level, "id": dimension.id, "low": low, "high": high}
                yield _problem(place, "error.protocol.dimension_level", **values)


def _category_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    known = protocol.dimension_ids
    if (protocol.overall.rule == "weighted") != bool(protocol.categories):
        yield _problem(("overall", "rule"), "error.protocol.weights_and_categories")
    for position, category in enumerate(protocol.categories):
        place: Place = ("categories", position, "weights")
        for name in category.weights:
            if name not in known:
                values = {"id": category.id, "dimension": name, "known": known}
                yield _problem((*place, name), "error.protocol.weighed_unknown", **values)
        total = sum(category.weights.values())
        if abs(total - 1) > 1e-9:
            yield _problem(place, "error.protocol.weights_sum", id=category.id, total=total)
        if any(weight <= 0 for weight in category.weights.values()):
            yield _problem(place, "error.protocol.weight_not_positive", id=category.id)


def _shape_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Report a shape that there is none of, and rules that a reply of this shape is never held to."""
    if protocol.shape not in SHAPES:
        yield _problem(("shape",), "error.protocol.shape", shape=protocol.shape, known=sorted(SHAPES))
        return
    for field in _OF_SOME_SHAPES:
        shapes = sorted(shape.id for shape in SHAPES.values() if field in shape.uses)
        if getattr(protocol, field) and protocol.shape not in shapes:
            yield _problem((field,), "error.protocol.no_effect", field=field, shape=protocol.shape, shapes=shapes)
    shapes = sorted(shape.id for shape in SHAPES.values() if "cited sentences" in shape.uses)
    if protocol.evidence.cite == "sentences" and protocol.shape not in shapes:
        values = {"field": "cite", "shape": protocol.shape, "shapes": shapes}
        yield _problem(("evidence", "cite"), "error.protocol.no_effect", **values)
    if SHAPES[protocol.shape].template == "claims":
        yield from _claims_problems(protocol)


def _claims_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Report what keeps the share of supported claims from being the score."""
    if len(protocol.dimensions) > 1:
        yield _problem(("dimensions",), "error.protocol.one_dimension", found=len(protocol.dimensions))
    for position, scale in enumerate(protocol.scales):
        if scale.integer:
            yield _problem(("scales", position, "integer"), "error.protocol.share_of_integers", id=scale.id)
    if not protocol.quoted_kinds:
        yield _problem(("materials",), "error.protocol.no_passages")
    if not protocol.asks_for_quotes:
        yield _problem(("evidence", "required"), "error.protocol.claims_need_quotes")


def _material_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    policy, shape = protocol.materials, SHAPES.get(protocol.shape)
    if policy is None or shape is None:
        return
    if not policy.shown:
        yield _problem(("materials", "shown"), "error.protocol.nothing_shown")
    if policy.quoted and "quoted materials" not in shape.uses:
        yield _problem(("materials", "quoted"), "error.protocol.no_quotes", shape=protocol.shape)
    for field, within in (("quoted", "shown"), ("must_have", "shown"), ("must_quote", "quoted")):
        for kind in getattr(policy, field):
            if kind not in getattr(policy, within):
                code = "error.protocol.material_kind"
                yield _problem(("materials", field), code, field=field, kind=kind.value, within=within)


def _design_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    design = protocol.design
    shape = SHAPES.get(protocol.shape)
    if shape and shape.needs_design != (design is not None):
        yield _problem(("shape",), "error.protocol.bundle_and_design")
    if design is None:
        return
    known = tuple(design.factors)
    braces = re.findall(r"\{(\w*)\}", design.file_pattern)
    if sorted(braces) != sorted(known) or re.search(r"[{}]", re.sub(r"\{\w*\}", "", design.file_pattern)):
        place: Place = ("design", "file_pattern")
        yield _problem(place, "error.protocol.file_pattern", pattern=design.file_pattern, factors=known)
    elif (files := math.prod(map(len, design.factors.values()))) > _MOST_FILES:
        yield _problem(("design", "factors"), "error.protocol.too_many_files", files=files, most=_MOST_FILES)
    elif not design.cells or any(design.cell(cell.label) is not cell for cell in design.cells):
        yield _problem(("design", "factors"), "error.protocol.same_files")
    if design.aggregate_tolerance < 0:
        yield _problem(("design", "aggregate_tolerance"), "error.protocol.tolerance")
    named = [*design.meta_fields.values(), *design.summaries.values(), design.question_factor, design.variant_factor]
    for factor in named:
        if factor not in known:
            yield _problem(("design",), "error.protocol.factor", factor=factor, known=known)


def _mapping_problems(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    mapping = protocol.mapping
    if mapping is None:
        return
    place: Place = ("mapping", "dimensions")
    onto, made = mapping.onto, tuple(mapping.dimensions)
    if set(made) != set(onto.dimension_ids):
        code = "error.protocol.mapping_makes" if made else "error.protocol.mapping_makes_nothing"
        yield _problem(place, code, found=made, onto=onto.id, known=onto.dimension_ids)
    used = [name for names in mapping.dimensions.values() for name in names]
    if sorted(used) != sorted(protocol.dimension_ids) or not all(mapping.dimensions.values()):
        code = "error.protocol.mapping_uses" if used else "error.protocol.mapping_uses_nothing"
        yield _problem(place, code, found=used, known=protocol.dimension_ids)
    for position, scale in enumerate(protocol.scales):
        if (scale.minimum, scale.maximum) != (onto.minimum, onto.maximum):
            ends = {"id": scale.id, "low": scale.minimum, "high": scale.maximum}
            theirs = {"onto": onto.id, "onto_low": onto.minimum, "onto_high": onto.maximum}
            yield _problem(("scales", position), "error.protocol.mapping_scale", **ends, **theirs)
    if protocol.overall.rule != "sum":
        yield _problem(("overall", "rule"), "error.protocol.mapping_rule")


def _missing_words(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Report texts that lack one of the languages that the title has."""
    languages = [language for language, words in protocol.title.items() if words.strip()]
    if not languages:
        yield _problem(("title",), "error.protocol.no_title")
    for place, words in _all_words(msgspec.to_builtins(protocol), ()):
        for language in languages:
            if not words.get(language, "").strip():
                at = ".".join(map(str, place))
                yield _problem(place, "error.protocol.no_text", language=language, place=at, languages=languages)


def _all_words(value: Any, place: Place) -> Iterator[tuple[Place, dict[str, str]]]:
    if isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from _all_words(item, (*place, position))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("title", "source", "instructions", "name", "asks"):
                yield (*place, key), item
            elif key == "levels":
                yield from ((((*place, key, level)), words) for level, words in item.items())
            else:
                yield from _all_words(item, (*place, key))


def _has_few_integers(scale: Scale) -> bool:
    ends = (scale.minimum, scale.maximum)
    return all(float(end).is_integer() for end in ends) and scale.maximum - scale.minimum <= _MOST_INTEGERS


def _is_number_within(text: str, low: float, high: float) -> bool:
    try:
        return low <= float(text) <= high
    except ValueError:
        return False
