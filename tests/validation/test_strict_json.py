"""Strict JSON: what no parser refuses by itself, and what would break one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venire.validation.strict_json import MAX_DEPTH, MAX_REPLY_BYTES, read_strictly

BAD = {
    "nothing": (b"", ["json.empty"]),
    "blanks": (b" \n\t ", ["json.empty"]),
    "only a byte order mark": (b"\xef\xbb\xbf", ["json.empty"]),
    "10,000 deep objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, ["json.too-deep"]),
    "10,000 deep arrays": (b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", ["json.too-deep"]),
    "10,000 deep without an end": (b"[" * 10_000, ["json.too-deep"]),
    "deep behind a quotation mark in prose": (b'"x {"a":' + b"[" * 10_000, ["json.too-deep"]),
    "deep behind words": (b'He said "well: {"a":' + b'{"a":' * 10_000, ["json.too-deep"]),
    "UTF-16 with a mark": ('{"a": 1}'.encode("utf-16"), ["json.encoding"]),
    "UTF-16 without a mark": ('{"a": 1}'.encode("utf-16-le"), ["json.encoding"]),
    "GBK": ('{"a": "评测"}'.encode("gbk"), ["json.encoding"]),
    "a NUL character": (b'{"a": 1}\x00', ["json.encoding"]),
    "an encoded surrogate": (b'{"a": "\xed\xa0\x80"}', ["json.encoding"]),
    "too large": (b'{"a": "' + b"x" * MAX_REPLY_BYTES + b'"}', ["json.too-large"]),
    "truncated": (b'{"a": {"b": 1', ["json.syntax"]),
    "a trailing comma": (b'{"a": 1,}', ["json.syntax"]),
    "single quotation marks": (b"{'a': 1}", ["json.syntax"]),
    "a comment": (b'{"a": 1 /* one */}', ["json.syntax"]),
    "a line break in a string": (b'{"a": "x\ny"}', ["json.syntax"]),
    "words": (b"I would rather not.", ["json.syntax"]),
    "an array": (b'[{"a": 1}]', ["json.not-an-object"]),
    "a string": (b'"a"', ["json.not-an-object"]),
    "a number": (b"5", ["json.not-an-object"]),
    "null": (b"null", ["json.not-an-object"]),
}


@pytest.mark.parametrize(("raw", "rules"), BAD.values(), ids=BAD.keys())
def test_what_is_no_json_object_is_refused_with_its_reason(raw: bytes, rules: list[str]) -> None:
    reply = read_strictly(raw)
    assert [finding.rule for finding in reply.findings] == rules
    assert reply.value is None


READ_ALL_THE_SAME: dict[str, tuple[bytes, list[str], Any]] = {
    "a byte order mark": (b'\xef\xbb\xbf{"a": 1}', ["json.byte-order-mark"], {"a": 1}),
    "words before": (b'Sure! {"a": 1}', ["json.surrounding-text"], {"a": 1}),
    "words after": (b'{"a": 1} Done.', ["json.surrounding-text"], {"a": 1}),
    "a fence": (b'```json\n{"a": 1}\n```', ["json.surrounding-text"], {"a": 1}),
    "two objects": (b'{"a": 1}{"a": 2}', ["json.surrounding-text"], {"a": 1}),
    "a duplicate key": (b'{"a": 1, "a": 2}', ["json.duplicate-key"], {"a": 2}),
    "a duplicate key by escape": (b'{"a": 1, "\\u0061": 1}', ["json.duplicate-key"], {"a": 1}),
    "a duplicate key within": (b'{"b": [{"a": 1, "a": 1}]}', ["json.duplicate-key"], {"b": [{"a": 1}]}),
    "a lone surrogate": (b'{"a": "x\\ud83d"}', ["json.encoding"], {"a": "x\ufffd"}),
    "a lone surrogate in a key": (b'{"\\udc00": {"b": "\\ud800"}}', ["json.encoding"] * 2, {"\ufffd": {"b": "\ufffd"}}),
}


@pytest.mark.parametrize(("raw", "rules", "value"), READ_ALL_THE_SAME.values(), ids=READ_ALL_THE_SAME.keys())
def test_what_can_be_read_is_read_and_reported(raw: bytes, rules: list[str], value: Any) -> None:
    reply = read_strictly(raw)
    assert [finding.rule for finding in reply.findings] == rules
    assert reply.value == value


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "9" * 5000])
def test_a_number_that_is_not_finite_is_reported_and_never_used(number: str) -> None:
    reply = read_strictly(b'{"a": ' + number.encode() + b"}")
    assert [finding.rule for finding in reply.findings] == ["json.not-finite"]
    assert reply.value is not None
    assert reply.value["a"] != reply.value["a"]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": "\\ud83d\\ude00", "b": "\\u4eba"}',
        '{"评": [1, -0.0, 1e-400, 12345678901234567890]}'.encode(),
        b' \r\n\t{"a": "{[\\"]}"}\n',
    ],
)
def test_strict_json_has_no_findings(raw: bytes) -> None:
    reply = read_strictly(raw)
    assert reply.findings == ()
    assert reply.value == json.loads(raw)


def test_the_deepest_reply_that_is_read_has_64_levels() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert read_strictly(nested(MAX_DEPTH)).findings == ()
    assert [finding.rule for finding in read_strictly(nested(MAX_DEPTH + 1)).findings] == ["json.too-deep"]


def test_brackets_inside_strings_are_not_depth() -> None:
    assert read_strictly(b'{"a": "' + b"[" * 1000 + b'"}').findings == ()


def test_a_syntax_error_tells_line_and_column_and_utf_16_tells_what_to_do() -> None:
    assert "line 2, column" in read_strictly(b'{"a": 1,\n "b" 2}').findings[0].found
    assert "save it as UTF-8" in read_strictly('{"a": 1}'.encode("utf-16")).findings[0].found


def test_how_an_object_was_found_is_told() -> None:
    assert read_strictly(b'```json\n{"a": 1}\n```').recovered_by == "fenced-json"
    assert read_strictly(b'So: {"a": 1}').recovered_by == "json-in-prose"
    assert read_strictly(b'{"a": 1}').recovered_by is None


BRACES_IN_PROSE = {
    "a note in braces": (b'Here {note}: {"a": 1}', {"a": 1}),
    "empty braces": (b'I filled {} in: {"a": 1}', {"a": 1}),
    "nested notes": (b'f{x{y}} and \\frac{1}{2} give {"a": {"b": 2}} {done}', {"a": {"b": 2}}),
    "a closing brace too many": (b'} so: {\n "a": 1}', {"a": 1}),
    "only an empty object": (b"Sure: {}", {}),
}


@pytest.mark.parametrize(("raw", "value"), BRACES_IN_PROSE.values(), ids=BRACES_IN_PROSE.keys())
def test_braces_of_the_prose_do_not_hide_the_object(raw: bytes, value: Any) -> None:
    reply = read_strictly(raw)
    assert [finding.rule for finding in reply.findings] == ["json.surrounding-text"]
    assert reply.value == value
    assert reply.recovered_by == "json-in-prose"


@pytest.mark.parametrize(
    "raw",
    [
        b'So: {"scores": {"a": {"score": 1}}, "over',
        b"{'scores': {\"a\": 1}}",
        b'{"a": 1,} or rather {"a": 2}',
        b'{note} {"a": {"b": 1}, {"b": 2}}',
    ],
)
def test_a_part_of_a_broken_object_is_never_taken_for_the_reply(raw: bytes) -> None:
    reply = read_strictly(raw)
    assert [finding.rule for finding in reply.findings] == ["json.syntax"]
    assert reply.value is None


def test_only_so_many_braces_of_the_prose_are_read_past() -> None:
    reply = b"{x}" * 4_999 + b'{"a": 1}'
    assert read_strictly(reply).value == {"a": 1}
    one_more = read_strictly(b"{x}" + reply)
    assert [finding.rule for finding in one_more.findings] == ["json.syntax"]
    assert one_more.value is None


def test_depth_behind_braces_of_the_prose_is_measured_too() -> None:
    raw = b'{x} " {"a":' + b"[" * 10_000
    assert [finding.rule for finding in read_strictly(raw).findings] == ["json.too-deep"]


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        (b'{"a": {"b": [{"c": 1, "c": 1}]}}', ["/a/b/0/c"]),
        (b'{"a": 1, "a": 2, "a": 3}', ["/a", "/a"]),
        (b'{"x/y": {"~": NaN}, "z": [0, -Infinity, 1e999]}', ["/x~1y/~0", "/z/1", "/z/2"]),
        (b'{"a": {"b": NaN}, "a": 1}', ["", "/a"]),
        (b'{"\\ud800": 1, "\\ud800": 2}', ["/\ufffd", ""]),
    ],
)
def test_what_the_parser_itself_would_pass_is_reported_where_it_stands(raw: bytes, places: list[str]) -> None:
    assert [finding.pointer for finding in read_strictly(raw).findings] == places


def test_a_key_with_two_values_contradicts_itself_where_it_stands() -> None:
    raw = b'{"a": {"b": 1, "b": 1}, "c": [{"d": 1, "d": 2}]}'
    assert read_strictly(raw).contradictions == ("/c/0/d",)


def test_a_contradiction_is_known_behind_any_number_of_duplicate_keys() -> None:
    raw = b'{"a": [' + b'{"k": 1, "k": 1},' * 1_000 + b'0], "b": 1, "b": 2}'
    assert read_strictly(raw).contradictions == ("/b",)


def test_of_very_many_duplicate_keys_all_are_counted_and_few_are_kept() -> None:
    findings = read_strictly(b'{"a": [' + b'{"k": 1, "k": 1},' * 5_000 + b"NaN]}").findings
    assert len(findings) == 1_002
    assert findings[0].pointer == "/a/0/k"
    assert findings[1_000].rule == "json.not-finite"
    assert findings[-1].found == "4000 more of the same rules"


@pytest.mark.parametrize("blank", ["\u00a0", "\u3000", "\x0c", "\u2028"])
def test_white_space_that_json_does_not_know_is_named(blank: str) -> None:
    (finding,) = read_strictly(f'{blank}{{"a": 1}}{blank}'.encode()).findings
    assert finding.rule == "json.surrounding-text"
    assert finding.found == f"{blank!r} before it and {blank!r} after it"


def test_a_raw_line_break_in_a_string_is_told_in_plain_words() -> None:
    (finding,) = read_strictly(b'{"a": "b\nc"}').findings
    assert finding.found == "Invalid control character at line 1, column 9"
