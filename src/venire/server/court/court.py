"""The court: one ledger, and everything that people and programs may ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import overload

from venire.domain.curation import Curation, Outcome
from venire.domain.judgement import Judgement
from venire.domain.judgement_key import JudgementKey
from venire.errors import LedgerError, UsageError, VenireError
from venire.ledger.entry import Head, utc_now
from venire.reports.report import Report
from venire.server.court.chain import Chain
from venire.server.court.commits import CourtWriter
from venire.server.court.curators import Curators
from venire.server.court.judged import Judged
from venire.server.court.jury_room import JuryRoom
from venire.server.court.progress import POLL_SECONDS, Progress
from venire.server.court.scores import Scores
from venire.server.court.state import CourtState
from venire.server.court.views import CanaryCurve, InvitationRow, JudgementView, Overview, RunProgress
from venire.server.court.vote_requests import JudgementRequest, VoteRequest
from venire.server.court.vote_views import Docket, QueuedItem, VotedItem, VoteReceipt, VoteStanding
from venire.server.court.voting import Voting
from venire.server.options import ServerOptions
from venire.server.people.joins import JoinLimit
from venire.server.people.person import Person, Role
from venire.server.people.registry import Registry
from venire.workflows.trace import Trace

MOST_QUEUED = 25
"""How many waiting items a page of the queue shows; deciding on them brings up the next."""


class Court:
    """An open court. Make it, `start` it in the event loop that serves, and `close` it at the end.

    Opening reads the whole ledger once; after that, summaries are brought up to date entry by entry.
    """

    def __init__(self, options: ServerOptions, now: Callable[[], datetime] = utc_now) -> None:
        self.options = options
        self.registry = Registry(options.registry, now, patience_seconds=options.patience_seconds)
        try:
            self.state = CourtState(options, self.registry.court_secret(), now)
        except BaseException:
            self.registry.close()
            raise
        self.joins = JoinLimit(options.jurors_per_address)
        self.writer = CourtWriter(self.state)
        self.voting = Voting(self.state, self.writer)
        self.jury = JuryRoom(self.state, self.voting)
        self.curators = Curators(self.state, self.writer)
        self.scores = Scores(self.state)
        self.judged = Judged(self.state)
        self.chain = Chain(self.state, self.writer)
        self.progress = Progress(self.state)
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to follow what others write."""
        if self.state.others_write:
            self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Commit what is waiting and let go of everything."""
        if self._following is not None:
            self._following.cancel()
            with suppress(asyncio.CancelledError):
                await self._following
        await self.writer.close()
        self.state.close()
        self.registry.close()

    async def docket(self, juror: str) -> Docket:
        """Return what lies before a juror."""
        return await self.jury.docket(juror)

    @overload
    async def cast(self, voter: Person, asked: VoteRequest, key: str = "") -> VoteReceipt: ...
    @overload
    async def cast(self, voter: Person, asked: JudgementRequest) -> Judgement: ...

    async def cast(
        self, voter: Person, asked: VoteRequest | JudgementRequest, key: str = ""
    ) -> VoteReceipt | Judgement:
        """Record a vote or a juror's judgement, and return once it is durable; an invalid judgement is not recorded.

        Raises `AlreadyVotedError`, `NotFoundError`, `ReusedKeyError` for a key that came with another vote, and
        `UsageError` or `InputError` for what the court does not ask.
        """
        if isinstance(asked, JudgementRequest):
            return await self.jury.judge(voter.pseudonym, asked.item, asked.reply)
        [result] = await self.cast_all(voter, [asked], [key])
        if isinstance(result, VenireError):
            raise result
        return result

    async def cast_all(
        self, voter: Person, asked: Sequence[VoteRequest], keys: Sequence[str]
    ) -> list[VoteReceipt | VenireError]:
        """Record many votes in one commit; each gets a receipt, or the reason why it was refused."""
        if voter.role is not Role.JUROR:
            return await self.voting.cast_for_others(voter.pseudonym, asked, keys)
        if not all(each.is_plain for each in asked):
            raise UsageError("error.court.own_name")
        return await self.jury.cast_all(voter.pseudonym, asked, keys)

    async def undo_vote(self, juror: str) -> VoteReceipt:
        """Take the last vote back by a new entry; raises `TooLateError`."""
        return await self.jury.undo(juror)

    async def skip_item(self, juror: str, item: str) -> None:
        """Put an item at the end of the juror's order; it is not a vote."""
        await self.jury.skip(juror, item)

    async def report(self) -> Report | None:
        """Return the report of the ledger, kept up to date; None while nothing was judged."""
        return await self.judged.report()

    async def trace_cell(self, cell_id: str, limit: int) -> Trace:
        """Walk from a number of the report to the judgements behind it; raises `UsageError` for no such cell."""
        return await self.judged.trace_cell(cell_id, limit)

    async def voted_items(self, limit: int) -> tuple[VotedItem, ...]:
        """Return the decayed scores of items, those with the latest votes first."""
        return self.scores.voted_items(limit)

    async def vote_standing(self) -> VoteStanding:
        """Return what people's votes come to, by model."""
        return await self.scores.standing()

    async def canary_curves(self) -> tuple[CanaryCurve, ...]:
        """Return what anchors said of each judge after every run, in its last version."""
        return self.state.index.canary_curves()

    async def judgement_view(self, key: JudgementKey) -> JudgementView | None:
        """Return a judgement, or None."""
        return await self.state.fetch(lambda: self.judged.view(key))

    async def queue(self) -> tuple[QueuedItem, ...]:
        """Return the ambiguous items that wait, the most disputed first."""
        return tuple([await self.curators.queued(item) for item in self.curators.waiting()[:MOST_QUEUED]])

    async def decide(
        self, curator: str, inference_id: str, voter_prompt_id: str, outcome: Outcome, note: str
    ) -> Curation:
        """Record a curator's decision and return once it is durable; raises `TooLateError` if it does not wait."""
        return await self.curators.decide(curator, inference_id, voter_prompt_id, outcome, note)

    async def runs(self) -> tuple[RunProgress, ...]:
        """Return all runs, the latest first."""
        return self.progress.runs()

    def watch_run(self, run: str) -> AsyncIterator[RunProgress]:
        """Yield the progress of a run now and whenever it changed, until it ended; nothing for an unknown run."""
        return self.progress.watch(run)

    async def invitations(self) -> tuple[InvitationRow, ...]:
        """Return the invitations that still hold."""
        found = await self.state.in_thread(self.registry.invitations)
        return tuple(
            InvitationRow(each.id, each.pseudonym, each.created_at, each.expires_at, in_use) for each, in_use in found
        )

    async def free_invitation(self, invitation: str) -> None:
        """End the sessions of an invitation, so that it can be opened again; raises `UsageError` for no such one."""
        await self.state.in_thread(lambda: self.registry.free_invitation(invitation))

    async def head(self) -> Head:
        """Return the end of the ledger."""
        return self.state.head

    async def overview(self) -> Overview:
        """Return what a first page shows; nothing of it is computed when asked for."""
        index, tally = self.state.index, self.state.tally
        return Overview(
            entries=self.state.head.sequence,
            head=self.state.head.hash,
            samples=len(index.samples),
            runs=len(index.runs),
            judgements=len(index.judgements),
            valid=index.valid,
            votes=tally.votes,
            voters=tally.voters,
            items=tally.scored_items,
            ambiguous=len(tally.waiting),
            votes_by_day=dict(sorted(tally.votes_by_day.items())),
            mean_score=tally.score_sum / tally.scored_items if tally.scored_items else None,
        )

    async def _follow(self) -> None:
        while True:
            with suppress(LedgerError):  # Those who ask meanwhile are told; the next look may find it back.
                await self.state.catch_up()
            await asyncio.sleep(POLL_SECONDS)
