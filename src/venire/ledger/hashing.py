"""How entries are linked, and how anyone can check it. Pure functions that need no store.

The hash of an entry is SHA-256 over eight fields in this order, each written as its length (8 bytes, big-endian) and
its bytes: the text `venire:ledger-entry:1`; the sequence in decimal; the previous entry's hash; the kind; the key; the
time; the SHA-256 of the payload; the SHA-256 of the blob. Text is UTF-8 and hashes are lower-case hexadecimal. The
lengths keep fields from running into one another; the first field keeps the hash from meaning anything elsewhere.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from venire.domain.canonical import sha256_hex
from venire.ledger.entry import Draft, Entry, Head, Kind
from venire.words.said import Said, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT_VERSION = 1
"""The version of the way in which entries are hashed and stored."""

_EMPTY_DIGEST = sha256(b"").hexdigest().encode()
_LENGTHS = [length.to_bytes(8, "big") for length in range(256)]


def _field(content: bytes) -> bytes:
    length = len(content)
    return (_LENGTHS[length] if length < len(_LENGTHS) else length.to_bytes(8, "big")) + content


_DOMAIN_FIELD = _field(b"venire:ledger-entry:%d" % FORMAT_VERSION)
_KIND_FIELDS = {kind: _field(kind.value.encode()) for kind in Kind}
_DIGEST_LENGTH = _LENGTHS[len(_EMPTY_DIGEST)]


class Damage(StrEnum):
    """How an entry fails to follow from the one before it."""

    SEQUENCE = "sequence"
    """Its number is not the next one: entries were dropped, inserted or moved."""
    PREVIOUS_HASH = "previous_hash"
    """It names another predecessor: the entry before it was changed, dropped or inserted."""
    HASH = "hash"
    """Its own content does not give its hash: something in it was changed."""
    UNREADABLE = "unreadable"
    """It cannot be read at all."""


class BrokenLink(msgspec.Struct, frozen=True):
    """The first entry that does not follow from the one before it."""

    sequence: int
    """The place in the ledger at which the chain breaks."""
    damage: Damage
    """What is wrong."""
    expected: str
    """What should stand there."""
    found: str
    """What stands there."""

    @property
    def said(self) -> Said:
        """What is wrong where, in words."""
        damage = say(f"error.ledger.damage.{self.damage.value}")
        return say(
            "error.ledger.broken", sequence=self.sequence, damage=damage, expected=self.expected, found=self.found
        )

    def __str__(self) -> str:
        return str(self.said)


class ChainReport(msgspec.Struct, frozen=True):
    """What checking a chain of entries gave."""

    count: int
    """How many entries follow from one another, up to the end or the first broken one."""
    head: Head
    """The last entry that does."""
    first_broken: BrokenLink | None = None
    """The entry at which the chain breaks; None if it is whole."""


def link(draft: Draft, previous: Head, recorded_at: str) -> Entry:
    """Make the entry that follows the given head. The time is written by `format_time`."""
    sequence = previous.sequence + 1
    payload = draft.payload_bytes
    own_hash = _hash(
        sequence=sequence,
        previous_hash=previous.hash,
        kind=draft.kind,
        key=draft.key,
        recorded_at=recorded_at,
        payload=payload,
        blob=draft.blob,
    )
    return Entry(sequence, draft.kind, draft.key, payload, draft.blob, recorded_at, previous.hash, own_hash)


def link_all(drafts: Iterable[Draft], previous: Head, recorded_at: str) -> Iterator[Entry]:
    """Make the entries that follow the given head, each linked to the one before it."""
    for draft in drafts:
        entry = link(draft, previous, recorded_at)
        yield entry
        previous = Head(entry.sequence, entry.hash)


def entry_hash(entry: Entry) -> str:
    """Compute the hash that an entry should have, from everything else in it."""
    return _hash(
        sequence=entry.sequence,
        previous_hash=entry.previous_hash,
        kind=entry.kind,
        key=entry.key,
        recorded_at=entry.recorded_at,
        payload=entry.payload,
        blob=entry.blob,
    )


def find_damage(entry: Entry, previous: Head) -> BrokenLink | None:
    """Return how the entry fails to follow the given head; None if it follows."""
    place = previous.sequence + 1
    if entry.sequence != place:
        return BrokenLink(place, Damage.SEQUENCE, str(place), str(entry.sequence))
    if entry.previous_hash != previous.hash:
        return BrokenLink(place, Damage.PREVIOUS_HASH, previous.hash, _shown(entry.previous_hash))
    expected = entry_hash(entry)
    if entry.hash != expected:
        return BrokenLink(place, Damage.HASH, expected, _shown(entry.hash))
    return None


def verify_chain(entries: Iterable[Entry], start: Head | None = None) -> ChainReport:
    """Check that each entry follows from the one before it, and stop at the first that does not.

    Without a start the entries must be those of a whole ledger from its first on. Reads one entry at a time.
    """
    head = start or Head()
    count = 0
    for entry in entries:
        broken = find_damage(entry, head)
        if broken is not None:
            return ChainReport(count, head, broken)
        head = Head(entry.sequence, entry.hash)
        count += 1
    return ChainReport(count, head)


def _shown(found: str) -> str:
    # Whoever damaged the entry may have put anything there, such as orders to the reader's terminal.
    return found if found.isascii() and found.isalnum() else ascii(found[:80])


def _hash(
    *, sequence: int, previous_hash: str, kind: Kind, key: str, recorded_at: str, payload: bytes, blob: bytes
) -> str:
    # A tampered store may hand back text that UTF-8 cannot say; it must give a wrong hash, not an error.
    fields = (
        _DOMAIN_FIELD,
        _field(b"%d" % sequence),
        _field(previous_hash.encode("utf-8", "surrogatepass")),
        _KIND_FIELDS[kind],
        _field(key.encode("utf-8", "surrogatepass")),
        _field(recorded_at.encode("utf-8", "surrogatepass")),
        _DIGEST_LENGTH,
        sha256_hex(payload).encode(),
        _DIGEST_LENGTH,
        sha256_hex(blob).encode() if blob else _EMPTY_DIGEST,
    )
    return sha256(b"".join(fields)).hexdigest()
