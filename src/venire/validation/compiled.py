"""A contract compiled to a typed decoder: replies that follow it to the letter are recognised in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import inspect

from venire.validation.contract import Node
from venire.validation.strict_json import MAX_REPLY_BYTES, StrictReply, read_strictly

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder raises for a reply that is no strict JSON, or of another form than it knows."""
_encode = msgspec.json.Encoder().encode

Record = TypeVar("Record")

Counter: TypeAlias = Callable[[Any], int]
"""Counts the strings that a decoded value was written with, keys included."""


class CompiledContract:
    """Reads replies that follow a contract; anything else is left to the parser that can say what is wrong.

    It is compiled for the first reply: most readers of samples never need it.
    """

    def __init__(self, contract: Node) -> None:
        self._contract = contract

    @cached_property
    def _wire_type(self) -> Any:
        return self._contract.wire_type()

    @cached_property
    def _decoder(self) -> msgspec.json.Decoder[dict[str, Any]]:
        return msgspec.json.Decoder(self._wire_type)

    @cached_property
    def _strings(self) -> Counter:
        return _counter(inspect.type_info(self._wire_type))

    def read(self, raw: bytes) -> dict[str, Any] | None:
        r"""Return the reply's object if it is strict JSON and follows the contract, else None.

        The decoder drops unknown fields and keeps the last of duplicate keys: either leaves more strings in the reply
        than in its value, with two quotation marks each. Escaped quotation marks count too; where these stand, either
        loses a colon in a round trip, and without \u escapes both sides write the colons inside strings alike.
        """
        value = read_record(raw, self._decoder)
        if value is None or raw.count(b'"') == 2 * self._strings(value):
            return value
        has_escapes = b'\\"' in raw and b"\\u" not in raw
        return value if has_escapes and raw.count(b":") == _encode(value).count(b":") else None


def read_record(raw: bytes, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return what a decoder makes of a reply; None if it is too large, no strict JSON, or of another form."""
    if len(raw) > MAX_REPLY_BYTES:
        return None
    try:
        return decoder.decode(raw)
    except UNREADABLE:
        return None


def read_reply(raw: bytes, contract: CompiledContract) -> StrictReply:
    """Read a reply, by the fast way if it follows its contract and by the thorough way if not."""
    value = contract.read(raw)
    return read_strictly(raw) if value is None else StrictReply(value, follows_contract=True)


def _counter(kind: inspect.Type) -> Counter:
    """Return what counts the strings of a value of a type."""
    fixed = _fixed(kind)
    if fixed is not None:
        return lambda _: fixed
    if isinstance(kind, inspect.TypedDictType):
        return _object_counter(kind)
    if isinstance(kind, inspect.ListType):
        return _array_counter(kind.item_type)
    return lambda value: type(value) is str


def _object_counter(kind: inspect.TypedDictType) -> Counter:
    each = _in_each_field(kind)
    if each is not None:
        return lambda value: each * len(value)
    always, others = 0, []
    for field in kind.fields:
        fixed = _fixed(field.type)
        if field.required and fixed is not None:
            always += 1 + fixed
        else:
            others.append((field.name, _counter(field.type)))

    def count(value: dict[str, Any]) -> int:
        found = always
        for name, strings in others:
            if name in value:
                found += 1 + strings(value[name])
        return found

    return count


def _array_counter(item: inspect.Type) -> Counter:
    fixed, each = _fixed(item), _in_each_field(item)
    if fixed is not None:
        return lambda value: fixed * len(value)
    if each is not None:
        return lambda value: each * sum(map(len, value))
    strings = _counter(item)
    return lambda value: sum(map(strings, value))


def _fixed(kind: inspect.Type) -> int | None:
    """Return how many strings every value of a type is written with; None where they differ."""
    if isinstance(kind, inspect.LiteralType):
        return 1 if all(type(each) is str for each in kind.values) else 0
    if isinstance(kind, inspect.StrType):
        return 1
    if isinstance(kind, inspect.UnionType):
        return _same(_fixed(each) for each in kind.types)
    if isinstance(kind, inspect.TypedDictType):
        found = [_fixed(field.type) if field.required else None for field in kind.fields]
        return None if None in found else len(found) + sum(each or 0 for each in found)
    return None if isinstance(kind, inspect.ListType) else 0


def _in_each_field(kind: inspect.Type) -> int | None:
    """Return how many strings each field of an object is written with, its key included; None where they differ."""
    if not isinstance(kind, inspect.TypedDictType):
        return None
    fixed = _same(_fixed(field.type) for field in kind.fields)
    return None if fixed is None else 1 + fixed


def _same(numbers: Iterable[int | None]) -> int | None:
    found = set(numbers)
    return found.pop() if len(found) == 1 else None
