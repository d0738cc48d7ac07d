"""Reads a protocol file strictly, with the file, the line and a way out in every error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from venire.domain.protocol import EvalProtocol
from venire.errors import InputError, ProtocolError, os_reason
from venire.protocols.plain import expand, is_plain
from venire.protocols.problems import KEYED_LISTS, find_problems
from venire.words.said import say
from venire.yaml_source import (
    LARGEST_BYTES,
    Place,
    YamlProblem,
    YamlSource,
    find_problems_of_kind,
    read_yaml,
    yaml_text,
)

INLINE_ID = "rubric"
"""The id of a rubric that stands in a configuration and does not name itself."""

_EXAMPLE = "error.protocol.example"


class LocatedProtocol(NamedTuple):
    """A protocol, and the lines of the file that its parts come from."""

    protocol: EvalProtocol
    """The protocol."""
    source: YamlSource
    """The content of the file as a full protocol."""


def load_protocol(path: Path, find: Callable[[str], bytes]) -> EvalProtocol:
    """Load a protocol file, or the protocol of a configuration; `find` returns the text of a bundled protocol."""
    return parse_protocol(read_protocol_text(path), str(path), find)


def read_protocol_text(path: Path) -> bytes:
    """Return the text of a protocol file as it stands, or raise `ProtocolError`."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES + 1)  # A longer one is refused when it is parsed.
    except OSError as error:
        raise ProtocolError("error.protocol.unreadable", where=str(path), reason=os_reason(error)) from None


def parse_protocol(data: bytes, name: str, find: Callable[[str], bytes]) -> EvalProtocol:
    """Turn the text of a protocol file into a protocol, or raise `ProtocolError`."""
    return parse_with_lines(data, name, find).protocol


def parse_with_lines(data: bytes, name: str, find: Callable[[str], bytes]) -> LocatedProtocol:
    """Turn the text of a protocol file, or of a configuration, into its protocol and the lines of its parts."""
    try:
        source = read_yaml(data, name)
    except InputError as error:
        raise ProtocolError(error.message, where=error.where, hint=error.hint or _EXAMPLE) from None
    if isinstance(source.value, dict) and isinstance(source.value.get("protocol"), dict | str):
        return _configured(source, find)
    return build_protocol(source, Path(name).stem, find)


def build_protocol(source: YamlSource, default_id: str, find: Callable[[str], bytes]) -> LocatedProtocol:
    """Turn the content of a protocol file, or of `protocol:` in a configuration, into a protocol."""
    if not isinstance(source.value, dict):
        raise ProtocolError("error.protocol.no_mapping", where=source.where(()), hint=_EXAMPLE)
    if is_plain(source.value):
        source = expand(source, default_id)
    if "extends" in source.value:
        source = _extend(source, find)
    source = _with_coarser_rubric(source, find)
    if wrong := [_located(each, source) for each in find_problems_of_kind(source.value, EvalProtocol)]:
        raise ProtocolError.all_of(wrong)
    protocol = msgspec.convert(source.value, EvalProtocol)
    problems = [
        ProtocolError(each.message, where=source.where(each.place), hint=each.hint) for each in find_problems(protocol)
    ]
    if problems:
        raise ProtocolError.all_of(problems)
    return LocatedProtocol(protocol, source)


def _configured(source: YamlSource, find: Callable[[str], bytes]) -> LocatedProtocol:
    """Return the protocol that a configuration holds or names."""
    named = source.value["protocol"]
    if isinstance(named, dict):
        return build_protocol(source.part("protocol"), INLINE_ID, find)
    if is_protocol_path(named):
        path = Path(source.name).parent / named
        return parse_with_lines(read_protocol_text(path), str(path), find)
    return parse_with_lines(find(named), named, find)


def is_protocol_path(name: str) -> bool:
    """Tell whether a protocol is named by the path of its file."""
    return name.endswith((".yaml", ".yml"))


def is_full_text(text: bytes) -> bool:
    """Tell whether a text is that of a protocol file in full, or of none; not a rubric or a configuration."""
    try:
        value = read_yaml(text, "").value
    except InputError:
        return True
    return not isinstance(value, dict) or not ("protocol" in value or is_plain(value))


def full_text(protocol: EvalProtocol) -> bytes:
    """Return the text of a protocol file with everything that a protocol says."""
    said = {key: value for key, value in msgspec.to_builtins(protocol).items() if value not in (None, False, ())}
    return yaml_text(_as_lists(said))


def _as_lists(value: Any) -> Any:
    """Return a value as YAML writes it: without tuples, and whole numbers without a fraction."""
    if isinstance(value, dict):
        return {key: _as_lists(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_lists(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _extend(source: YamlSource, find: Callable[[str], bytes]) -> YamlSource:
    """Return the content of a file laid over the protocol that it extends, with the lines of the file."""
    changes = dict(source.value)
    base_id = changes.pop("extends")
    if "id" not in changes or changes["id"] == base_id:
        raise ProtocolError("error.protocol.same_id", where=source.where(()))
    try:
        base = find(base_id)
    except ProtocolError as error:
        hint = say("error.protocol.extend_bundled", hint=error.hint)
        raise ProtocolError(error.message, where=source.where(("extends",)), hint=hint) from None
    for field in KEYED_LISTS:
        _refuse_repeated(source, field)
    merged = _merge(read_yaml(base, str(base_id)).value, changes, ())
    return YamlSource(source.name, merged, _moved_lines(source, merged))


def _with_coarser_rubric(source: YamlSource, find: Callable[[str], bytes]) -> YamlSource:
    """Put the protocol that a mapping names by its id into the place of the id, so that the digest covers it."""
    mapping = source.value.get("mapping")
    if not isinstance(mapping, dict) or not isinstance(mapping.get("onto"), str):
        return source
    where = source.where(("mapping", "onto"))
    try:
        coarser = parse_protocol(find(mapping["onto"]), mapping["onto"], find)
    except ProtocolError as error:
        hint = say("error.protocol.name_bundled", hint=error.hint)
        raise ProtocolError(error.message, where=where, hint=hint) from None
    if coarser.overall.rule != "sum":
        raise ProtocolError("error.protocol.onto_weighted", where=where, id=coarser.id)
    onto = {
        "id": coarser.id,
        "digest": coarser.digest,
        "minimum": coarser.scale().minimum,
        "maximum": coarser.scale().maximum,
        "dimension_ids": coarser.dimension_ids,
        "names": {dimension.id: dimension.name for dimension in coarser.dimensions},
        "verdict": msgspec.to_builtins(coarser.verdict),
    }
    return YamlSource(source.name, {**source.value, "mapping": {**mapping, "onto": onto}}, source.lines)


def _refuse_repeated(source: YamlSource, field: str) -> None:
    """Refuse two changes to one item: only one of them could count."""
    given = source.value.get(field)
    ids = [item.get("id") for item in given if isinstance(item, dict)] if isinstance(given, list) else []
    for position, item_id in enumerate(ids):
        if item_id in ids[:position]:
            where = source.where((field, position, "id"))
            raise ProtocolError("error.protocol.repeated_change", where=where, id=item_id, field=field)


def _moved_lines(source: YamlSource, merged: dict[str, Any]) -> dict[Place, int]:
    """Return the lines of a file by the places that its items have after merging."""
    lines = {place: line for place, line in source.lines.items() if len(place) < 2 or place[0] not in KEYED_LISTS}
    for field in KEYED_LISTS:
        given = source.value.get(field)
        for position, item in enumerate(given if isinstance(given, list) else ()):
            moved = position if merged[field] is given else _position(merged[field], item)
            for place, line in source.lines.items():
                if place[:2] == (field, position):
                    lines[field, moved, *place[2:]] = line
    return lines


def _position(items: list[Any], item: dict[str, Any]) -> int:
    return next(index for index, other in enumerate(items) if other["id"] == item["id"])


def _merge(base: Any, changes: Any, place: Place) -> Any:
    """Lay changes over a base: mappings by key, keyed lists by id, everything else whole."""
    if isinstance(base, dict) and isinstance(changes, dict):
        merged = {**base, **{key: _merge(base.get(key), value, (*place, key)) for key, value in changes.items()}}
        return {key: value for key, value in merged.items() if value is not None}
    if isinstance(base, list) and isinstance(changes, list) and place and place[-1] in KEYED_LISTS:
        if not all(isinstance(item, dict) and isinstance(item.get("id"), str) for item in changes):
            return changes
        by_id = {item["id"]: item for item in base}
        for item in changes:
            by_id[item["id"]] = _merge(by_id.get(item["id"]), item, (*place, item["id"]))
        return list(by_id.values())
    return changes


def _located(problem: YamlProblem, source: YamlSource) -> ProtocolError:
    at = ".".join(map(str, problem.place))
    located = say("error.protocol.at", message=problem.message, place=at) if at else problem.message
    return ProtocolError(located, where=source.where(problem.place), hint=problem.hint or _EXAMPLE)
