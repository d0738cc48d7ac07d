"""The one door through which votes and judgements are cast."""

from __future__ import annotations

import asyncio

import pytest

from making_courts import options_for, write_samples
from venire.errors import AlreadyVotedError, NotFoundError, UsageError
from venire.server.court.court import Court
from venire.server.court.vote_requests import JudgementRequest, VoteRequest
from venire.server.people.person import Person, Role

JUROR, OPERATOR = Person(Role.JUROR, "juror-1"), Person(Role.OPERATOR, "operator-1")


def ask(folder, work, **terms):
    async def asked():
        write_samples(folder / "ledger.sqlite", 1)
        court = Court(options_for(folder, **terms))
        try:
            return await work(court)
        finally:
            await court.close()

    return asyncio.run(asked())


def test_a_juror_votes_once_by_the_opaque_name(tmp_path):
    async def work(court):
        ballot = (await court.docket(JUROR.pseudonym)).ballot
        receipt = await court.cast(JUROR, VoteRequest(ballot.item, 1.0))
        with pytest.raises(AlreadyVotedError):
            await court.cast(JUROR, VoteRequest(ballot.item, 0.0))
        with pytest.raises(NotFoundError):
            await court.cast(JUROR, VoteRequest("secretmodel-0", 1.0))
        return ballot.item, receipt

    item, receipt = ask(tmp_path, work)
    assert (receipt.item, receipt.vote, receipt.head) == (item, 1.0, None)


def test_an_operator_votes_for_others_by_the_name_of_the_output(tmp_path):
    async def work(court):
        await court.cast(OPERATOR, VoteRequest("secretmodel-0", 1.0, voter_id="ann"))
        return court.state.tally.frame()["voter_id"].to_list()

    assert ask(tmp_path, work) == ["ann"]


def test_a_judgement_comes_through_the_same_door_and_is_refused_where_votes_are_asked(tmp_path):
    async def work(court):
        ballot = (await court.docket(JUROR.pseudonym)).ballot
        with pytest.raises(UsageError, match="expected a plain vote"):
            await court.cast(JUROR, JudgementRequest(ballot.item, "{}"))

    ask(tmp_path, work)
