"""Two server processes on one PostgreSQL: crowds at both, one killed, the database killed; none lost, none doubled."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from contextlib import suppress

import pytest
from litestar.exceptions import TooManyRequestsException

from making_courts import open_bar
from postgres_server import WRITER, PostgresServer
from venire.ledger.audit import audit_chain
from venire.ledger.location import open_ledger
from venire.server.options import RateLimit, ServerOptions
from venire.server.people.callers import callers_for
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry
from venire.server.people.registry_postgres import set_up_people
from venire.votes.decay.consensus import score_votes
from venire.votes.entries import read_ledger_votes
from voting_crowd import CourtProcess, Voter, connect_all

ITEMS, JURORS = 4, 30


def new_place(server) -> str:
    database = server.new_ledger()
    set_up_people(server.url(database), [WRITER])
    return server.url(database, WRITER)


@pytest.fixture
def place(postgres):
    return new_place(postgres)


@pytest.fixture
def courts(place, tmp_path):
    opened = [CourtProcess(tmp_path, ITEMS, place) for _ in range(2)]
    yield opened
    for court in opened:
        court.stop()


def recount(place):
    """Return the votes in the ledger by voter and item, their receipts, and the scores that follow from them."""
    registry = Registry(place)
    secret = registry.court_secret()
    registry.close()
    ledger = open_ledger(place, read_only=True)
    assert audit_chain(ledger).intact
    votes = read_ledger_votes(ledger)
    ledger.close()
    assert votes.superseded == 0
    places = Counter(votes.frame.select("voter_id", "inference_id").rows())
    scored = score_votes(votes.frame, ServerOptions(ledger="").decay).frame
    return places, set(map(secret.receipt_key, votes.frame["key"])), dict(scored.select("inference_id", "score").rows())


async def tally(court, key):
    """Return how many votes a court counts, and its scores."""
    reader = Voter(court.port, key)
    await reader.connect()
    votes = (await reader.get("/api/v1/overview"))["votes"]
    scores = (await reader.get("/api/v1/scores"))["items"]
    reader.close()
    return votes, {each["inference_id"]: each["score"] for each in scores}


def assert_both_agree(courts, place, key):
    places, _, scores = recount(place)
    for court in courts:
        votes, shown = asyncio.run(tally(court, key))
        assert votes == len(places)
        assert shown.keys() == scores.keys()
        assert all(math.isclose(shown[item], scores[item]) for item in shown)


def read_key(place):
    registry = Registry(place)
    key = registry.issue(CredentialKind.KEY, Role.READER).secret
    registry.close()
    return key


async def twins_vote(courts, secrets, items, answered=lambda: None):
    """Let every juror cast the same vote by both courts at the same instant, item by item."""
    twins = [[Voter(court.port, secret) for court in courts] for secret in secrets]
    await connect_all([voter for pair in twins for voter in pair])

    async def cast(voter, item):
        with suppress(ConnectionError):
            await voter.vote(item)
            answered()

    async def go(pair):
        for item in items:
            await asyncio.gather(*(cast(voter, item) for voter in pair))

    await asyncio.gather(*map(go, twins))
    for pair in twins:
        for voter in pair:
            voter.close()
    return twins


def test_one_vote_for_each_juror_and_item_by_two_courts_at_once_and_when_one_is_killed(courts, place):
    secrets = courts[0].invite(JURORS)
    key = read_key(place)
    for court in courts:
        court.start()
    for court in courts:
        court.wait_until_ready()

    twins = asyncio.run(twins_vote(courts, secrets, courts[0].items[:2]))

    places, keys, _ = recount(place)
    assert len(places) == 2 * JURORS
    assert set(places.values()) == {1}
    assert keys == {vote for pair in twins for voter in pair for vote in voter.confirmed.values()}
    assert all(len(one.confirmed) + len(other.confirmed) == 2 for one, other in twins)
    assert all(one.refused + other.refused == [409, 409] for one, other in twins)
    assert_both_agree(courts, place, key)

    answers = 0

    def kill_in_the_middle():
        nonlocal answers
        answers += 1
        if answers == JURORS:
            courts[0].kill()

    twins = asyncio.run(twins_vote(courts, secrets, courts[0].items[2:], kill_in_the_middle))

    places, keys, _ = recount(place)
    assert {vote for pair in twins for voter in pair for vote in voter.confirmed.values()} <= keys
    assert set(places.values()) == {1}
    assert len(places) == 4 * JURORS
    courts[0].start()
    assert_both_agree(courts, place, key)


def test_a_limit_holds_for_all_courts_of_a_database_together(place):
    registries = [Registry(place), Registry(place)]
    counting = [callers_for(each.buckets, RateLimit(per_second=0.001, burst=40)) for each in registries]

    async def admitted(who, caller):
        try:
            await who.admit(caller)
        except TooManyRequestsException:
            return 0
        return 1

    async def ask():
        alternating = [await admitted(counting[number % 2], "ann") for number in range(100)]
        at_once = await asyncio.gather(*(admitted(counting[number % 2], "ben") for number in range(100)))
        return sum(alternating), sum(at_once)

    ann, ben = asyncio.run(ask())
    for each in registries:
        each.close()
    assert ann == 40
    assert ben == 40


def test_a_bucket_fills_again_with_time(place):
    registry = Registry(place)
    limit = RateLimit(per_second=1e6, burst=10)

    assert registry.buckets.take_tokens("ann", 10, limit)[0] == 10
    assert registry.buckets.take_tokens("ann", 10, limit)[0] >= 1
    assert registry.buckets.take_tokens("ben", 99, limit) == (10, 0.0)
    registry.close()


def test_a_court_that_is_told_to_stop_answers_what_it_has_begun(courts, place):
    secrets = courts[0].invite(JURORS)
    courts[0].start()

    async def crowd():
        voters = [Voter(courts[0].port, secret) for secret in secrets]
        await connect_all(voters)
        await voters[0].vote(courts[0].items[0])  # It is up.
        asked = [asyncio.create_task(voter.vote(courts[0].items[1])) for voter in voters]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        courts[0].process.terminate()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for voter in voters:
            voter.close()
        return voters, answers

    voters, answers = asyncio.run(crowd())
    courts[0].process.wait()

    _, keys, _ = recount(place)
    assert keys == {key for voter in voters for key in voter.confirmed.values()}, "what was recorded was confirmed"
    assert answers.count(201) > 0
    assert all(answer == 201 or isinstance(answer, ConnectionError) for answer in answers)


@pytest.fixture(scope="module")
def own_server():
    """A database server that may be killed."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.mark.long
def test_votes_outlive_a_kill_of_the_database_and_none_is_stored_twice(own_server, tmp_path):
    place = new_place(own_server)
    courts = [CourtProcess(tmp_path, ITEMS, place) for _ in range(2)]
    secrets = courts[0].invite(JURORS)
    key = read_key(place)
    for court in courts:
        court.start()
    for court in courts:
        court.wait_until_ready()

    async def crowd():
        voters = [Voter(courts[number % 2].port, secret) for number, secret in enumerate(secrets)]
        await connect_all(voters)
        answers = 0
        restarted = None

        def restart():
            own_server.kill()
            own_server.start()

        async def go(voter):
            nonlocal answers, restarted
            for item in courts[0].items:
                status = 503
                while status == 503:  # As a client does: again under the same key.
                    status = await voter.vote(item, key=item)
                    answers += 1
                    if answers == JURORS + 5:
                        restarted = asyncio.create_task(asyncio.to_thread(restart))

        await asyncio.gather(*map(go, voters))
        await restarted
        for voter in voters:
            voter.close()
        return voters

    voters = asyncio.run(crowd())

    places, keys, _ = recount(place)
    assert keys == {vote for voter in voters for vote in voter.confirmed.values()}
    assert len(places) == ITEMS * JURORS
    assert set(places.values()) == {1}
    assert {status for voter in voters for status in voter.refused} <= {503}
    assert_both_agree(courts, place, key)
    for court in courts:
        court.stop()


@pytest.mark.long
def test_while_the_database_is_away_the_court_says_so_and_goes_on_when_it_is_back(own_server, tmp_path):
    place = new_place(own_server)
    with open_bar(tmp_path, samples=2, ledger=place, registry=place, patience_seconds=0.1) as bar:
        item = bar.ask("juror", "GET", "/api/v1/docket").json()["ballot"]["item"]
        vote = {"item": item, "vote": 1}
        own_server.stop()

        assert bar.ask("stranger", "GET", "/api/v1/health").status_code == 200
        for refused in (
            bar.ask("stranger", "GET", "/api/v1/ready"),
            bar.ask("juror", "POST", "/api/v1/votes", json=vote),
            bar.ask("juror", "GET", "/vote", headers={"accept": "text/html"}),
        ):
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0
            assert "postgresql" not in refused.text
        page = bar.ask("juror", "GET", "/vote", headers={"accept": "text/html", "accept-language": "zh"})
        assert "已确认的投票不会丢失" in page.text

        own_server.start()
        assert bar.ask("stranger", "GET", "/api/v1/ready").status_code == 200
        assert bar.ask("juror", "POST", "/api/v1/votes", json=vote).status_code == 201
