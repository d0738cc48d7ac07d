from __future__ import annotations

import json
import math
import struct
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.canonical import canonical_json, plain_numbers


def read(data):
    """Read JSON as ECMAScript does, in which every number is a double."""
    return json.loads(data, parse_int=float)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        # RFC 8785, appendix B: the bits of a double and its canonical form.
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_numbers_are_written_as_the_standard_lists_them(bits, expected):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number).decode() == expected


def test_strings_are_written_as_the_standard_shows():
    # RFC 8785 §3.2.2.2, its example string.
    assert canonical_json('\u20ac$\x0f\nA\'B"\\\\"/').decode() == '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'


def test_keys_are_sorted_as_the_standard_shows():
    # RFC 8785 §3.2.3: by UTF-16 code units, in which the emoji comes before U+FB33.
    keys = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\u00f6": 7}
    assert list(json.loads(canonical_json(keys)).values()) == [2, 4, 6, 7, 1, 5, 3]


def test_ascii_keys_are_sorted_too():
    assert canonical_json({"b": 1, "a": {}, "B": [], "_": [[], {}]}) == b'{"B":[],"_":[[],{}],"a":{},"b":1}'


@given(JSON_VALUES)
def test_reading_canonical_json_gives_the_value_back(value):
    assert read(canonical_json(value)) == read(json.dumps(value))


@given(JSON_VALUES)
def test_canonical_json_of_what_was_read_is_the_same(value):
    written = canonical_json(value)
    assert canonical_json(read(written)) == written


@given(st.dictionaries(st.text(), st.integers(0, 9)))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_by_the_rules_of_ecmascript(number):
    """Compare with the rules of ECMA-262, Number::toString, followed step by step for the shortest digits."""
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    s, k, n = "".join(map(str, digits)), len(digits), len(digits) + exponent
    if number == 0:
        expected = "0"
    elif k <= n <= 21:
        expected = s + "0" * (n - k)
    elif 0 < n <= 21:
        expected = f"{s[:n]}.{s[n:]}"
    elif -6 < n <= 0:
        expected = f"0.{'0' * -n}{s}"
    else:
        expected = f"{s[0]}{'.' if k > 1 else ''}{s[1:]}e{'+' if n > 0 else '-'}{abs(n - 1)}"
    assert canonical_json(number).decode() == ("-" if number < 0 else "") + expected


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, 2**53, -(2**53), {1: 2}, {"a": 1, 2: 3}, {None: 1}, "\ud800", {"\udfff": 1}],
)
def test_what_json_cannot_keep_is_refused(value):
    with pytest.raises(ValueError, match=r"canonical JSON|surrogates"):
        canonical_json(value)


class Holder(msgspec.Struct):
    """A struct that holds anything."""

    held: object


@given(JSON_VALUES)
def test_a_struct_is_written_like_the_object_it_stands_for(value):
    assert canonical_json(Holder(value)) == canonical_json({"held": value})


@pytest.mark.parametrize("value", [2**53, -(2**60), 2**70, math.nan, math.inf, "\ud800"])
def test_what_json_cannot_keep_is_refused_inside_a_struct_too(value):
    with pytest.raises(ValueError, match=r"canonical JSON|surrogates"):
        canonical_json(Holder(value))


@given(st.text())
def test_a_string_is_written_with_only_the_escapes_that_json_needs(text):
    # RFC 8785 §3.2.2.2: two-character escapes where JSON has them, \u00xx for other controls, all else as it is.
    assert canonical_json(text).decode() == json.dumps(text, ensure_ascii=False)


def test_every_control_and_every_kind_of_character_is_written_as_the_standard_library_writes_it():
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10000, 7), *range(0x10000, 0x110000, 997)]))
    assert canonical_json(text).decode() == json.dumps(text, ensure_ascii=False)


@given(st.dictionaries(st.text(alphabet="aZ_~é\u20ac\ufb33\U0001f600"), JSON_VALUES))
def test_keys_are_sorted_by_their_utf16_code_units_at_every_level(value):
    written = json.loads(canonical_json({"outer": [value]}))["outer"][0]
    assert list(written) == sorted(value, key=lambda key: key.encode("utf-16-be"))


def test_the_value_itself_is_left_as_it_is_and_may_hold_a_part_twice():
    part = {"é": 1.5, "list": [{"x": 2.5}]}
    value = {"a": part, "b": [part, part]}
    written = canonical_json(value)
    assert value == {"a": part, "b": [part, part]}
    assert part == {"é": 1.5, "list": [{"x": 2.5}]}
    assert canonical_json(value) == written


@given(st.lists(st.none() | st.integers() | st.floats()))
def test_plain_numbers_are_written_canonically_by_the_plain_encoder(numbers):
    try:
        plain = plain_numbers(numbers)
    except ValueError:
        return
    assert msgspec.json.encode(plain) == canonical_json(numbers)


def test_small_and_common_numbers_are_plain():
    assert plain_numbers([8.0, -0.0, 7.5, 1e-5, 0.25, None]) == [8, 0, 7.5, 1e-5, 0.25, None]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 2**53, -1e300, 1e-6])
def test_numbers_that_the_plain_encoder_writes_in_another_way_are_refused(number):
    with pytest.raises(ValueError, match="is not plain"):
        plain_numbers([1, number])
