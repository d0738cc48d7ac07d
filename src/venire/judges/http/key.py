"""Strikes a judge's key out of what its server sends, should it repeat it: in plain, or as JSON can write it."""

from __future__ import annotations

import re

LEAST_KEY_BYTES = 12
"""From which length on a key is taken for a secret; a placeholder such as EMPTY may stand in any honest reply."""
_STRUCK = b"[key]"
_ASCII_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")


class KeyEraser:
    """Knows one key and takes it out of bodies; it is never shown."""

    def __init__(self, key: str | None) -> None:
        self._key = key.encode() if key is not None and len(key.encode()) >= LEAST_KEY_BYTES else None
        self._escaped = re.compile(b"".join(map(_spellings, self._key or b"")))

    def strike_out(self, body: bytes, *, cut: bool = False) -> bytes:
        """Return the body without the key; where it was cut, also without a beginning of the key at its end."""
        key = self._key
        if key is None:
            return body
        body = body.replace(key, _STRUCK)
        if (b"\\u00" in body or b"\\/" in body) and self._may_be_escaped_in(body):
            body = self._escaped.sub(_STRUCK, body)
        if cut:
            half = next((n for n in range(len(key) - 1, LEAST_KEY_BYTES // 2, -1) if body.endswith(key[:n])), 0)
            body = body[: len(body) - half]
        return body

    def _may_be_escaped_in(self, body: bytes) -> bool:
        # Unescaping roughly takes a quarter of the time that looking for all spellings does.
        bare = (self._key or b"").replace(b"\\", b"")
        return bare in _ASCII_ESCAPE.sub(_unescaped, body).replace(b"\\", b"")


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode())


def _spellings(character: int) -> bytes:
    """Return a pattern of the ways in which JSON writes a character, also JSON inside of JSON."""
    plain = re.escape(bytes([character]))
    return rb"(?:\\{0,4}%b|\\{1,4}u00(?i:%02x))" % (plain, character)
