"""What each juror is shown next: in an order of their own, without what they have voted on or put off."""

from __future__ import annotations

from venire.server.court.juror_order import place_in_order
from venire.server.court.ledger_index import IndexedSample
from venire.server.court.state import Record
from venire.server.court.tally_item import ItemName


class BallotOrder:
    """How far each juror has come in their own order of all samples; kept up with what the record counts."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._front: dict[str, IndexedSample] = {}
        self._position: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._samples = 0
        record.on_ballot = self._note_ballot
        record.on_round = self._begin_again

    def next_for(self, juror: str) -> IndexedSample | None:
        """Return the sample that a juror is to see; None if the juror has voted on all."""
        self._notice_new_samples()
        first = self._front.get(juror)
        if first is not None and self._name(first) not in self._record.skips.of(juror):
            if not self.has_voted(juror, first):
                return first
            del self._front[juror]
        return self._walk(juror) or self._put_off_longest(juror)

    def done_by(self, juror: str) -> int:
        """Return on how many samples a juror has voted in their current rounds."""
        self._notice_new_samples()
        if juror not in self._done:
            self._done[juror] = sum(self.has_voted(juror, sample) for sample in self._record.index.samples)
        return self._done[juror]

    def has_voted(self, juror: str, sample: IndexedSample) -> bool:
        """Tell whether a juror's vote on a sample counts in the current round."""
        return self._record.tally.has_voted(self._name(sample), juror)

    def _walk(self, juror: str) -> IndexedSample | None:
        samples = self._record.index.samples
        put_off = self._record.skips.of(juror)
        key = self._record.secret.order_key(juror)
        for position in range(self._position.get(juror, 0), len(samples)):
            sample = samples[place_in_order(key, position, len(samples))]
            if self._name(sample) not in put_off and not self.has_voted(juror, sample):
                self._position[juror] = position
                return sample
        self._position[juror] = len(samples)
        return None

    def _put_off_longest(self, juror: str) -> IndexedSample | None:
        for name in self._record.skips.of(juror):
            sample = self._record.index.sample(name.inference_id)
            if sample is not None and self._name(sample) == name and not self.has_voted(juror, sample):
                return sample
        return None

    def _note_ballot(self, juror: str, name: ItemName, change: int) -> None:
        """Take note of a vote, or of one that was taken back and whose sample is shown again."""
        sample = self._record.index.sample(name.inference_id)
        if sample is None or self._name(sample) != name:
            return
        if juror in self._done:
            self._done[juror] += change
        if change < 0:
            self._front[juror] = sample

    def _begin_again(self) -> None:
        """Look at everybody's order from its beginning, because there is more to vote on."""
        self._position.clear()
        self._done.clear()

    def _notice_new_samples(self) -> None:
        if len(self._record.index.samples) != self._samples:
            self._samples = len(self._record.index.samples)
            self._begin_again()

    def _name(self, sample: IndexedSample) -> ItemName:
        return ItemName(sample.output_id, self._record.prompt_id)
