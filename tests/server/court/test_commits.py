"""Changes are written together, each only if nobody was quicker, and none once the court is closing."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from venire.domain.vote import Vote
from venire.errors import LedgerError
from venire.server.court.commits import Change, vote_claims, vote_marks
from venire.server.court.court import Court
from venire.server.options import ServerOptions
from venire.votes.entries import VoteEntry, vote_draft


def change_of(value: float, **terms) -> Change:
    moment = datetime(2026, 1, 1, second=int(value), tzinfo=UTC)
    entry = VoteEntry(Vote(inference_id="o", vote=value, voter_id="ann", vote_time=moment))
    return Change((vote_draft(entry),), vote_marks(entry), vote_claims(entry), **terms)


def written(*groups):
    """Enter each group at the same time; return what became of each, and the votes that are counted."""

    async def work():
        court = Court(ServerOptions(ledger="memory:"))
        heads = await asyncio.gather(*(court.writer.enter(group) for group in groups))
        votes = court.state.tally.frame()["vote"].to_list()
        await court.writer.close()
        with pytest.raises(LedgerError, match="the server is stopping"):
            await court.writer.enter([change_of(0)])
        await court.close()
        return heads, votes

    return asyncio.run(work())


def test_of_changes_that_claim_the_same_the_first_is_written():
    heads, votes = written([change_of(1)], [change_of(0)])
    assert [head is not None for [head] in heads] == [True, False]
    assert votes == [1.0]


def test_a_change_that_no_longer_holds_is_handed_back():
    heads, votes = written([change_of(1, still_holds=lambda: False)])
    assert (heads, votes) == ([[None]], [])
