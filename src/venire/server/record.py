"""The ledger as the court sees it: one writer, everything counted in memory, texts fetched when they are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar

import msgspec

from venire.domain.curation import Curation
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.domain.vote import Vote, VoterPrompt
from venire.ledger.entry import Draft, Entry, Head, Kind, utc_now
from venire.ledger.group_commit import GroupCommit
from venire.ledger.location import open_ledger
from venire.ledger.postgres_address import is_postgres
from venire.server.ledger_index import IndexedSample, LedgerIndex
from venire.server.options import ServerOptions
from venire.server.refusals import ReadOnlyError
from venire.server.tally import Tally
from venire.workflows.audit import subject_of
from venire.workflows.vote_entries import record_prompt

T = TypeVar("T")
_ENTRIES_AT_ONCE = 5_000


class StoredVote(msgspec.Struct, frozen=True):
    """The content of an entry of the kind `vote`: a vote, or the words that voters were asked."""

    vote: Vote | None = None
    """The vote; None for an entry that holds a prompt."""
    prompt_digest: str = ""
    """The digest of the words that were asked."""
    round: int = 1
    """The voting round, from 1."""
    reason: str = ""
    """Why, in the voter's words."""
    request: str = ""
    """The digest of the caller's idempotency key, so that a repeated request is known again."""
    voter_prompt: VoterPrompt | None = None
    """The words that voters were asked; None for an entry that holds a vote."""


_stored_vote = msgspec.json.Decoder(StoredVote)


class Record:
    """An open ledger with its summaries. One event loop owns it; `close` lets go of the ledger."""

    def __init__(self, options: ServerOptions, now: Callable[[], datetime] = utc_now) -> None:
        self.options = options
        self.now = now
        self.index = LedgerIndex()
        self.tally = Tally(options.decay)
        self.prompts: dict[str, VoterPrompt] = {}
        self.protocols: dict[str, EvalProtocol] = {}
        self.ledger = open_ledger(options.ledger, read_only=options.read_only, now=now)
        try:
            if not options.read_only:
                record_prompt(self.ledger, options.voter_prompt)
            self._seen = 0
            self.tally.begin_loading()
            self._take_in(self.ledger.read())
            self.tally.end_loading()
            self.head = self.ledger.head()
        except BaseException:
            self.ledger.close()
            raise
        self.others_write = options.read_only or is_postgres(options.ledger)
        self._writer: GroupCommit | None = None
        self.subject = lru_cache(maxsize=1024)(self._read_subject)

    def start(self) -> None:
        """Begin to write; call it in the event loop."""
        if not self.options.read_only:
            self._writer = GroupCommit(self.ledger)

    async def close(self) -> None:
        """Commit what is waiting and let go of the ledger."""
        if self._writer is not None:
            await self._writer.close()
        self.ledger.close()

    async def append(self, drafts: Sequence[Draft]) -> Head:
        """Append drafts and return once they are durable. Raises `ReadOnlyError` if the ledger is only looked at."""
        if self._writer is None:
            raise ReadOnlyError(
                "the ledger is only looked at: nothing can be added to it here",
                hint="Another program writes to it; start the server without --read-only once that has ended.",
            )
        head = await self._writer.append(drafts)
        if head.sequence > self.head.sequence:
            self.head = head
        return head

    async def refresh(self) -> bool:
        """Take in what was appended since, and tell whether there was anything."""
        before = self._seen
        while entries := await self.in_thread(self._read_some):
            self._take_in(entries)
        self.head = await self.in_thread(self.ledger.head)
        return self._seen > before

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do something slow without holding up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, work)

    def sample(self, known: IndexedSample) -> Sample:
        """Fetch a sample with its text."""
        subject = self.subject(known.key)
        if isinstance(subject, Bundle):
            return next(each for each in subject.samples if each.digest == known.digest)
        return subject

    def stored_vote(self, key: str) -> StoredVote | None:
        """Fetch a vote with its reason."""
        entry = self.ledger.find(Kind.VOTE, key)
        return None if entry is None else _stored_vote.decode(entry.payload)

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
        return subject_of(entry)

    def _read_some(self) -> list[Entry]:
        entries: list[Entry] = []
        for entry in self.ledger.read(after=self._seen):
            entries.append(entry)
            if len(entries) == _ENTRIES_AT_ONCE:
                break
        return entries

    def _take_in(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._seen = entry.sequence
            if entry.kind is Kind.VOTE:
                self._take_in_vote(entry)
            elif entry.kind is Kind.DECISION:
                content = entry.content
                if "curation" in content:
                    self.tally.settle(msgspec.convert(content["curation"], Curation))
            elif entry.kind is Kind.PROTOCOL:
                self.protocols[entry.key] = msgspec.convert(entry.content, EvalProtocol)
            else:
                self.index.add(entry)

    def _take_in_vote(self, entry: Entry) -> None:
        stored = _stored_vote.decode(entry.payload)
        if stored.vote is not None:
            self.tally.add(stored.vote, entry.key, round_number=stored.round, request=stored.request)
        elif stored.voter_prompt is not None:
            self.prompts[stored.voter_prompt.id] = stored.voter_prompt
