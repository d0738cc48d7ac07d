"""The reply contract as a tree of nodes: it checks a reply, and it writes the JSON Schema of one.

A node is built once for a protocol and checks many replies, so the path to a value is only spelt out for a finding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Protocol, TypeAlias, TypedDict

import msgspec

from venire.domain import rule
from venire.domain.flag import Finding, Severity
from venire.domain.protocol import Scale
from venire.domain.rule import Rule
from venire.validation.strict_json import escape_pointer, shorten
from venire.words.said import Said, say

_INTEGER: Any = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Integers that are decoded in one pass; a long one may overflow a float, and is left to the thorough parser."""

Path: TypeAlias = tuple[Any, ...]
"""Where a value stands: the path of its parent followed by its own key; the whole reply is the empty tuple."""


class Node(Protocol):
    """One place in a contract."""

    missing: Rule
    """The rule that is broken when the place is not there."""
    expected: Said
    """What should stand here, in words."""

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report what is wrong with a value."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the place."""

    def wire_type(self) -> Any:
        """Return a type that msgspec decodes only from values that `check` has nothing to say about."""


def pointer(path: Path) -> str:
    """Write a path as a JSON pointer (RFC 6901)."""
    parts: list[str] = []
    while path:
        path, key = path
        parts.append(escape_pointer(str(key)))
    return "".join(f"/{part}" for part in reversed(parts))


def show(value: Any) -> str:
    """Show a value of a reply in a finding, cut to a line."""
    try:
        return shorten(json.dumps(value, ensure_ascii=False), 80)
    except (TypeError, ValueError, RecursionError):
        return shorten(repr(value), 80)


class Text:
    """A string; optionally one that must not be empty, or one of a closed list."""

    def __init__(self, *, missing: Rule = rule.CONTRACT_MISSING_FIELD, values: Sequence[str] = ()) -> None:
        self.missing = missing
        self._values = frozenset(values)
        self._listed = list(values)
        self._must_not_be_empty = missing is rule.CONTRACT_MISSING_IDENTIFIER
        self.expected = say("finding.text_not_empty" if self._must_not_be_empty else "finding.text")
        if values:
            self.expected = say("finding.one_of", names=tuple(values))

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report a value that is not such a string."""
        if type(value) is not str:
            findings.append(rule.CONTRACT_WRONG_TYPE.finding(pointer(path), self.expected, show(value)))
        elif self._must_not_be_empty and not value:
            findings.append(self.missing.finding(pointer(path), self.expected, show(value)))
        elif self._values and value not in self._values:
            findings.append(rule.CONTRACT_UNKNOWN_VALUE.finding(pointer(path), self.expected, show(value)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the string."""
        if self._listed:
            return {"type": "string", "enum": self._listed}
        return {"type": "string", "minLength": 1} if self._must_not_be_empty else {"type": "string"}

    def wire_type(self) -> Any:
        """Return the type of the string."""
        if self._listed:
            return Literal[tuple(self._listed)]
        return Annotated[str, msgspec.Meta(min_length=1)] if self._must_not_be_empty else str


class Number:
    """A number, optionally on a scale."""

    def __init__(self, scale: Scale | None = None, *, missing: Rule = rule.CONTRACT_MISSING_FIELD) -> None:
        self.missing = missing
        self._scale = scale
        self._low, self._high = (scale.minimum, scale.maximum) if scale else (float("-inf"), float("inf"))
        self._integer = bool(scale and scale.integer)
        self.expected = say("finding.number")
        if scale:
            code = "finding.integer_from_to" if scale.integer else "finding.number_from_to"
            self.expected = say(code, low=f"{self._low:g}", high=f"{self._high:g}")

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report a value that is not such a number."""
        kind = type(value)
        if kind is int and self._low <= value <= self._high:
            return
        if kind is not int and kind is not float:
            findings.append(rule.CONTRACT_WRONG_TYPE.finding(pointer(path), self.expected, show(value)))
        elif value != value:  # noqa: PLR0124 - NaN: reported when the JSON was read
            return
        elif not self._low <= value <= self._high or (self._integer and kind is float and not value.is_integer()):
            findings.append(rule.SCORE_OUT_OF_SCALE.finding(pointer(path), self.expected, show(value)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the number."""
        if not self._scale:
            return {"type": "number"}
        low, high = (int(bound) if bound.is_integer() else bound for bound in map(float, (self._low, self._high)))
        if self._integer:
            return {"type": "integer", "enum": list(range(int(low), int(high) + 1))}
        return {"type": "number", "minimum": low, "maximum": high}

    def wire_type(self) -> Any:
        """Return the type of the number."""
        if not self._scale:
            return _INTEGER | float
        if self._integer:
            return Literal[tuple(range(int(self._low), int(self._high) + 1))]
        return Annotated[float, msgspec.Meta(ge=self._low, le=self._high)]


class SentenceNumber:
    """The number of a sentence, from 1; whether there is such a sentence, only the text can tell."""

    missing = rule.CONTRACT_MISSING_FIELD

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self.expected = say("finding.sentence_number")

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report a value that is not a whole number above 0."""
        if type(value) is not int or value < 1:
            findings.append(rule.CONTRACT_WRONG_TYPE.finding(pointer(path), self.expected, show(value)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the number, with the highest that there is where it is known."""
        return {"type": "integer", "minimum": 1, **({} if self._most is None else {"maximum": self._most})}

    def wire_type(self) -> Any:
        """Return the type of the number."""
        return Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]


class Items:
    """An array, all of whose items follow one node."""

    missing = rule.CONTRACT_MISSING_FIELD

    def __init__(self, item: Node, *, count: int | None = None) -> None:
        self._item = item
        self._count = count
        self.expected = say("finding.array") if count is None else say("finding.array_of", count=count)

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report a value that is not an array, and what is wrong with its items."""
        if type(value) is not list:
            findings.append(rule.CONTRACT_WRONG_TYPE.finding(pointer(path), self.expected, show(value)))
            return
        for position, item in enumerate(value):
            self._item.check(item, (path, position), findings)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the array."""
        bounds = {} if self._count is None else {"minItems": self._count, "maxItems": self._count}
        return {"type": "array", "items": self._item.schema(), **bounds}

    def wire_type(self) -> Any:
        """Return the type of the array."""
        return list[self._item.wire_type()]  # type: ignore[misc]


class Fields:
    """An object with required and optional fields."""

    def __init__(
        self,
        required: Mapping[str, Node],
        optional: Mapping[str, Node] | None = None,
        *,
        unknown: Rule | None = rule.CONTRACT_UNKNOWN_FIELD,
        missing: Rule = rule.CONTRACT_MISSING_FIELD,
    ) -> None:
        self.missing = missing
        self._required = dict(required)
        self._optional = dict(optional or {})
        self._unknown = unknown
        self._known = {**self._required, **self._optional}
        self.expected = say("finding.object")

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Report a value that is not an object, fields that are missing or unknown, and what is wrong in them."""
        if type(value) is not dict:
            findings.append(rule.CONTRACT_WRONG_TYPE.finding(pointer(path), self.expected, show(value)))
            return
        for name, node in self._required.items():
            if name in value:
                node.check(value[name], (path, name), findings)
            else:
                findings.append(node.missing.finding(pointer((path, name)), node.expected, say("finding.nothing")))
        if not value.keys() <= self._required.keys():
            self._check_rest(value, path, findings)

    def _check_rest(self, value: dict[str, Any], path: Path, findings: list[Finding]) -> None:
        for name, item in value.items():
            if name in self._required:
                continue
            node = self._optional.get(name)
            if node is not None:
                node.check(item, (path, name), findings)
            elif self._unknown is not None:
                expected = say("finding.only", names=tuple(self._known))
                findings.append(self._unknown.finding(pointer((path, name)), expected, show(item)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the object."""
        return {
            "type": "object",
            "properties": {name: node.schema() for name, node in self._known.items()},
            "required": list(self._required),
            "additionalProperties": self._unknown is None,
        }

    def wire_type(self) -> Any:
        """Return the type of the object; unknown fields are dropped in decoding and so missed in a round trip."""
        fields: dict[str, Any] = {name: node.wire_type() for name, node in self._required.items()}
        fields |= {name: NotRequired[node.wire_type()] for name, node in self._optional.items()}
        return TypedDict("Fields", fields)  # type: ignore[operator]


class Anything:
    """Any value at all."""

    missing = rule.CONTRACT_MISSING_FIELD

    def __init__(self) -> None:
        self.expected = say("finding.anything")

    def check(self, value: Any, path: Path, findings: list[Finding]) -> None:
        """Accept every value."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema that accepts everything."""
        return {}

    def wire_type(self) -> Any:
        """Return a type for plain values; deeper ones are left to the parser that measures depth."""
        return str | _INTEGER | float | bool | None


def is_violation(finding: Finding) -> bool:
    """Tell whether a finding makes a judgement invalid."""
    return finding.severity is Severity.VIOLATION
