"""Long payloads take less room in a file: they are stored deflated, as PostgreSQL packs long values by itself.

Nothing else knows of it: entries, their hashes and what is exported hold payloads as they are. A payload is canonical
JSON, which never begins with `x`; what zlib packs does.
"""

from __future__ import annotations

import zlib

from venire.ledger.entry import Kind

LONG = 2_000
"""From how many bytes on a payload is packed: shorter ones gain little."""
LONG_SAMPLE = 4_000
"""The same for samples, of which each may have many judgements."""
MOST_UNPACKED = 2**28
"""The longest payload that is unpacked: a file may come from a stranger."""
_MARK = b"x"


def packed(payload: bytes, kind: Kind) -> bytes:
    """Return the payload of an entry of some kind as the file holds it."""
    return zlib.compress(payload, 1) if len(payload) >= (LONG_SAMPLE if kind is Kind.SAMPLE else LONG) else payload


def unpacked(stored: bytes) -> bytes:
    """Return the payload that the file holds; what cannot be unpacked is returned as it is, and has another hash.

    >>> unpacked(packed(b"[%s0]" % (b"1," * 2000), Kind.REPLY)) == b"[%s0]" % (b"1," * 2000)
    True
    """
    if stored[:1] != _MARK:
        return stored
    unpacking = zlib.decompressobj()
    try:
        payload = unpacking.decompress(stored, MOST_UNPACKED)
    except zlib.error:
        return stored
    return payload if unpacking.eof and not unpacking.unused_data else stored
