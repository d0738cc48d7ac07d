"""Canonical JSON (RFC 8785) and the digests that serve as ids.

Two values have the same digest exactly when they have the same canonical bytes; so an id says what a thing *is*,
not where or when it was made.
"""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import Any

import msgspec

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
        parts.append("[")
        for position, item in enumerate(value):
            if position:
                parts.append(",")
            _write(item, parts)
        parts.append("]")
    else:
        raise ValueError(f"canonical JSON cannot hold a {type(value).__name__}")


def _write_object(value: dict[Any, Any], parts: list[str]) -> None:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("canonical JSON takes only strings as keys")
    parts.append("{")
    for position, key in enumerate(sorted(value, key=_utf16_order)):
        if position:
            parts.append(",")
        parts.append(_encode_string(key))
        parts.append(":")
        _write(value[key], parts)
    parts.append("}")


def _utf16_order(key: str) -> bytes:
    return key.encode("utf-16-be")  # RFC 8785 §3.2.3 sorts by UTF-16 code units, not by code points.


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
    sign, digit_tuple, exponent = Decimal(repr(value)).normalize().as_tuple()
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
