"""What jurors have put off: abstentions in the ledger, until they vote after all."""

from __future__ import annotations

from venire.domain.vote import Vote
from venire.server.court.tally_item import ItemName, item_of


class Skips:
    """For each voter the items that were put off, the one put off longest ago first."""

    def __init__(self) -> None:
        self._of: dict[str, dict[ItemName, None]] = {}

    def note(self, vote: Vote, *, is_new: bool) -> None:
        """Take in a vote: without a value under a new key it puts its item off, with one it ends that."""
        item = item_of(vote)
        if vote.vote is not None:
            if vote.voter_id in self._of:
                self._of[vote.voter_id].pop(item, None)
        elif is_new:
            put_off = self._of.setdefault(vote.voter_id, {})
            put_off.pop(item, None)
            put_off[item] = None

    def put_off_again(self, voter_id: str, item: ItemName) -> bool:
        """Move an item that a voter has put off before behind the others; tell whether there was one."""
        put_off = self._of.get(voter_id, {})
        if item not in put_off:
            return False
        put_off[item] = put_off.pop(item)
        return True

    def of(self, voter_id: str) -> dict[ItemName, None]:
        """Return what a voter has put off, as an ordered set."""
        return self._of.get(voter_id, {})
