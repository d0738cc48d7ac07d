"""Strict JSON: one object, no duplicate keys, no NaN, nothing around it, within limits of depth and size.

No parser is strict enough by itself: this one can say what is wrong. Replies that follow their contract to the letter
are recognised faster, in compiled.py, and never come here.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from venire.domain import rule
from venire.domain.flag import Finding
from venire.validation.finding_list import MAX_FINDINGS, FindingList
from venire.words.language import Words
from venire.words.said import say

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""The size of the largest reply that is read."""
MAX_DEPTH = 64
"""How deep objects and arrays may be nested."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)
_MAX_BRACES = 10_000
_BRACE = re.compile(r"[{}]")
_OPENS_AN_OBJECT = re.compile(r'\{\s*"')
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_JSON_BLANKS = " \t\n\r"


class StrictReply(msgspec.Struct, frozen=True):
    """A reply as far as it could be read as JSON."""

    value: dict[str, Any] | None
    """The JSON object, also when it was found inside other text; None if there is none."""
    findings: tuple[Finding, ...] = ()
    """What keeps the reply from being strict JSON."""
    recovered_by: str | None = None
    """How an object was found in a reply that is more than the object; None for strict JSON."""
    text: str = ""
    """The decoded reply, for salvage; empty if it could not be decoded or need not be salvaged."""
    follows_contract: bool = False
    """Whether the reply is known already to follow its contract."""
    contradictions: tuple[str, ...] = ()
    """Where keys stand that are given twice in one object with different values, as JSON pointers."""

    @property
    def is_empty(self) -> bool:
        """Whether the judge has said nothing at all."""
        return any(finding.rule == rule.JSON_EMPTY.id for finding in self.findings)


class _Noted(NamedTuple):
    """Something that a hook of the parser has seen; where it stands is known only when all has been read."""

    holder: object
    """The object or number at the place, by which it is found again."""
    finding: Finding
    """What is wrong with it, without the place."""
    below: str
    """What the pointer has behind the place of the holder."""


def read_strictly(raw: bytes) -> StrictReply:
    """Read a reply as strict JSON; never raises.

    >>> read_strictly(b'{"a": 1}').value
    {'a': 1}
    >>> read_strictly(b'{"a": 1, "a": 2}').findings[0].rule
    'json.duplicate-key'
    """
    if len(raw) > MAX_REPLY_BYTES:
        return _refused(
            rule.JSON_TOO_LARGE,
            say("finding.at_most_bytes", most=MAX_REPLY_BYTES),
            say("finding.bytes", count=len(raw)),
        )
    notes: list[Finding] = []
    if raw.startswith(_BYTE_ORDER_MARK):
        raw = raw[len(_BYTE_ORDER_MARK) :]
        notes.append(rule.JSON_BYTE_ORDER_MARK.finding("", say("finding.no_mark"), say("finding.mark")))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = say("finding.byte_at", byte=f"{raw[error.start]:#04x}", offset=error.start)
        return _refused(rule.JSON_ENCODING, say("finding.utf8"), _with_encoding(found, raw))
    if "\x00" in text:
        return _refused(rule.JSON_ENCODING, say("finding.utf8"), _with_encoding(say("finding.nul"), raw))
    if not text.strip():
        return _refused(rule.JSON_EMPTY, say("finding.one_object"), say("finding.empty_reply"))
    # Quotation marks in prose can hide brackets from the count, so it is made again where an object begins.
    depth = max(_depth(text, 0), _depth(text, max(_object_start(text), 0)))
    if depth > MAX_DEPTH:
        return _refused(
            rule.JSON_TOO_DEEP, say("finding.at_most_levels", most=MAX_DEPTH), say("finding.levels", count=depth)
        )
    return _parse(text, notes)


def _parse(text: str, notes: list[Finding]) -> StrictReply:
    parser = _Parser()
    try:
        value = parser.read_whole(text)
    except json.JSONDecodeError as error:
        return _look_inside(text, error, notes)
    findings = (*notes, *parser.findings.closed())
    if type(value) is not dict:
        found = say(f"finding.json_{_json_type(value)}")
        wrong = rule.JSON_NOT_AN_OBJECT.finding("", say("finding.one_object"), found)
        return StrictReply(None, (*findings, wrong), text=text)
    return StrictReply(value, findings, text=text, contradictions=tuple(parser.contradictions))


def _look_inside(text: str, error: json.JSONDecodeError, notes: list[Finding]) -> StrictReply:
    """Find an object inside prose or a fence, so that the rest of it can be checked too."""
    parser = _Parser()
    start = _object_start(text)
    if start >= 0:
        try:
            value, end = parser.read_from(text, start)
        except json.JSONDecodeError as inner:
            error = inner if not text[:start].strip() else error
        else:
            before, after = text[:start].strip(_JSON_BLANKS), text[end:].strip(_JSON_BLANKS)
            fenced = before.endswith(("```", "```json")) or after.startswith("```")
            expected, found = say("finding.only_one_object"), _show_around(before, after)
            around = rule.JSON_SURROUNDING_TEXT.finding("", expected, found)
            return StrictReply(
                value,
                (*notes, around, *parser.findings.closed()),
                "fenced-json" if fenced else "json-in-prose",
                text,
                contradictions=tuple(parser.contradictions),
            )
    found = say("finding.syntax", problem=_syntax_problem(error), line=error.lineno, column=error.colno)
    return StrictReply(None, (*notes, rule.JSON_SYNTAX.finding("", say("finding.one_object"), found)), text=text)


class _Parser:
    """The standard library's parser with hooks that see duplicate keys, NaN and numbers out of range."""

    def __init__(self) -> None:
        self.findings = FindingList()
        self.contradictions: list[str] = []
        self._noted: list[_Noted] = []
        self._further = FindingList(limit=0)
        self._contradicting: list[tuple[dict[str, Any], str]] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._integer,
        )

    def read_whole(self, text: str) -> Any:
        return self._finish(text, self._decoder.decode(text))

    def read_from(self, text: str, start: int) -> tuple[dict[str, Any], int]:
        value, end = self._decoder.raw_decode(text, start)
        return self._finish(text, value), end

    def _finish(self, text: str, value: Any) -> Any:
        if self._noted:
            self._report(value)
        return self._without_surrogates(value, "") if "\\u" in text else value

    def _report(self, value: Any) -> None:
        """Report what the hooks have noted, now that it can be told where it stands."""
        places = dict(_places(value, ""))
        for note in self._noted:
            # What a later value of the same key has replaced stands nowhere any more.
            place = places.get(id(note.holder))
            pointer = "" if place is None else place + note.below
            self.findings.append(msgspec.structs.replace(note.finding, pointer=pointer))
        self.findings += self._further
        self.contradictions += [
            places[id(holder)] + below for holder, below in self._contradicting if id(holder) in places
        ]

    def _note(self, holder: object, finding: Finding, below: str = "") -> None:
        if len(self._noted) < MAX_FINDINGS:
            self._noted.append(_Noted(holder, finding, below))
        else:
            self._further.append(finding)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            self._note_duplicates(pairs, result)
        return result

    def _note_duplicates(self, pairs: list[tuple[str, Any]], result: dict[str, Any]) -> None:
        first: dict[str, Any] = {}
        for key, value in pairs:
            if key in first:
                found = say("finding.key_again", key=shorten(key))
                finding = rule.JSON_DUPLICATE_KEY.finding("", say("finding.key_once"), found)
                below = _step(key)
                self._note(result, finding, below)
                if value != first[key]:
                    self._contradicting.append((result, below))
            first.setdefault(key, value)

    def _constant(self, name: str) -> float:
        number = float("nan")  # an object of its own, by which its place is found; later checks know it as reported
        self._note(number, rule.JSON_NOT_FINITE.finding("", say("finding.finite"), name))
        return number

    def _float(self, digits: str) -> float:
        number = float(digits)
        return self._constant(digits[:40]) if math.isinf(number) else number

    def _integer(self, digits: str) -> int | float:
        if len(digits) > 300:  # beyond the range of a double, and int() refuses very long ones
            return self._constant(say("finding.more_digits", digits=digits[:20], count=len(digits) - 20))
        return int(digits)

    def _without_surrogates(self, value: Any, pointer: str) -> Any:
        """Replace lone surrogates, which no record could hold, and report them."""
        if isinstance(value, str) and _LONE_SURROGATE.search(value):
            expected, found = say("finding.no_surrogates"), say("finding.lone_surrogate")
            self.findings.append(rule.JSON_ENCODING.finding(pointer, expected, found))
            return _LONE_SURROGATE.sub(_REPLACEMENT, value)
        if isinstance(value, dict):
            cleaned = {}
            for key, item in value.items():
                name = self._without_surrogates(key, pointer)
                cleaned[name] = self._without_surrogates(item, f"{pointer}/{escape_pointer(name)}")
            return cleaned
        if isinstance(value, list):
            return [self._without_surrogates(item, f"{pointer}/{position}") for position, item in enumerate(value)]
        return value


def _places(value: Any, pointer: str) -> Iterator[tuple[int, str]]:
    """Yield the identity and the place of each object and each number that is not finite."""
    if isinstance(value, dict):
        yield id(value), pointer
        for key, item in value.items():
            if isinstance(item, dict | list | float):  # Most are texts and integers, which have no place to tell.
                yield from _places(item, pointer + _step(key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _places(item, f"{pointer}/{position}")
    elif isinstance(value, float) and math.isnan(value):
        yield id(value), pointer


def _step(key: str) -> str:
    """Return what a key adds to a pointer, with lone surrogates replaced as they are in the value that is kept."""
    return f"/{escape_pointer(_LONE_SURROGATE.sub(_REPLACEMENT, key))}"


def escape_pointer(key: str) -> str:
    """Escape a key for use in a JSON pointer (RFC 6901 §3)."""
    return key.replace("~", "~0").replace("/", "~1")


def _depth(text: str, start: int) -> int:
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(text, start):
        found = match.group()
        if found in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif found in "}]":
            depth -= 1
    return deepest


def _object_start(text: str) -> int:
    """Return where the object of a reply begins, behind braces that belong to its prose; -1 if there is no brace.

    Groups in braces that do not open with a quotation mark are passed over whole, so that nothing inside of a broken
    object can be taken for the reply. Where there are only such groups, or a great many, it is the first.
    """
    depth = 0
    for brace in itertools.islice(_BRACE.finditer(text), _MAX_BRACES):
        if brace.group() == "}":
            depth = max(0, depth - 1)
        elif depth == 0 and _OPENS_AN_OBJECT.match(text, brace.start()):
            return brace.start()
        else:
            depth += 1
    return text.find("{")


def _with_encoding(found: str, raw: bytes) -> str:
    """Add the encoding that a reply looks like."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in raw[:4]:
        return say("finding.utf16", found=found)
    return found


def _syntax_problem(error: json.JSONDecodeError) -> str:
    """Name what the parser stumbled over; in its own words where there are none for it."""
    problem = error.msg.removesuffix(" at")
    spelt = problem.lower().replace(",", "comma").replace(":", "colon")
    code = f"finding.syntax.{re.sub('[^a-z]+', '_', spelt).strip('_')}"
    return say(code) if code in Words() else problem


def _refused(broken: rule.Rule, expected: str, found: str) -> StrictReply:
    return StrictReply(None, (broken.finding("", expected, found),))


def _show_around(before: str, after: str) -> str:
    first, last = (shorten(each) or each[:20] for each in (before, after))
    if before and after:
        return say("finding.around", before=first, after=last)
    return say("finding.before", before=first) if before else say("finding.after", after=last)


def shorten(text: str, length: int = 60) -> str:
    """Cut a text for display, in one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else f"{flat[: length - 1]}…"


def _json_type(value: object) -> str:
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", type(None): "null"}
    return names.get(type(value), "object")
