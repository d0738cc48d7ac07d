"""What each juror is shown next, in an order of their own, and what they have put off for later."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from venire.domain.vote import Vote
from venire.server.court.tally_item import ItemName, item_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.server.court.state import CourtState, VotedItem


class BallotOrder:
    """How far each juror has come in their own order of all samples; kept up with what the record counts."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._front: dict[str, VotedItem] = {}
        self._position: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._samples: Sequence[VotedItem] = ()
        self._shown: set[str] = set()
        self._counted = (-1, -1, -1)
        state.on_ballot = self._note_ballot
        state.on_round = self._begin_again

    def next_for(self, juror: str) -> VotedItem | None:
        """Return the sample that a juror is to see; None if the juror has voted on all."""
        self._notice_new_samples()
        first = self._front.get(juror)
        if first is not None and self._name(first) not in self._state.skips.of(juror):
            if not self.has_voted(juror, first):
                return first
            del self._front[juror]
        return self._walk(juror) or self._put_off_longest(juror)

    def done_by(self, juror: str) -> int:
        """Return on how many samples a juror has voted in their current rounds."""
        self._notice_new_samples()
        if juror not in self._done:
            self._done[juror] = sum(self.has_voted(juror, sample) for sample in self._samples)
        return self._done[juror]

    @property
    def total(self) -> int:
        """How many samples are put before jurors."""
        self._notice_new_samples()
        return len(self._samples)

    def has_voted(self, juror: str, sample: VotedItem) -> bool:
        """Tell whether a juror's vote on a sample counts in the current round."""
        return self._state.tally.has_voted(self._name(sample), juror)

    def _walk(self, juror: str) -> VotedItem | None:
        samples = self._samples
        put_off = self._state.skips.of(juror)
        key = self._state.secret.order_key(juror)
        for position in range(self._position.get(juror, 0), len(samples)):
            sample = samples[place_in_order(key, position, len(samples))]
            if self._name(sample) not in put_off and not self.has_voted(juror, sample):
                self._position[juror] = position
                return sample
        self._position[juror] = len(samples)
        return None

    def _put_off_longest(self, juror: str) -> VotedItem | None:
        for name in self._state.skips.of(juror):
            sample = self._state.item(name.inference_id)
            if sample is not None and self._name(sample) == name and not self.has_voted(juror, sample):
                return sample
        return None

    def _note_ballot(self, juror: str, name: ItemName, change: int) -> None:
        """Take note of a vote, or of one that was taken back and whose sample is shown again."""
        sample = self._state.item(name.inference_id)
        if sample is None or self._name(sample) != name or name.inference_id not in self._shown:
            return
        if juror in self._done:
            self._done[juror] += change
        if change < 0:
            self._front[juror] = sample
            self._position.pop(juror, None)  # It may take the place of another that was taken back before.

    def _begin_again(self) -> None:
        """Look at everybody's order from its beginning, because there is more to vote on."""
        self._position.clear()
        self._done.clear()

    def _notice_new_samples(self) -> None:
        index = self._state.index
        counted = (len(index.samples), len(index.drawn), len(index.pairs.listed))
        if counted != self._counted:
            self._counted = counted
            self._samples = self._state.items
            self._shown = {sample.output_id for sample in self._samples}
            self._begin_again()

    def _name(self, sample: VotedItem) -> ItemName:
        return ItemName(sample.output_id, self._state.prompt_id)


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


_ROUNDS = 4  # Enough for a permutation that looks random (Luby & Rackoff 1988).


def place_in_order(key: bytes, position: int, count: int) -> int:
    """Return which of `count` items stands at a position of the order that a key gives; each item comes once.

    A Feistel network over the next power of four, walked until it lands on an item: nothing has to be stored for
    however many jurors and items.

    >>> sorted(place_in_order(b"key", position, 5) for position in range(5))
    [0, 1, 2, 3, 4]
    """
    half_bits = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half_bits) - 1
    place = position
    while True:
        left, right = place >> half_bits, place & mask
        for number in range(_ROUNDS):
            code = blake2b(b"%d:%d:%d" % (number, half_bits, right), key=key, digest_size=8).digest()
            left, right = right, left ^ (int.from_bytes(code, "big") & mask)
        place = left << half_bits | right
        if place < count:
            return place
