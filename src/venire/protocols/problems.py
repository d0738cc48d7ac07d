"""What may be wrong with a protocol that has all its fields: parts that do not fit together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from venire.domain.protocol import EvalProtocol, Scale
from venire.shapes.registry import SHAPES
from venire.yaml_source import Place

KEYED_LISTS = ("dimensions", "scales", "categories")
"""The lists whose items are told apart by their ids."""

_MOST_INTEGERS = 1_000  # the contract lists them one by one
_MOST_FILES = 10_000

_OF_SOME_SHAPES = ("verdict", "gates", "categories", "salvage")
"""Fields that have an effect on replies of some shapes only."""


def find_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    """Yield the place, the message and a way out of everything that is wrong with a protocol."""
    yield from _id_problems(protocol)
    yield from _scale_problems(protocol)
    yield from _overall_problems(protocol)
    yield from _dimension_problems(protocol)
    yield from _category_problems(protocol)
    yield from _shape_problems(protocol)
    yield from _design_problems(protocol)
    yield from _mapping_problems(protocol)
    yield from _missing_words(protocol)


def _id_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    if not protocol.id.strip():
        yield ("id",), "the id of the protocol is empty", "Give it a name of its own."
    for field in KEYED_LISTS:
        seen: set[str] = set()
        for position, item in enumerate(getattr(protocol, field)):
            if not item.id.strip():
                yield (field, position, "id"), f"an id in {field} is empty", "Give it a name of its own."
            if item.id in seen:
                yield (field, position, "id"), f"the id {item.id!r} stands twice in {field}", "Ids must be unique."
            seen.add(item.id)
    if not protocol.dimensions:
        yield ("dimensions",), "a protocol needs at least one dimension", "Add one under `dimensions:`."


def _scale_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    if not protocol.scales:
        yield ("scales",), "a protocol needs at least one scale", "Add one under `scales:`."
    for position, scale in enumerate(protocol.scales):
        place: Place = ("scales", position)
        if not scale.minimum < scale.maximum:
            found = f"{scale.minimum:g} to {scale.maximum:g}"
            yield place, f"scale {scale.id!r} goes from {found}", "The minimum must be below the maximum."
        elif scale.integer and not _has_few_integers(scale):
            message = f"scale {scale.id!r} of integers goes from {scale.minimum:.10g} to {scale.maximum:.10g}"
            yield place, message, f"Its ends must be integers, at most {_MOST_INTEGERS} apart."
        if not scale.levels:
            yield place, f"scale {scale.id!r} has no levels", "Say what at least one score means, under `levels:`."
        for level in scale.levels:
            if not _is_number_within(level, scale.minimum, scale.maximum):
                message = f"level {level!r} does not lie on scale {scale.id!r}"
                yield (
                    (*place, "levels", level),
                    message,
                    f"Levels are scores from {scale.minimum:g} to {scale.maximum:g}.",
                )
        if scale.bands and all(float(level) != scale.minimum for level in scale.levels):
            message = f"no band of scale {scale.id!r} begins at its minimum, {scale.minimum:g}"
            yield (*place, "bands"), message, "Each level names the lowest score of its band; word the lowest band too."


def _overall_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    if protocol.overall.tolerance < 0:
        yield ("overall", "tolerance"), "a tolerance cannot be below 0", "Write 0 for none."
    if protocol.verdict is None:
        return
    if not protocol.verdict.fail_at_most < protocol.verdict.pass_at_least:
        yield ("verdict",), "fail_at_most must be below pass_at_least", "Otherwise PARTIAL or PASS cannot be reached."
    highest = max((scale.maximum for scale in protocol.scales), default=0.0) * len(protocol.dimensions)
    if protocol.verdict.pass_at_least > highest:
        message = f"pass_at_least is {protocol.verdict.pass_at_least:g}, but the highest sum is {highest:g}"
        yield ("verdict", "pass_at_least"), message, "Otherwise PASS cannot be reached."


def _dimension_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    known = f"The dimensions are: {', '.join(protocol.dimension_ids)}."
    if protocol.overall.field in protocol.dimension_ids:
        message = f"the overall score has the name of a dimension, {protocol.overall.field!r}"
        yield ("overall", "field"), message, "Give it another name."
    for position, gate in enumerate(protocol.gates):
        if gate.dimension not in protocol.dimension_ids:
            yield ("gates", position), f"a gate names the unknown dimension {gate.dimension!r}", known
    low = min((scale.minimum for scale in protocol.scales), default=0.0)
    high = max((scale.maximum for scale in protocol.scales), default=0.0)
    for position, dimension in enumerate(protocol.dimensions):
        for level in dimension.levels:
            if not _is_number_within(level, low, high):
                message = f"level {level!r} of {dimension.id!r} lies on none of the scales"
                yield ("dimensions", position, "levels", level), message, f"Scores go from {low:g} to {high:g}."


def _category_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    if (protocol.overall.rule == "weighted") != bool(protocol.categories):
        message = "a weighted overall score needs categories with weights, and only a weighted one uses them"
        yield ("overall", "rule"), message, "Set `rule: sum`, or add `categories:` with weights."
    for position, category in enumerate(protocol.categories):
        place: Place = ("categories", position, "weights")
        for name in category.weights:
            if name not in protocol.dimension_ids:
                message = f"category {category.id!r} weighs the unknown dimension {name!r}"
                yield (*place, name), message, f"The dimensions are: {', '.join(protocol.dimension_ids)}."
        total = sum(category.weights.values())
        if abs(total - 1) > 1e-9:
            message = f"the weights of category {category.id!r} sum to {total:.10g}, not to 1"
            yield place, message, "Change one of them by the difference."
        if any(weight <= 0 for weight in category.weights.values()):
            yield (
                place,
                f"category {category.id!r} has a weight that is not above 0",
                "Leave the dimension out instead.",
            )


def _shape_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    """Report a shape that there is none of, and rules that a reply of this shape is never held to."""
    if protocol.shape not in SHAPES:
        yield ("shape",), f"there is no shape {protocol.shape!r}", f"The shapes are: {', '.join(sorted(SHAPES))}."
        return
    for field in _OF_SOME_SHAPES:
        shapes = sorted(shape.id for shape in SHAPES.values() if field in shape.uses)
        if getattr(protocol, field) and protocol.shape not in shapes:
            hint = f"Take it out, or use the shape {' or '.join(shapes)}."
            yield (field,), f"`{field}:` has no effect on replies of shape {protocol.shape!r}", hint


def _design_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    design = protocol.design
    shape = SHAPES.get(protocol.shape)
    if shape and (shape.judges == "bundle") != (design is not None):
        yield ("shape",), "shape `bundle` and `design:` go together", "Add `design:`, or change the shape."
    if design is None:
        return
    braces = re.findall(r"\{(\w*)\}", design.file_pattern)
    if sorted(braces) != sorted(design.factors) or re.search(r"[{}]", re.sub(r"\{\w*\}", "", design.file_pattern)):
        message = f"the pattern is {design.file_pattern!r}, the factors are {list(design.factors)}"
        yield ("design", "file_pattern"), message, "Each factor stands in braces exactly once."
    elif (files := math.prod(map(len, design.factors.values()))) > _MOST_FILES:
        message = f"the design has {files:,} files"
        yield ("design", "factors"), message, f"One reply can tell of at most {_MOST_FILES:,}."
    elif not design.cells or any(design.cell(cell.label) is not cell for cell in design.cells):
        message = "the design has no files, or two whose names differ only in blanks, case or punctuation"
        yield ("design", "factors"), message, "Check the factors' values."
    if design.aggregate_tolerance < 0:
        yield ("design", "aggregate_tolerance"), "a tolerance cannot be below 0", "Write 0 for none."
    named = [*design.meta_fields.values(), *design.summaries.values(), design.question_factor, design.variant_factor]
    for factor in named:
        if factor not in design.factors:
            yield (
                ("design",),
                f"the design names the unknown factor {factor!r}",
                f"It has: {', '.join(design.factors)}.",
            )


def _mapping_problems(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    mapping = protocol.mapping
    if mapping is None:
        return
    place: Place = ("mapping", "dimensions")
    onto = mapping.onto
    if set(mapping.dimensions) != set(onto.dimension_ids):
        message = f"the mapping makes up {', '.join(mapping.dimensions) or 'nothing'}"
        yield place, message, f"The dimensions of {onto.id} are: {', '.join(onto.dimension_ids)}; each is needed."
    mapped = [name for names in mapping.dimensions.values() for name in names]
    if sorted(mapped) != sorted(protocol.dimension_ids) or not all(mapping.dimensions.values()):
        message = f"the mapping uses {', '.join(mapped) or 'nothing'}"
        yield place, message, f"Each dimension is used exactly once: {', '.join(protocol.dimension_ids)}."
    for position, scale in enumerate(protocol.scales):
        if (scale.minimum, scale.maximum) != (onto.minimum, onto.maximum):
            message = f"scale {scale.id!r} goes from {scale.minimum:g} to {scale.maximum:g}"
            hint = f"{onto.id} scores from {onto.minimum:g} to {onto.maximum:g}, and a mapping does not rescale."
            yield ("scales", position), message, hint
    if protocol.overall.rule != "sum":
        yield ("overall", "rule"), "a mapping needs scores of all dimensions", "Set `rule: sum`."


def _missing_words(protocol: EvalProtocol) -> Iterator[tuple[Place, str, str]]:
    """Report texts that lack one of the languages that the title has."""
    languages = [language for language, words in protocol.title.items() if words.strip()]
    if not languages:
        yield ("title",), "the title is empty", "Give it in at least one language, such as `en:`."
    for place, words in _all_words(msgspec.to_builtins(protocol), ()):
        for language in languages:
            if not words.get(language, "").strip():
                hint = f"The title exists in {', '.join(languages)}; so must every other text."
                yield place, f"there is no {language!r} text at {'.'.join(map(str, place))}", hint


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
