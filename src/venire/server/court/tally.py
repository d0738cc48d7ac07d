"""All votes of a ledger in memory, as columns, with the consensus on every item brought up to date vote by vote."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from venire.domain.curation import Curation, Outcome
from venire.domain.vote import Vote, VoterKind
from venire.errors import UsageError
from venire.server.court.tally_item import (
    ItemName,
    ItemNumbers,
    TallyItem,
    gather_state,
    item_of,
    numbers_of,
    numbers_of_row,
)
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Decay
from venire.votes.entries import VoteEntry

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
IntArray = NDArray[np.int64]

_KEY_DIGITS = 15  # 60 bits of a key tell votes apart, and are an integer that takes little memory.


class VoteTally:
    """The votes of a ledger. Not safe for threads: one event loop owns it."""

    def __init__(self, decay: Decay) -> None:
        self.decay = decay
        self.items: dict[ItemName, TallyItem] = {}
        self.by_number: list[TallyItem] = []
        self.waiting: dict[ItemName, TallyItem] = {}
        self.recent: dict[ItemName, None] = {}
        self.requests: dict[str, str] = {}
        self.votes_by_day: dict[str, int] = {}
        self.votes = 0
        self.score_sum = 0.0
        self.scored_items = 0
        self._voters: dict[str, int] = {}
        self._voter_names: list[str] = []
        self._latest: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._row_of_key: dict[int, int] = {}
        self._times, self._values, self._reputations = array("q"), array("d"), array("d")
        self._item_of, self._voter_of, self._round_of = array("l"), array("l"), array("l")
        self._counts = bytearray()
        self._loading = False

    def item(self, name: ItemName) -> TallyItem:
        """Return an item, new or known."""
        found = self.items.get(name)
        if found is None:
            found = self.items[name] = TallyItem(len(self.by_number), name)
            self.by_number.append(found)
        return found

    @property
    def voters(self) -> int:
        """How many voters there are."""
        return len(self._voter_names)

    def begin_loading(self) -> None:
        """Put off all numbers until `end_loading`, which computes them for all items at once."""
        self._loading = True

    def end_loading(self) -> None:
        """Compute the numbers of all items."""
        self._loading = False
        for row in score_votes(self.frame(), self.decay).frame.iter_rows(named=True):
            name = ItemName(row["inference_id"], row["voter_prompt_id"], VoterKind(row["voter_kind"]))
            self._set_numbers(self.items[name], numbers_of_row(row))

    def add(self, entry: VoteEntry, key: str) -> None:
        """Take in a vote that the ledger holds; a later one under the same key takes the place of the first."""
        vote = entry.vote
        if entry.request:
            self.requests[entry.request] = key
        item, short = self.item(item_of(vote)), int(key[:_KEY_DIGITS], 16)
        replaced = self._row_of_key.get(short)
        if replaced is not None:
            if self._holds(replaced, entry):
                return  # The same vote, brought in again.
            self._drop(item, replaced)
        if vote.vote is None:
            return
        row = len(self._counts)
        voter = self._voters.get(vote.voter_id)
        if voter is None:
            voter = self._voters[vote.voter_id] = len(self._voter_names)
            self._voter_names.append(vote.voter_id)
        self._times.append((vote.vote_time - _EPOCH) // _MICROSECOND)
        self._values.append(vote.vote)
        self._reputations.append(vote.reputation)
        self._item_of.append(item.number)
        self._voter_of.append(voter)
        self._round_of.append(entry.round)
        self._counts.append(1)
        item.rows.append(row)
        self._row_of_key[short] = row
        self._latest[item.number << 32 | voter] = self._last[voter] = row
        day = vote.vote_time.astimezone(UTC).date().isoformat()
        self.votes_by_day[day] = self.votes_by_day.get(day, 0) + 1
        self.votes += 1
        self._update(item, vote)

    def settle(self, decision: Curation) -> None:
        """Take in a curator's decision that the ledger holds."""
        item = self.item(ItemName(decision.inference_id, decision.voter_prompt_id))
        if decision in item.decisions:
            return
        item.decisions.append(decision)
        if decision.outcome is Outcome.ANOTHER_ROUND:
            item.round += 1
        self._note_waiting(item)

    def refer(self, name: ItemName, *, is_open: bool) -> None:
        """Take in that an adaptive jury left an output to people, or decided it after all."""
        if is_open or name in self.items:
            item = self.item(name)
            item.left_open = is_open
            self._note_waiting(item)

    def ballot(self, name: ItemName, voter_id: str) -> VoteEntry | None:
        """Return the vote of a voter on an item in its current round; None if there is none that counts."""
        row = self._ballot(name, voter_id)
        return None if row is None else self.row(row)

    def has_voted(self, name: ItemName, voter_id: str) -> bool:
        """Tell whether a vote of a voter on an item counts in its current round."""
        return self._ballot(name, voter_id) is not None

    def last_of(self, voter_id: str) -> VoteEntry | None:
        """Return the vote that a voter cast last; None if it was taken back or there is none."""
        row = self._last.get(self._voters.get(voter_id, -1))
        return None if row is None or not self._counts[row] else self.row(row)

    def holds_key(self, key: str) -> bool:
        """Tell whether there is or was a vote under this key."""
        return int(key[:_KEY_DIGITS], 16) in self._row_of_key

    def row(self, number: int) -> VoteEntry:
        """Return a vote by its place in the columns."""
        name = self.by_number[self._item_of[number]].name
        vote = Vote(
            inference_id=name.inference_id,
            vote=self._values[number],
            voter_id=self._voter_names[self._voter_of[number]],
            vote_time=_EPOCH + self._times[number] * _MICROSECOND,
            voter_prompt_id=name.voter_prompt_id,
            reputation=self._reputations[number],
            voter_kind=name.voter_kind,
        )
        return VoteEntry(vote, round=self._round_of[number])

    def frame(self, chosen: Sequence[TallyItem] | None = None) -> pl.DataFrame:
        """Return the votes that count as a table, of some items only if they are given."""
        if chosen is None:
            names, rows = self.by_number, np.arange(len(self._counts))
            items = np.frombuffer(self._item_of, dtype=np.int64)
        else:
            names, rows = list(chosen), np.array([row for item in chosen for row in item.rows], dtype=np.int64)
            items = np.repeat(np.arange(len(names)), [len(item.rows) for item in chosen])
        if len(rows):
            counts = np.frombuffer(self._counts, dtype=np.uint8)[rows] == 1
            rows, items = rows[counts], items[counts]
        voters = np.frombuffer(self._voter_of, dtype=np.int64)[rows]
        return pl.DataFrame(
            {
                "inference_id": _gather([each.name.inference_id for each in names], items),
                "vote": np.frombuffer(self._values)[rows],
                "voter_id": self._voters_named(voters),
                "vote_time": pl.Series(np.frombuffer(self._times, dtype=np.int64)[rows]).cast(pl.Datetime("us", "UTC")),
                "voter_prompt_id": _gather([each.name.voter_prompt_id for each in names], items),
                "reputation": np.frombuffer(self._reputations)[rows],
                "voter_kind": _gather([each.name.voter_kind.value for each in names], items),
            }
        )

    def _ballot(self, name: ItemName, voter_id: str) -> int | None:
        item, voter = self.items.get(name), self._voters.get(voter_id)
        if item is None or voter is None:
            return None
        row = self._latest.get(item.number << 32 | voter)
        return None if row is None or not self._counts[row] or self._round_of[row] != item.round else row

    def _voters_named(self, voters: IntArray) -> pl.Series:
        if len(voters) < len(self._voter_names):  # Without going through the names of all others.
            return pl.Series([self._voter_names[voter] for voter in voters], dtype=pl.String)
        return _gather(self._voter_names, voters)

    def _holds(self, row: int, entry: VoteEntry) -> bool:
        vote = entry.vote
        if not self._counts[row]:
            return vote.vote is None
        known = (self._values[row], self._reputations[row], self._round_of[row])
        return known == (vote.vote, vote.reputation, entry.round)

    def _drop(self, item: TallyItem, row: int) -> None:
        if not self._counts[row]:
            return
        self._counts[row] = 0
        self.votes -= 1
        if not self._loading:
            item.state = gather_state(self.frame([item]), self.decay)
            self._set_numbers(item, numbers_of(item.state))

    def _update(self, item: TallyItem, vote: Vote) -> None:
        if self._loading or vote.vote is None:
            return
        try:
            if item.state is None:
                item.state = gather_state(self.frame([item]), self.decay)
            else:
                item.state = item.state.with_vote(vote.vote, vote.vote_time, vote.reputation)
        except UsageError:  # An older vote came late: the weights of all others change.
            item.state = gather_state(self.frame([item]), self.decay)
        self._set_numbers(item, numbers_of(item.state))

    def _set_numbers(self, item: TallyItem, numbers: ItemNumbers) -> None:
        if item.name.voter_kind is VoterKind.PERSON:
            before, after = item.numbers.score, numbers.score
            self.score_sum += (after or 0.0) - (before or 0.0)
            self.scored_items += (after is not None) - (before is not None)
        item.numbers = numbers
        self.recent.pop(item.name, None)
        self.recent[item.name] = None
        self._note_waiting(item)

    def _note_waiting(self, item: TallyItem) -> None:
        if item.waits:
            self.waiting[item.name] = item
        else:
            self.waiting.pop(item.name, None)


def _gather(names: list[str], places: IntArray) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(places)
