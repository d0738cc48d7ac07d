"""What each juror is shown next: in an order of their own, without what they have voted on or put off."""

from __future__ import annotations

from venire.server.ledger_index import IndexedSample
from venire.server.paper_order import place_in_order
from venire.server.record import Record
from venire.server.tally_item import ItemName


class BallotOrder:
    """How far each juror has come in their own order of all samples."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._front: dict[str, IndexedSample] = {}
        self._position: dict[str, int] = {}
        self._skipped: dict[str, set[str]] = {}
        self._done: dict[str, int] = {}
        self._samples = 0

    def next_for(self, juror: str) -> IndexedSample | None:
        """Return the sample that a juror is to see; None if the juror has voted on all."""
        self._notice_new_samples()
        first = self._front.get(juror)
        if first is not None and not self.has_voted(juror, first):
            return first
        found = self._walk(juror)
        if found is None and self._skipped.pop(juror, set()):
            self._position.pop(juror, None)
            found = self._walk(juror)
        return found

    def done_by(self, juror: str) -> int:
        """Return on how many samples a juror has voted in their current rounds."""
        self._notice_new_samples()
        if juror not in self._done:
            self._done[juror] = sum(self.has_voted(juror, sample) for sample in self._record.index.samples)
        return self._done[juror]

    def has_voted(self, juror: str, sample: IndexedSample) -> bool:
        """Tell whether a juror's vote on a sample counts in the current round."""
        name = ItemName(sample.output_id, self._record.prompt_id)
        return self._record.tally.ballot(name, juror) is not None

    def note_vote(self, juror: str) -> None:
        """Take note that a juror has voted on one more sample."""
        self._front.pop(juror, None)
        if juror in self._done:
            self._done[juror] += 1

    def note_undone(self, juror: str, sample: IndexedSample | None) -> None:
        """Take note that a juror has taken a vote back; its sample is shown again."""
        if juror in self._done:
            self._done[juror] -= 1
        if sample is not None:
            self._front[juror] = sample

    def skip(self, juror: str, sample: IndexedSample) -> None:
        """Put a sample at the end of a juror's order."""
        self._front.pop(juror, None)
        self._skipped.setdefault(juror, set()).add(sample.digest)

    def forget(self, juror: str) -> None:
        """Count anew on how many samples a juror has voted, because several votes came at once."""
        self._front.pop(juror, None)
        self._done.pop(juror, None)

    def begin_again(self) -> None:
        """Look at everybody's order from its beginning, because an item is open to votes once more."""
        self._position.clear()
        self._done.clear()

    def _walk(self, juror: str) -> IndexedSample | None:
        samples = self._record.index.samples
        skipped = self._skipped.get(juror, set())
        for position in range(self._position.get(juror, 0), len(samples)):
            sample = samples[place_in_order(juror, position, len(samples))]
            if sample.digest not in skipped and not self.has_voted(juror, sample):
                self._position[juror] = position
                return sample
        self._position[juror] = len(samples)
        return None

    def _notice_new_samples(self) -> None:
        if len(self._record.index.samples) != self._samples:
            self._samples = len(self._record.index.samples)
            self.begin_again()
