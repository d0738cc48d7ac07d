"""Canonical JSON (RFC 8785) and the digests that serve as ids.

Two values have the same digest exactly when they have the same canonical bytes; so an id says what a thing *is*,
not where or when it was made.
"""

from __future__ import annotations

import hashlib
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from venire.words.said import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8785 §3.2.2.3, IEEE 754 doubles)."""

_PIECE, _MOST_IN_PIECES = 2047, 64 * 1024

_encode = msgspec.json.Encoder(order="sorted", enc_hook=as_text).encode


def canonical_json(value: object) -> bytes:
    r"""Encode a value as canonical JSON: sorted keys, no blanks, numbers as ECMAScript writes them.

    Accepts what JSON can say, and msgspec structs. Raises `ValueError` for NaN, infinities, integers beyond 2**53 − 1,
    keys that are not strings, and lone surrogates.

    >>> canonical_json({"b": 1.0, "a": [True, None, "é"]}).decode()
    '{"a":[true,null,"é"],"b":1}'
    """
    if type(value) is str or (type(value) is list and {*map(type, value)} == {str}):
        return _encode(value)  # As most digests are made of; nothing in it could be written in another way.
    return _encode(_plain(msgspec.to_builtins(value, enc_hook=as_text)))


def typed_json(value: msgspec.Struct) -> bytes:
    """Encode a struct as `canonical_json` does, in a fifth of the time, if its fields leave no room for another form.

    That is: all keys are ASCII, and all numbers are as `plain_numbers` returns them.
    """
    return _encode(value)


def plain_numbers(values: Iterable[float | None]) -> list[Any]:
    """Return numbers that the encoder writes canonically; raises `ValueError` where only `canonical_json` can.

    >>> plain_numbers([8.0, 7.5, None])
    [8, 7.5, None]
    """
    plain: list[float | None] = []
    for value in values:
        if value is None:
            plain.append(None)
        elif not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise ValueError(f"{value} is not plain")
        elif value == (whole := int(value)):
            plain.append(whole)
        elif 1e-5 <= abs(value) <= 1e15:  # From here on the encoder would write an exponent.
            plain.append(value)
        else:
            raise ValueError(f"{value} is not plain")
    return plain


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of the bytes in lower-case hexadecimal."""
    return (hashlib.sha256(data) if len(data) <= _PIECE else feed(hashlib.sha256(), data)).hexdigest()


def feed(hasher: hashlib._Hash, data: bytes) -> hashlib._Hash:
    """Have a hash take in the bytes, and return it.

    Python lets go of its lock to hash more than 2,047 bytes at once, whereupon a thread that waits for the lock wakes
    up for a few microseconds. That costs more than hashing what is not very long.
    """
    if _PIECE < len(data) <= _MOST_IN_PIECES:
        for start in range(0, len(data), _PIECE):
            hasher.update(data[start : start + _PIECE])
    else:
        hasher.update(data)
    return hasher


def digest(kind: str, value: object) -> str:
    """Return the id of a value: SHA-256 over its kind and its canonical JSON.

    The kind separates domains, so that a sample and a protocol with equal fields never share an id.

    >>> digest("sample", {"a": 1}) == digest("protocol", {"a": 1})
    False
    """
    return digest_of(kind, canonical_json(value))


def digest_of(kind: str, encoded: bytes) -> str:
    """Return the id of a value from its canonical JSON."""
    return sha256_hex(b"venire:" + kind.encode() + b"\n" + encoded)


def _plain(value: Any) -> Any:
    """Change a value so that the encoder writes it canonically; what it would write in another way is spelt out for it.

    Objects are changed in place, as `msgspec.to_builtins` has just made them. The encoder writes strings as RFC 8785
    §3.2.2.2 asks for, but floats in a form of its own, and sorts keys by code points.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return value
        limit = "canonical JSON keeps integers up to 2**53 - 1 exactly"
        raise ValueError(f"{limit}, found {value}: write it as a string")
    if kind is float:
        return msgspec.Raw(_number(value).encode())
    if kind is dict:
        for key, item in value.items():
            if type(item) is not str:  # Most values are strings: not calling for them saves a third of the time.
                value[key] = _plain(item)
        return value if _are_ascii(value) else msgspec.Raw(_object(value))
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    raise ValueError(f"canonical JSON cannot hold a {kind.__name__}")


def _are_ascii(keys: Iterable[str]) -> bool:
    try:
        return "".join(keys).isascii()
    except TypeError as error:
        raise ValueError("canonical JSON takes only strings as keys") from error


def _object(members: dict[str, Any]) -> bytes:
    # RFC 8785 §3.2.3 sorts by UTF-16 code units, not by code points; for ASCII the two are the same.
    keys = sorted(members, key=_utf16_order)
    return b"{%b}" % b",".join(b"%b:%b" % (_encode(key), _encode(members[key])) for key in keys)


def _utf16_order(key: str) -> bytes:
    return key.encode("utf-16-be")


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
