"""The typed client gives what the local functions give."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from making_courts import served, write_samples
from venire.client import Client, ServerError
from venire.domain.curation import Outcome
from venire.errors import UsageError, VenireError
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.votes import Decay, GrandJuryClient, decay_rate
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.trail import trail

START = datetime(2026, 1, 1, tzinfo=UTC)
VOTES = [
    {
        "inference_id": f"secretmodel-{number % 2}",
        "vote": (number * 7 % 5) / 4,
        "voter_id": f"v{number}",
        "vote_time": (START + timedelta(hours=number * 11)).isoformat(),
    }
    for number in range(12)
]
CLOCK_TIMES = [row | {"vote_time": row["vote_time"].removesuffix("+00:00")} for row in VOTES]
LABELLED = [row | {"vote": "good" if row["vote"] > 0.5 else "bad"} for row in VOTES]


@pytest.fixture(scope="module")
def court_and_address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    write_samples(folder / "ledger.sqlite", 3)
    with served(folder) as opened:
        yield opened


def client_for(court_and_address, role):
    court, address = court_and_address
    return Client(address, court.registry.issue(CredentialKind.KEY, role).secret)


@pytest.fixture(scope="module")
def operator(court_and_address):
    with client_for(court_and_address, Role.OPERATOR) as client:
        batch = [
            {"item": vote["inference_id"], **{name: vote[name] for name in ("vote", "voter_id", "vote_time")}}
            for vote in VOTES
        ]
        assert client.vote_all(batch).accepted == len(VOTES)
        yield client


def test_scores_are_those_of_the_local_function(operator, court_and_address):
    court, _ = court_and_address
    for as_of in None, START + timedelta(hours=60):
        expected = score_votes(court.state.tally.frame(), as_of=as_of).frame.sort("inference_id")
        found = sorted(operator.scores(as_of=as_of), key=lambda each: each.inference_id)
        for score, row in zip(found, expected.iter_rows(named=True), strict=True):
            assert score.score == pytest.approx(row["score"], abs=1e-12)
            assert (score.votes, score.last_update) == (row["votes"], row["last_update"])


def test_the_trail_is_that_of_the_local_function(operator, court_and_address):
    court, _ = court_and_address
    frame = court.state.tally.frame()
    expected = trail(frame.filter(frame["inference_id"] == "secretmodel-1"))

    found = list(operator.score_trail("secretmodel-1"))

    assert [each.weight for each in found] == pytest.approx(expected["weight"].to_list())
    assert sum(each.weight for each in found) == pytest.approx(1)


def test_the_six_questions_are_answered_as_they_are_locally(operator):
    local, remote = GrandJuryClient(), operator.analysis
    voters = [f"v{number}" for number in range(8)]
    for ask in (
        lambda client: client.evaluate_model(
            0.72, "2025-01-01T00:00:00Z", [0.9, 0.8, 0.6], timestamp="2025-01-04T00:00:00Z"
        ),
        lambda client: client.vote_histogram(VOTES, duration_minutes=60),
        lambda client: client.vote_histogram(VOTES, duration_minutes=1440, gross=False),
        lambda client: client.vote_histogram(CLOCK_TIMES, duration_minutes=90),
        lambda client: client.vote_completeness(VOTES, voters),
        lambda client: client.vote_completeness(VOTES, voters, ["secretmodel-1", "none"]),
        lambda client: client.vote_completeness(VOTES, voters, gross=True),
        lambda client: client.population_confidence(VOTES, voters),
        lambda client: client.majority_good_votes(LABELLED, good_vote="good"),
        lambda client: client.population_confidence(VOTES, voters, ["secretmodel-1"]),
        lambda client: client.majority_good_votes(VOTES, good_vote=True, threshold=0.4),
        lambda client: client.votes_distribution(VOTES, ["secretmodel-0", "none"]),
    ):
        assert ask(remote) == ask(local)


def test_the_decay_that_a_caller_names_is_that_of_the_answer(operator):
    decay = Decay(decay_rate(0.01, "second"), critical_variance=0.01)
    question = (0.5, "2025-01-01T00:00:00Z", [0.9, 0.8, 0.6])
    remote = GrandJuryClient(operator.analysis.api_key, operator.analysis.base_url, decay=decay)
    found = remote.evaluate_model(*question, timestamp="2025-01-01T00:01:00Z")
    assert found == GrandJuryClient(decay=decay).evaluate_model(*question, timestamp="2025-01-01T00:01:00Z")
    assert (round(found["freshness"], 4), found["ambiguous"]) == (0.4512, True)


def test_lists_are_fetched_page_by_page(operator, court_and_address):
    court, _ = court_and_address

    assert [sample.output_id for sample in operator.samples()] == [f"secretmodel-{number}" for number in range(3)]
    assert [entry.sequence for entry in operator.entries()] == list(range(1, court.state.head.sequence + 1))


def test_a_sample_is_found_by_its_digest(operator):
    row = next(iter(operator.samples()))

    assert operator.sample(row.digest).text == "The answer 0 of SecretModel is fine."


def test_a_juror_votes_skips_and_undoes(court_and_address):
    with client_for(court_and_address, Role.JUROR) as juror:
        item = juror.docket().ballot.item
        receipt = juror.vote(item, 1.0, "good")
        assert receipt.item == item
        with pytest.raises(ServerError) as refused:
            juror.vote(item, 0.0)
        assert refused.value.status == 409
        assert juror.undo().key == receipt.key
        juror.skip(item)
        assert juror.docket().ballot.item != item


def test_a_curator_decides(operator, court_and_address):
    with client_for(court_and_address, Role.CURATOR) as curator:
        waiting = [item.inference_id for item in curator.queue()]
        assert waiting
        decision = curator.decide(waiting[0], Outcome.ACCEPT, "seen")
        assert decision.outcome is Outcome.ACCEPT
        assert waiting[0] not in [item.inference_id for item in curator.queue()]


def test_the_audit_and_its_proofs_come_as_records(operator):
    audit = operator.audit()

    assert audit.intact
    assert operator.proof(1).proof.sequence == 1


def test_a_refusal_says_why(court_and_address):
    _, address = court_and_address
    with Client(address, "vk_wrong") as client, pytest.raises(ServerError, match="is unknown") as refused:
        client.overview()
    assert refused.value.status == 401


def test_no_server_is_said_as_such():
    with Client("http://127.0.0.1:1", "k") as client, pytest.raises(ServerError, match="does not answer"):
        client.overview()


def test_a_connection_that_was_closed_is_opened_again(operator):
    operator.close()

    assert operator.overview().samples == 3


@pytest.mark.parametrize("address", ["ftp://user:hunter2@host", "http://user:hunter2@127.0.0.1:1", "//user:hunter2@x"])
def test_a_password_in_an_address_is_never_repeated(address):
    with pytest.raises(VenireError) as refused:
        Client(address, "vk_key").overview()

    assert "hunter2" not in str(refused.value)
    assert "vk_key" not in str(refused.value)


@pytest.mark.parametrize(
    "make", [lambda url, **more: Client(url, "vk_key", **more), partial(GrandJuryClient, "vk_key")]
)
def test_a_key_goes_over_plain_http_to_this_machine_only(make):
    with pytest.raises(UsageError, match=r"refused to send a key over plain http to jury\.example") as refused:
        make("http://jury.example:8600")
    assert "insecure_http=True" in refused.value.hint

    make("http://jury.example:8600", insecure_http=True)
    make("https://jury.example")
    for here in ("http://127.0.0.1:8600", "http://localhost:8600", "http://[::1]:8600"):
        make(here)
