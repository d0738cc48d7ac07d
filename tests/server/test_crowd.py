"""Many voters at once, and a server that is killed under them: no vote is lost, none is doubled.

`VENIRE_VOTERS` says how many voters live through three kills.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from contextlib import suppress

import pytest

from venire.ledger.audit import audit_chain
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from voting_crowd import CourtProcess, Voter, connect_all

ITEMS = 4
VOTERS = int(os.environ.get("VENIRE_VOTERS", "40"))


@pytest.fixture
def court(tmp_path):
    opened = CourtProcess(tmp_path, ITEMS)
    yield opened
    opened.stop()


def recorded(court):
    """Return the receipts of all votes in the ledger, and how many there are of each voter on each item."""
    ledger = open_ledger(str(court.folder / "ledger.sqlite"), read_only=True)
    entries = [entry for entry in ledger.read(kinds=[Kind.VOTE]) if "vote" in entry.content]
    places = Counter((entry.content["vote"]["voter_id"], entry.content["vote"]["inference_id"]) for entry in entries)
    assert audit_chain(ledger).intact
    ledger.close()
    return court.receipts({entry.key for entry in entries}), places


async def vote_until(court, votes, kill_after):
    """Cast votes, and kill the court after so many answers; those that get none are left without."""
    for count, answered in enumerate(asyncio.as_completed(votes), start=1):
        with suppress(ConnectionError):
            await answered
        if count == kill_after:
            court.kill()


def test_votes_of_a_crowd_are_all_there_once(court):
    secrets = court.invite(200)
    court.start()

    async def crowd():
        voters = [Voter(court.port, secret) for secret in secrets]
        await connect_all(voters)

        async def go(voter):
            for item in court.items:
                await asyncio.gather(voter.vote(item))
                await voter.vote(item)  # A second one, which must be refused.
            voter.close()

        await asyncio.gather(*map(go, voters))
        return voters

    voters = asyncio.run(crowd())
    keys, places = recorded(court)

    assert all(len(voter.confirmed) == ITEMS for voter in voters)
    assert all(voter.refused == [409] * ITEMS for voter in voters)
    assert keys == {key for voter in voters for key in voter.confirmed.values()}
    assert set(places.values()) == {1}
    assert len(places) == 200 * ITEMS


def test_the_same_vote_sent_by_two_connections_at_once_is_one_vote(court):
    secrets = court.invite(20)
    court.start()

    async def crowd():
        twins = [(Voter(court.port, secret), Voter(court.port, secret)) for secret in secrets]
        await connect_all([voter for pair in twins for voter in pair])
        for item in court.items:
            await asyncio.gather(*(voter.vote(item, key=item) for pair in twins for voter in pair))
        for pair in twins:
            for voter in pair:
                voter.close()
        return twins

    twins = asyncio.run(crowd())
    _, places = recorded(court)

    assert set(places.values()) == {1}
    assert all(first.confirmed == second.confirmed for first, second in twins)
    assert all(len(first.confirmed) == ITEMS for first, _ in twins)


def test_every_vote_that_was_confirmed_outlives_a_kill(court):
    secrets = court.invite(60)
    for life in range(2):
        court.start()

        async def crowd(item):
            voters = [Voter(court.port, secret) for secret in secrets]
            await connect_all(voters)
            await vote_until(court, [voter.vote(item) for voter in voters], kill_after=15)
            for voter in voters:
                voter.close()
            return voters

        voters = asyncio.run(crowd(court.items[life]))
        keys, places = recorded(court)
        confirmed = {key for voter in voters for key in voter.confirmed.values()}
        assert len(confirmed) >= 15
        assert confirmed <= keys
        assert set(places.values()) == {1}


@pytest.mark.long
def test_after_three_kills_repeated_requests_complete_the_votes_without_doubling_one(court, figures):
    secrets = court.invite(VOTERS)
    item = court.items[0]

    async def vote_all(kill_after):
        voters = [Voter(court.port, secret) for secret in secrets]
        await connect_all(voters)
        await vote_until(court, [voter.vote(item, key="the one") for voter in voters], kill_after=kill_after)
        for voter in voters:
            voter.close()
        return voters

    confirmed = {}
    for kill_after in (VOTERS // 8, VOTERS // 4, VOTERS // 2, None):
        court.start()
        voters = asyncio.run(vote_all(kill_after))
        told = {voter.secret: voter.confirmed[item] for voter in voters if voter.confirmed}
        assert len(told) >= (kill_after or VOTERS)
        assert all(told.get(secret, key) == key for secret, key in confirmed.items())
        confirmed |= told
    keys, places = recorded(court)

    lost, doubled = len(set(confirmed.values()) - keys), places.total() - len(places)
    figures("voters", voters=VOTERS, kills=3, votes=places.total(), lost=lost, doubled=doubled)
    assert (len(confirmed), len(places)) == (VOTERS, VOTERS)
    assert (lost, doubled) == (0, 0)
