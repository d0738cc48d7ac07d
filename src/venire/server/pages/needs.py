"""What pages need from the court: the methods that they call, and nothing more.

All are coroutines, so that one may wait for a durable commit and another may work in a thread. Pages take the court as
the dependency named `court`, and the visitor from `request.user` (None for someone who has not signed in). They post
`/login` (field `secret`: a key, or what an invitation carries behind `/login#`) and `/logout`, which the app answers;
its state holds `demo` and `language`, the language of those who ask for none. The audit page reads
`/api/v1/audit/entries?after=N&limit=M`, `/api/v1/checkpoint` and `/api/v1/proof/N`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from venire.domain.curation import Curation, Outcome
from venire.domain.judgement import Judgement
from venire.errors import UsageError
from venire.ledger.entry import Head
from venire.reports.report import Report
from venire.server.court.views import Overview
from venire.server.pages.views import (
    CastVote,
    Docket,
    InvitationRow,
    JudgementView,
    QueuedItem,
    RunProgress,
    ScoreCurve,
)
from venire.workflows.trace import Trace


class AlreadyVotedError(UsageError):
    """The juror has voted on this item in this round, and the policy does not allow another vote; answered by 409."""


class TooLateError(UsageError):
    """There is no vote that can still be taken back, or no item that can still be decided; answered by 409."""


class Visitor(Protocol):
    """Who looks at a page."""

    @property
    def pseudonym(self) -> str:
        """The name under which the ledger knows the visitor."""

    @property
    def role(self) -> str:
        """One of `juror`, `curator`, `operator` and `reader`."""


@runtime_checkable
class PageCourt(Protocol):
    """The data behind the pages."""

    async def overview(self) -> Overview:
        """Return the counts that the dashboard begins with."""

    async def docket(self, juror: str) -> Docket:
        """Return what lies before a juror."""

    async def cast_vote(self, juror: str, item: str, vote: float, reason: str = "") -> CastVote:
        """Record a vote and return once it is durable; raises `AlreadyVotedError`, or `UsageError` for no such item."""

    async def cast_judgement(self, juror: str, item: str, reply: str) -> Judgement:
        """Check a juror's reply as a judge's is checked; record it, and the vote that follows from it, if it is valid.

        The reply names the item as its `output_id`. An invalid one is not recorded: the juror is shown the findings
        and mends it. Raises `AlreadyVotedError`.
        """

    async def undo_vote(self, juror: str) -> None:
        """Take the last vote back by a new entry; raises `TooLateError`."""

    async def skip_item(self, juror: str, item: str) -> None:
        """Put an item at the end of the juror's order; it is not a vote."""

    async def report(self) -> Report | None:
        """Return the report of the ledger, kept up to date; None while nothing was judged."""

    async def trace_cell(self, cell_id: str, limit: int) -> Trace:
        """Walk from a number of the report to the judgements behind it; raises `UsageError` for no such cell."""

    async def score_curves(self, limit: int) -> tuple[ScoreCurve, ...]:
        """Return the decayed scores of items over time, those with the latest votes first."""

    async def judgement_view(self, key: str) -> JudgementView | None:
        """Return a judgement by the key of its line in the report (with its place behind it, for bundles), or None."""

    async def queue(self) -> tuple[QueuedItem, ...]:
        """Return the ambiguous items that wait, the most disputed first."""

    async def decide(
        self, curator: str, inference_id: str, voter_prompt_id: str, outcome: Outcome, note: str
    ) -> Curation:
        """Record a curator's decision and return once it is durable; raises `TooLateError` if it does not wait."""

    async def runs(self) -> tuple[RunProgress, ...]:
        """Return all runs, the latest first."""

    def watch_run(self, run: str) -> AsyncIterator[RunProgress]:
        """Yield the progress of a run now and whenever it changed, until it ended; nothing for an unknown run."""

    async def invitations(self) -> tuple[InvitationRow, ...]:
        """Return the invitations that still hold."""

    async def free_invitation(self, invitation: str) -> None:
        """End the sessions of an invitation, so that it can be opened again; raises `UsageError` for no such one."""

    async def head(self) -> Head:
        """Return the end of the ledger."""
