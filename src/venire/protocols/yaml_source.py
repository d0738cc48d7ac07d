"""YAML that remembers its lines, so that an error in a file can say where it is."""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from venire.errors import ProtocolError

Place = tuple[str | int, ...]
"""The keys and positions that lead to a value."""


class YamlSource(msgspec.Struct, frozen=True):
    """The content of a YAML file, and the line of everything in it."""

    name: str
    """The file's name for messages."""
    value: Any
    """The content as plain Python values."""
    lines: dict[Place, int]
    """The line, counted from 1, at which each value begins."""

    def where(self, place: Place) -> str:
        """Return `file:line` for a place, or for the nearest one around it that the file holds."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.name}:{self.lines.get(place, 1)}"


def read_yaml(text: str | bytes, name: str) -> YamlSource:
    """Read YAML strictly: one document, no duplicate keys, no aliases, only plain values."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ProtocolError(f"not YAML: {error.problem}", where=f"{name}:{line}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ProtocolError(f"not YAML: {error}", where=name) from None
    if node is None:
        raise ProtocolError("the file is empty", where=name, hint="See `venire protocol show drift-sample --yaml`.")
    lines: dict[Place, int] = {}
    try:
        value = _build(node, (), lines, name, set())
    except RecursionError:
        raise ProtocolError("nested too deeply", where=name) from None
    return YamlSource(name, value, lines)


def _build(node: yaml.Node, place: Place, lines: dict[Place, int], name: str, seen: set[int]) -> Any:
    line = node.start_mark.line + 1
    lines[place] = line
    if id(node) in seen:
        raise ProtocolError("aliases are not allowed", where=f"{name}:{line}", hint="Write the value out again.")
    if isinstance(node, yaml.SequenceNode):
        seen.add(id(node))
        return [_build(item, (*place, position), lines, name, seen) for position, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        seen.add(id(node))
        return _build_mapping(node, place, lines, name, seen)
    return yaml.SafeLoader("").construct_object(node)


def _build_mapping(
    node: yaml.MappingNode, place: Place, lines: dict[Place, int], name: str, seen: set[int]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = key_node.value
        if not isinstance(key, str):
            raise ProtocolError("a key must be plain text", where=f"{name}:{line}")
        if key in result:
            hint = "Keep one of the two."
            raise ProtocolError(f"the key {key!r} stands twice", where=f"{name}:{line}", hint=hint)
        result[key] = _build(value_node, (*place, key), lines, name, seen)
    return result
