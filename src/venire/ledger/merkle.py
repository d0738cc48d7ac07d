"""A Merkle tree over the hashes of entries: proves that one entry is in a ledger without showing the others.

The tree is the one of RFC 6962 §2.1 (and RFC 9162 §2.1): leaves are hashed behind a zero byte and nodes behind a one,
so that neither can be taken for the other. A leaf is the 32 bytes of an entry's hash.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class InclusionProof(msgspec.Struct, frozen=True):
    """What leads from one entry's hash to the root of a ledger."""

    sequence: int
    """The number of the entry."""
    size: int
    """How many entries the ledger had."""
    path: tuple[str, ...]
    """The hashes of the neighbouring subtrees in hexadecimal, from the leaf up."""


class MerkleTree:
    """A tree that grows by one leaf at a time and keeps only the roots of its full subtrees."""

    def __init__(self) -> None:
        self._size = 0
        self._peaks: list[bytes] = []

    def add(self, entry_hash: str) -> None:
        """Add the next entry by its hash in hexadecimal."""
        peak = _leaf(entry_hash)
        size = self._size
        while size & 1:  # As in binary counting: each carry joins two full subtrees of one height.
            peak = _node(self._peaks.pop(), peak)
            size >>= 1
        self._peaks.append(peak)
        self._size += 1

    @property
    def root(self) -> str:
        """The root over all leaves so far, in hexadecimal; for an empty tree the hash of nothing."""
        if not self._peaks:
            return sha256(b"").hexdigest()
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = _node(peak, root)
        return root.hex()


def merkle_root(entry_hashes: Sequence[str]) -> str:
    """Return the root over the hashes of all entries of a ledger, in order."""
    tree = MerkleTree()
    for entry_hash in entry_hashes:
        tree.add(entry_hash)
    return tree.root


def inclusion_proof(entry_hashes: Sequence[str], sequence: int) -> InclusionProof:
    """Prove that the entry of this number is among the hashes. Raises `UsageError` if there is no such entry."""
    if not 1 <= sequence <= len(entry_hashes):
        raise UsageError("error.ledger.no_such_entry", last=len(entry_hashes), found=sequence)
    start, end, index = 0, len(entry_hashes), sequence - 1
    path: list[str] = []
    while end - start > 1:
        middle = start + _largest_power_below(end - start)
        if index < middle:
            path.append(merkle_root(entry_hashes[middle:end]))
            end = middle
        else:
            path.append(merkle_root(entry_hashes[start:middle]))
            start = middle
    return InclusionProof(sequence, len(entry_hashes), tuple(reversed(path)))


def verify_inclusion(entry_hash: str, proof: InclusionProof, root: str) -> bool:
    """Say whether the proof leads from the entry's hash to the root (RFC 9162 §2.1.3.2)."""
    if not 1 <= proof.sequence <= proof.size:
        return False
    index, last = proof.sequence - 1, proof.size - 1
    try:
        reached = _leaf(entry_hash)
        for neighbour in map(bytes.fromhex, proof.path):
            if last == 0:
                return False
            if index & 1 or index == last:
                reached = _node(neighbour, reached)
                while index and not index & 1:
                    index, last = index >> 1, last >> 1
            else:
                reached = _node(reached, neighbour)
            index, last = index >> 1, last >> 1
    except ValueError:  # Not hexadecimal.
        return False
    return last == 0 and reached.hex() == root


def _largest_power_below(count: int) -> int:
    return 1 << ((count - 1).bit_length() - 1)


def _leaf(entry_hash: str) -> bytes:
    return sha256(b"\x00" + bytes.fromhex(entry_hash)).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()
