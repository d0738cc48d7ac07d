"""Canonical JSON (RFC 8785) and the digests that serve as ids.

Two values have the same digest exactly when they have the same canonical bytes; so an id says what a thing *is*,
not where or when it was made.
"""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8785 §3.2.2.3, IEEE 754 doubles)."""

_encode_string = json.encoder.encode_basestring  # RFC 8785 §3.2.2.2 asks for exactly these escapes.


def canonical_json(value: object) -> bytes:
    r"""Encode a value as canonical JSON: sorted keys, no blanks, numbers as ECMAScript writes them.

    Accepts what JSON can say, and msgspec structs. Raises `ValueError` for NaN, infinities, integers beyond 2**53 − 1,
    keys that are not strings, and lone surrogates.

    >>> canonical_json({"b": 1.0, "a": [True, None, "é"]}).decode()
    '{"a":[true,null,"é"],"b":1}'
    """
    parts: list[str] = []
    _write(msgspec.to_builtins(value), parts)
    return "".join(parts).encode("utf-8")


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of the bytes in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest(kind: str, value: object) -> str:
    """Return the id of a value: SHA-256 over its kind and its canonical JSON.

    The kind separates domains, so that a sample and a protocol with equal fields never share an id.

    >>> digest("sample", {"a": 1}) == digest("protocol", {"a": 1})
    False
    """
    return sha256_hex(b"venire:" + kind.encode() + b"\n" + canonical_json(value))


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_encode_string(value))
    elif value is None:
        parts.append("null")
    elif value is True:
        parts.append("true")
    elif value is False:
        parts.append("false")
    elif isinstance(value, int):
        parts.append(_integer(value))
    elif isinstance(value, float):
        parts.append(_number(value))
    elif isinstance(value, dict):
        _write_object(value, parts)
    elif isinstance(value, (list, tuple)):
        _write_array(value, parts)
    else:
        raise ValueError(f"canonical JSON cannot hold a {type(value).__name__}")


def _write_array(value: Sequence[Any], parts: list[str]) -> None:
    opening = "["
    for item in value:
        parts.append(opening)
        _write(item, parts)
        opening = ","
    parts.append("[]" if opening == "[" else "]")


def _write_object(value: dict[Any, Any], parts: list[str]) -> None:
    opening = "{"
    for key in _sorted_keys(value):
        parts.append(f"{opening}{_encode_string(key)}:")
        _write(value[key], parts)
        opening = ","
    parts.append("{}" if opening == "{" else "}")


def _sorted_keys(value: dict[Any, Any]) -> list[str]:
    try:
        plain = "".join(value).isascii()
    except TypeError as error:
        raise ValueError("canonical JSON takes only strings as keys") from error
    # RFC 8785 §3.2.3 sorts by UTF-16 code units, not by code points; for ASCII the two are the same.
    return sorted(value) if plain else sorted(value, key=_utf16_order)


def _utf16_order(key: str) -> bytes:
    return key.encode("utf-16-be")


def _integer(value: int) -> str:
    if abs(value) > MAX_SAFE_INTEGER:
        raise ValueError(f"canonical JSON keeps integers up to 2**53 - 1 exactly, found {value}: write it as a string")
    return str(value)


def _number(value: float) -> str:
    """Write a float as ECMAScript's Number.prototype.toString does (RFC 8785 §3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError(f"canonical JSON has no {value}")
    if value == 0:
        return "0"
    shortest = repr(value)
    if "e" not in shortest:  # Python and ECMAScript agree between 1e-4 and 1e16, but for the zero behind the point.
        return shortest.removesuffix(".0")
    sign, digit_tuple, exponent = Decimal(shortest).normalize().as_tuple()
    digits = "".join(map(str, digit_tuple))
    point = len(digits) + int(exponent)
    minus = "-" if sign else ""
    if len(digits) <= point <= 21:
        return f"{minus}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= 21:
        return f"{minus}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{minus}{digits[0]}{fraction}e{point - 1:+d}"
