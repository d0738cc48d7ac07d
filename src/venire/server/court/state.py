"""The ledger as the court sees it: everything counted in memory in the ledger's order, texts fetched when wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import TypeVar

import msgspec

from venire.domain.curation import Curation, Outcome
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.domain.vote import VoterPrompt
from venire.ledger.entry import Draft, Entry, Head, Kind, utc_now
from venire.ledger.location import is_shared, open_ledger
from venire.ledger.subjects import subject_of
from venire.server.court.ballot_order import Skips
from venire.server.court.compared import IndexedPair
from venire.server.court.ledger_index import IndexedSample, LedgerIndex
from venire.server.court.tally import VoteTally
from venire.server.court.tally_item import ItemName, item_of
from venire.server.options import ServerOptions
from venire.server.people.court_secret import CourtSecret
from venire.votes.entries import VoteEntry, find_vote, read_curation, read_vote, record_prompt
from venire.votes.open_items import OpenOutputs

T = TypeVar("T")
VotedItem = IndexedSample | IndexedPair
"""What a juror votes on: an output, or two of them."""
_ENTRIES_AT_ONCE = 5_000
_COUNTED = frozenset(Kind) - {Kind.REPLY, Kind.ATTEMPT, Kind.CHECKPOINT}
"""What summaries are made of; the rest, more than half of a ledger's bytes, is not read when a court opens."""


class CourtState:
    """An open ledger with its summaries. One event loop owns it; `close` lets go of the ledger."""

    def __init__(self, options: ServerOptions, secret: CourtSecret, now: Callable[[], datetime] = utc_now) -> None:
        self.options = options
        self.secret = secret
        self.now = now
        self.index = LedgerIndex(secret, one_writer=not is_shared(options.ledger))
        self.tally = VoteTally(options.decay)
        self.skips = Skips()
        self._open_outputs = OpenOutputs()
        self.prompts: dict[str, VoterPrompt] = {}
        self.protocols: dict[str, EvalProtocol] = {}
        self.head = Head()
        self.on_ballot: Callable[[str, ItemName, int], None] | None = None
        """Called when a voter has one ballot more (1) or less (-1) on an item."""
        self.on_round: Callable[[], None] | None = None
        """Called when an item is open to votes once more."""
        self.is_remote = is_shared(options.ledger)
        """Whether the ledger is asked over a network, which may take long."""
        self.others_write = options.read_only or self.is_remote
        """Whether other programs may append to the ledger meanwhile."""
        self._reading: asyncio.Task[None] | None = None
        self._reading_next: asyncio.Task[None] | None = None
        self.ledger = open_ledger(
            options.ledger, read_only=options.read_only, patience_seconds=options.patience_seconds, now=now
        )
        try:
            if not options.read_only:
                record_prompt(self.ledger, options.voter_prompt)
            self._load()
        except BaseException:
            self.ledger.close()
            raise
        self.subject = lru_cache(maxsize=1024)(self._read_subject)

    def close(self) -> None:
        """Let go of the ledger."""
        self.ledger.close()

    def _load(self) -> None:
        head = self.ledger.head()
        self.tally.begin_loading()
        self.take_in(self.ledger.read(kinds=_COUNTED))
        self.tally.end_loading()
        if head.sequence > self.head.sequence:  # The last entries are of kinds that are not counted.
            self.head = head

    async def catch_up(self) -> None:
        """Return when everything that stands in the ledger now is counted; those who ask together wait together.

        Raises `LedgerError` if the ledger cannot be read.
        """
        if not self.others_write:
            return
        if self._reading_next is None:
            self._reading_next = asyncio.create_task(self._read_behind(self._reading))
        await asyncio.shield(self._reading_next)

    async def _read_behind(self, before: asyncio.Task[None] | None) -> None:
        """Read on from the beginning to the end of one look, once the look before it has ended."""
        if before is not None:
            await asyncio.wait([before])
        self._reading, self._reading_next = self._reading_next, None
        while entries := await self.in_thread(self._read_some):
            self.take_in(entries)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do something slow without holding up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def fetch(self, work: Callable[[], T]) -> T:
        """Read something from the ledger: at once from a file, without holding up the event loop over a network."""
        return await self.in_thread(work) if self.is_remote else work()

    def take_in(self, entries: Iterable[Entry]) -> None:
        """Count entries of the ledger that follow the last one; what was counted before is left out."""
        seen, last = self.head.sequence, None
        try:
            for entry in entries:
                if entry.sequence > seen:
                    self._take_in(entry)
                    last = entry
        finally:
            if last is not None:
                self.head = Head(last.sequence, last.hash)

    def take_in_own(self, drafts: Sequence[Draft], head: Head) -> None:
        """Count what the court itself has appended up to this end, unless it was read from the ledger already."""
        seen = self.head.sequence
        for sequence, draft in enumerate(drafts, head.sequence - len(drafts) + 1):
            if sequence > seen and draft.kind in (Kind.VOTE, Kind.DECISION):
                self._take_in_vote(draft.kind, draft.key, draft.payload_bytes)
        if head.sequence > seen:
            self.head = head

    def sample(self, known: IndexedSample) -> Sample:
        """Fetch a sample with its text."""
        subject = self.subject(known.key)
        several = subject.samples
        return several[0] if len(several) == 1 else next(each for each in several if each.digest == known.digest)

    @property
    def compares(self) -> bool:
        """Whether jurors compare two outputs: they just choose one, or judge both by a protocol for pairs."""
        return self.options.vote_scale == "pairs" or (self.rubric is not None and self.rubric.shape == "pair")

    @property
    def allows_ties(self) -> bool:
        """Whether a juror may say that neither of two outputs is better: as the protocol of the pairs says."""
        policies = (each.pairs for each in self.protocols.values() if each.shape == "pair" and each.pairs)
        return all(policy.ties for policy in policies)

    @property
    def items(self) -> Sequence[VotedItem]:
        """What jurors vote on."""
        if self.compares:
            return self.index.pairs.listed
        return self.index.drawn_samples() if self.options.drawn else self.index.samples

    def item(self, name: str) -> VotedItem | None:
        """Return what is voted on by its handle or its own name; None if there is none."""
        return self.index.pairs.find(name) if self.compares else self.index.sample(name)

    def outputs_of(self, pair: IndexedPair) -> tuple[Sample, Sample]:
        """Fetch the two outputs of a pair, in the order of their names."""
        first, second = (self.sample(self.index.samples[place]) for place in pair.places)
        return first, second

    def stored_vote(self, key: str) -> VoteEntry | None:
        """Fetch a vote with its reason."""
        entry = find_vote(self.ledger, key)
        found = read_vote(entry.key, entry.payload) if entry else None
        return found if isinstance(found, VoteEntry) else None

    @property
    def rubric(self) -> EvalProtocol | None:
        """The protocol by whose dimensions jurors judge: the ledger's first; None if they just vote or it has none."""
        return next(iter(self.protocols.values()), None) if self.options.vote_scale == "protocol" else None

    @property
    def prompt_id(self) -> str:
        """The name of what jurors are asked; judging by dimensions is asking something else than voting."""
        rubric = self.rubric
        return f"protocol:{rubric.digest[:12]}" if rubric else self.options.voter_prompt.id

    @property
    def moment(self) -> datetime:
        """The present moment in UTC."""
        return self.now().astimezone(UTC)

    def _read_subject(self, key: str) -> Sample | Bundle:
        entry = self.ledger.find(Kind.SAMPLE, key)
        if entry is None:
            raise KeyError(key)
        return subject_of(entry, self.ledger)

    def _read_some(self) -> list[Entry]:
        return list(islice(self.ledger.read(after=self.head.sequence), _ENTRIES_AT_ONCE))

    def _take_in(self, entry: Entry) -> None:
        if entry.kind in (Kind.VOTE, Kind.DECISION):
            self._take_in_vote(entry.kind, entry.key, entry.payload)
        elif entry.kind is Kind.CHOICE:
            self._take_in_choice(entry.payload)
        elif entry.kind is Kind.PROTOCOL:
            self.protocols[entry.key] = msgspec.convert(entry.content, EvalProtocol)
        else:
            self.index.add(entry)

    def _take_in_choice(self, payload: bytes) -> None:
        prompt, found = self._open_outputs.take(payload) or ("", {})
        for digest, is_open in found.items():
            if sample := self.index.sample(self.secret.item_name(digest)):
                self.tally.refer(ItemName(sample.output_id, prompt), is_open=is_open)

    def _take_in_vote(self, kind: Kind, key: str, payload: bytes) -> None:
        if kind is Kind.DECISION:
            if (decision := read_curation(payload)) is not None:
                self._settle(decision)
        elif isinstance(cast := read_vote(key, payload), VoteEntry):
            self._count(cast, key)
        else:
            self.prompts[cast.id] = cast

    def _count(self, cast: VoteEntry, key: str) -> None:
        vote = cast.vote
        self.skips.note(vote, is_new=vote.vote is None and not self.tally.holds_key(key))
        if self.on_ballot is None:
            self.tally.add(cast, key)
            return
        name = item_of(vote)
        before = self.tally.has_voted(name, vote.voter_id)
        self.tally.add(cast, key)
        change = self.tally.has_voted(name, vote.voter_id) - before
        if change:
            self.on_ballot(vote.voter_id, name, change)

    def _settle(self, decision: Curation) -> None:
        self.tally.settle(decision)
        if decision.outcome is Outcome.ANOTHER_ROUND and self.on_round is not None:
            self.on_round()
