"""Checks a whole ledger, and that it still agrees with the checkpoints that outsiders kept.

The links alone show every change, insertion, loss and reordering within a ledger. They cannot show that its end was cut
off or that everything from some entry on was written anew; a checkpoint from before can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from venire.errors import TamperedError
from venire.ledger.entry import Head
from venire.ledger.hashing import BrokenLink, Damage, find_damage
from venire.ledger.merkle import MerkleTree
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venire.ledger.checkpoint import Checkpoint
    from venire.ledger.store import Ledger


class CheckpointResult(msgspec.Struct, frozen=True):
    """Whether a ledger still holds everything that a checkpoint stands for."""

    checkpoint: Checkpoint
    """The checkpoint."""
    problem: str = ""
    """How the ledger contradicts it; empty if all entries up to it are unchanged, complete and in order."""

    @property
    def kept(self) -> bool:
        """Whether the ledger agrees with the checkpoint."""
        return not self.problem


class AuditReport(msgspec.Struct, frozen=True):
    """What checking a whole ledger gave."""

    count: int
    """How many entries follow from one another, up to the end or the first broken one."""
    head: Head
    """The last entry that does."""
    merkle_root: str
    """The root over the hashes of these entries."""
    first_broken: BrokenLink | None = None
    """The entry at which the chain breaks; None if it is whole."""
    checkpoints: tuple[CheckpointResult, ...] = ()
    """One result for each checkpoint, in the order given."""

    @property
    def intact(self) -> bool:
        """Whether the chain is whole and agrees with every checkpoint."""
        return self.first_broken is None and all(result.kept for result in self.checkpoints)


def audit_chain(ledger: Ledger, checkpoints: Iterable[Checkpoint] = ()) -> AuditReport:
    """Check every link of a ledger, one entry at a time, and compare it with checkpoints on the way.

    Whether a checkpoint's signature is good is for `verify_checkpoint` to say. Damage is reported, not raised.
    """
    kept = tuple(checkpoints)
    wanted = {checkpoint.sequence for checkpoint in kept}
    head, tree, broken = Head(), MerkleTree(), None
    passed = {0: (head.hash, tree.root)}
    try:
        for entry in ledger.read():
            broken = find_damage(entry, head)
            if broken is not None:
                break
            head = Head(entry.sequence, entry.hash)
            tree.add(entry.hash)
            if head.sequence in wanted:
                passed[head.sequence] = (head.hash, tree.root)
    except TamperedError as error:
        broken = BrokenLink(head.sequence + 1, Damage.UNREADABLE, say("error.ledger.an_entry"), error.message)
    results = tuple(CheckpointResult(checkpoint, _contradiction(checkpoint, passed, head)) for checkpoint in kept)
    return AuditReport(head.sequence, head, tree.root, broken, results)


def _contradiction(checkpoint: Checkpoint, passed: dict[int, tuple[str, str]], head: Head) -> str:
    if checkpoint.sequence not in passed:
        return say("error.ledger.too_few", expected=checkpoint.sequence, found=head.sequence)
    entry_hash, root = passed[checkpoint.sequence]
    if entry_hash != checkpoint.hash:
        return say("error.ledger.other_hash", expected=checkpoint.hash, sequence=checkpoint.sequence, found=entry_hash)
    if root != checkpoint.merkle_root:
        return say("error.ledger.other_root", expected=checkpoint.merkle_root, sequence=checkpoint.sequence, found=root)
    return ""
