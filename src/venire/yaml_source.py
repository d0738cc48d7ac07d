"""YAML that remembers its lines, so that an error in a file can say where it is."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
import yaml

from venire.errors import InputError
from venire.words.said import Said, say

_LARGEST = 2**53 - 1  # What every JSON reader keeps exactly, and so what a ledger can record.
_CONVERSION_ERROR = re.compile(r"^(?P<message>.*?)(?: - at `(?P<path>.*)`)?$", re.DOTALL)
_WRONG_TYPE = re.compile(r"Expected `(?P<expected>[^`]+)`, got `(?P<found>[^`]+)`")
_BEYOND_LIMIT = re.compile(r"Expected `(?P<expected>[^`]+)` (?P<length>of length )?(?P<limit>[<>]=? .+)")
_MISSING = re.compile(r"Object missing required field `(?P<key>.+)`")
_NOT_A_CHOICE = re.compile(r"Invalid (?:enum )?value (?P<found>.+)", re.DOTALL)
_TYPES = frozenset({"str", "int", "float", "bool", "array", "object", "null", "date", "datetime"})
"""What msgspec calls types; `yaml.…` says them in words."""

LARGEST_BYTES = 1024 * 1024
"""How long a YAML file may be: reading it takes seconds for each megabyte."""
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

    def part(self, key: str) -> YamlSource:
        """Return what stands under a key, with its own lines."""
        lines = {place[1:]: line for place, line in self.lines.items() if place[:1] == (key,)}
        return YamlSource(self.name, self.value[key], lines)


def read_yaml_file(path: Path, name: str = "") -> YamlSource:
    """Read a YAML file strictly, and not more of it than a configuration can have. Raises `OSError` as opening does."""
    with path.open("rb") as file:
        return read_yaml(file.read(LARGEST_BYTES + 1), name or str(path))


def read_yaml(text: str | bytes, name: str) -> YamlSource:
    """Read YAML strictly: one document, no duplicate keys, no aliases, only plain values, and not too much of it."""
    if len(text) > LARGEST_BYTES:
        raise InputError("error.yaml.too_long", where=name, most=LARGEST_BYTES // 1024)
    lines: dict[Place, int] = {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = _build(node, (), lines, name, set()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError("error.yaml.syntax", where=f"{name}:{line}", reason=error.problem) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise InputError("error.yaml.encoding", where=f"{name}:1", reason=reason) from None
    except RecursionError:
        raise InputError("error.yaml.too_deep", where=f"{name}:1") from None
    if node is None:
        raise InputError("error.yaml.empty", where=f"{name}:1")
    return YamlSource(name, value, lines)


def _build(node: yaml.Node, place: Place, lines: dict[Place, int], name: str, seen: set[int]) -> Any:
    line = node.start_mark.line + 1
    lines[place] = line
    if id(node) in seen:
        raise InputError("error.yaml.alias", where=f"{name}:{line}")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*place, position), lines, name, seen) for position, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _build_mapping(node, place, lines, name, seen)
    return _build_scalar(node, f"{name}:{line}")


def _build_scalar(node: yaml.Node, where: str) -> Any:
    try:
        value = yaml.SafeLoader("").construct_object(node)
    except ValueError as error:  # such as a date in month 13
        raise InputError("error.yaml.value", where=where, reason=str(error)) from None
    if isinstance(value, str) and "\0" in value:  # It has no place in a path, an address or a name.
        raise InputError("error.yaml.nul", where=where)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("error.yaml.not_finite", where=where, found=value)
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise InputError("error.yaml.too_large", where=where, most=_LARGEST)
    return value


def _build_mapping(
    node: yaml.MappingNode, place: Place, lines: dict[Place, int], name: str, seen: set[int]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = key_node.value
        if not isinstance(key, str) or "\0" in key:
            raise InputError("error.yaml.key", where=f"{name}:{line}")
        if key in result:
            raise InputError("error.yaml.duplicate_key", where=f"{name}:{line}", key=key)
        result[key] = _build(value_node, (*place, key), lines, name, seen)
    return result


class YamlProblem(NamedTuple):
    """One thing that is wrong with a value of a file."""

    place: Place
    """Where it is."""
    message: str
    """What is wrong."""
    hint: str
    """What could stand there; empty if that is not known."""


def find_problems_of_kind(value: Any, kind: Any, place: Place = ()) -> Iterator[YamlProblem]:
    """Yield everything that keeps a value from being of a kind: unknown and missing keys, and values of other kinds.

    A conversion stops at the first; whoever writes a file wants them all.
    """
    kind = _chosen(value, kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        yield from _struct_problems(value, kind, place)
    elif get_origin(kind) is dict and isinstance(value, dict):
        for key, item in value.items():
            yield from find_problems_of_kind(item, get_args(kind)[1], (*place, key))
    elif get_origin(kind) in (list, tuple) and isinstance(value, list):
        for position, item in enumerate(value):
            yield from find_problems_of_kind(item, get_args(kind)[0], (*place, position))
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            within, message = locate_error(error)
            yield YamlProblem((*place, *within), message, _example_hint(place, kind))


def unknown_key_hint(key: str, known: Sequence[str], meant: str | None = None) -> Said:
    """Return the key that was probably meant, and all that there are."""
    near = [meant] if meant in known else difflib.get_close_matches(key, known, n=1, cutoff=0.7)
    if near:
        return say("error.yaml.did_you_mean", near=near[0], known=tuple(known))
    return say("error.yaml.known_keys", known=tuple(known))


def _keys_of(kind: Any) -> set[str]:
    """Return the keys of a section, where a value of the kind may be one."""
    sections = [each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    return {field.encode_name for each in sections for field in msgspec.structs.fields(each)}


def _struct_problems(value: dict[str, Any], kind: type[msgspec.Struct], place: Place) -> Iterator[YamlProblem]:
    kinds = get_type_hints(kind, include_extras=True)
    known = {field.encode_name: kinds[field.name] for field in msgspec.structs.fields(kind)}
    for key, item in value.items():
        if key not in known:
            message = say("error.yaml.unknown_key", key=key)
            within = next((name for name, each in known.items() if key in _keys_of(each)), None)
            misplaced = say("error.yaml.belongs_under", key=key, section=within)
            yield YamlProblem((*place, key), message, misplaced if within else unknown_key_hint(key, tuple(known)))
        else:
            yield from find_problems_of_kind(item, known[key], (*place, key))
    for field in msgspec.structs.fields(kind):
        if field.required and field.encode_name not in value:
            message = say("error.yaml.missing_key", key=field.encode_name)
            hint = _example_hint((*place, field.encode_name), known[field.encode_name])
            yield YamlProblem(place, message, hint)


def _chosen(value: Any, kind: Any) -> Any:
    """Return the one of several kinds that a value was meant to be, as far as its form tells."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    for each in get_args(kind):
        is_struct = isinstance(each, type) and issubclass(each, msgspec.Struct)
        if isinstance(value, dict) and (is_struct or get_origin(each) is dict):
            return each
        if isinstance(value, list) and get_origin(each) in (list, tuple):
            return each
    return kind


def _example_hint(place: Place, kind: Any) -> str:
    key = place[-1] if place else 0
    if choices := _choices(kind):
        return say("error.yaml.choices", known=choices)
    example = _example(kind)
    return say("error.yaml.example", line=f"{key}: {example}") if isinstance(key, str) and example else ""


def _choices(kind: Any) -> tuple[str, ...]:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(each.value for each in kind)
    named = [kind, *get_args(kind)] if get_origin(kind) in (Union, UnionType) else [kind]
    return tuple(str(value) for each in named if get_origin(each) is Literal for value in get_args(each))


def _example(kind: Any) -> str:
    """Return what may stand where a value of a kind is expected."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return str(args[0])
    if origin is Annotated:
        return _example(args[0])
    if origin is dict:
        return f"{{en: {_example(args[1])}}}" if args[1] is str else ""
    if origin in (list, tuple):
        return f"[{_example(args[0])}]" if _example(args[0]) else ""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        kinds = get_type_hints(kind, include_extras=True)
        needed = [
            (each.encode_name, _example(kinds[each.name])) for each in msgspec.structs.fields(kind) if each.required
        ]
        return f"{{{', '.join(f'{name}: {example}' for name, example in needed)}}}" if all(e for _, e in needed) else ""
    return {str: '"…"', bool: "true", int: "1", float: "1"}.get(kind, "")


class _BlockDumper(yaml.SafeDumper):
    """Writes texts of several lines as they are read."""


_BlockDumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def yaml_text(value: Any) -> bytes:
    """Return plain values as the text of a YAML file, keys in their order."""
    text: str = yaml.dump(value, Dumper=_BlockDumper, allow_unicode=True, sort_keys=False, width=118)
    return text.encode()


def locate_error(error: msgspec.ValidationError) -> tuple[Place, str]:
    """Return the place that a conversion error speaks of, and its message in our words."""
    match = _CONVERSION_ERROR.match(str(error))
    message, path = (match["message"], match["path"] or "") if match else (str(error), "")
    steps = re.findall(r"\.([\w-]+)|\[(\d+|\.\.\.)\]", path)
    place: Place = tuple(name or (int(index) if index.isdigit() else index) for name, index in steps)
    unknown = re.search(r"unknown field `(.+)`", message)
    if unknown:
        return (*place, unknown[1]), say("error.yaml.unknown_key", key=unknown[1])
    said = error.__cause__.args[0] if error.__cause__ and error.__cause__.args else None
    return place, said if isinstance(said, Said) else _in_our_words(message)


def _in_our_words(message: str) -> str:
    """Say what msgspec says of a value by code; what it says of anything else stays as it is."""
    if wrong := _WRONG_TYPE.fullmatch(message):
        return say("error.yaml.type", expected=_type(wrong["expected"]), found=_type(wrong["found"]))
    if beyond := _BEYOND_LIMIT.fullmatch(message):
        code = "error.yaml.length_limit" if beyond["length"] else "error.yaml.number_limit"
        return say(code, expected=_type(beyond["expected"]), limit=beyond["limit"])
    if missing := _MISSING.fullmatch(message):
        return say("error.yaml.missing_key", key=missing["key"])
    if other := _NOT_A_CHOICE.fullmatch(message):
        return say("error.yaml.not_a_choice", found=other["found"])
    return f"{message[:1].lower()}{message[1:]}"


def _type(names: str) -> list[str]:
    return [say(f"yaml.{name}") if name in _TYPES else name for name in names.split(" | ")]
