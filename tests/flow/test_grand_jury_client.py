"""The client that users of the grandjury package know: here, and the same from a server."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire import votes
from venire.errors import UsageError, VenireError
from venire.votes import GrandJuryClient

DATA = [
    {"inference_id": 1, "vote": True, "voter_id": 101, "vote_time": "2024-07-07T19:22:30Z"},
    {"inference_id": 1, "vote": True, "voter_id": 102, "vote_time": "2024-07-07T19:30:00Z"},
    {"inference_id": 2, "vote": False, "voter_id": 101, "vote_time": "2024-07-07T20:15:00Z"},
]


class Answering(BaseHTTPRequestHandler):
    """A server that answers with the local client what is asked of it."""

    asked: ClassVar[list[tuple[str, str | None]]]
    status = 200

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append((self.path, self.headers["Authorization"]))
        local = GrandJuryClient()
        routes = {
            "/api/v1/evaluate": local.evaluate_model,
            "/api/v1/verdict/histogram": local.vote_histogram,
            "/api/v1/verdict/completeness": local.vote_completeness,
            "/api/v1/verdict/population-confidence": local.population_confidence,
            "/api/v1/verdict/majority-good": local.majority_good_votes,
            "/api/v1/verdict/votes-distribution": local.votes_distribution,
        }
        body = json.dumps(routes[self.path](**question)).encode()
        self.send_response(type(self).status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    class Own(Answering):
        asked: ClassVar[list[tuple[str, str | None]]] = []

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Own)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}", Own
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_the_worked_example_through_the_client():
    result = GrandJuryClient().evaluate_model(
        previous_score=0.72, previous_timestamp="2025-01-01T00:00:00Z", votes=[0.9, 0.8, 0.6],
        reputations=[1.0, 1.0, 1.0], timestamp="2025-01-04T00:00:00Z",
    )  # fmt: skip
    assert round(result["score"], 4) == 0.7321
    assert round(result["freshness"], 4) == 0.2592
    assert result["ambiguous"] is False


def test_votes_that_diverge_are_ambiguous():
    result = GrandJuryClient().evaluate_model(votes=[1, 0, 0])
    assert round(result["variance"], 4) == 0.2222
    assert result["ambiguous"] is True


def test_without_votes_the_score_stays():
    result = GrandJuryClient().evaluate_model(previous_score=0.4)
    assert (result["score"], result["freshness"], result["votes"]) == (0.4, 0.0, 0)


def test_reputations_must_fit_the_votes():
    with pytest.raises(UsageError, match="reputation for each"):
        GrandJuryClient().evaluate_model(votes=[1, 0], reputations=[1])


@pytest.mark.parametrize("moment", ["2025-01-01T00:00:00", "soon"])
def test_a_previous_time_must_have_a_zone(moment):
    with pytest.raises(UsageError, match="vote_time"):
        GrandJuryClient().evaluate_model(previous_timestamp=moment, votes=[1])


def test_a_time_without_zone_is_taken_where_a_zone_is_assumed():
    client = GrandJuryClient(assume_zone="UTC")
    assert client.evaluate_model(0.5, "2025-01-01T00:00:00", [1.0])["score"] > 0.5


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_all_calls_take_all_kinds_of_data(make):
    client, data = GrandJuryClient(), make(DATA)
    assert client.vote_histogram(data) == {
        "2024-07-07T19:00:00+00:00": 2,
        "2024-07-07T20:00:00+00:00": 1,
    }
    assert client.vote_histogram(data, duration_minutes=60, gross=False)["2"] == {
        "2024-07-07T19:00:00+00:00": 0,
        "2024-07-07T20:00:00+00:00": 1,
    }
    assert client.vote_completeness(data, [101, 102]) == {"1": 1.0, "2": 0.5}
    assert client.vote_completeness(data, [101, 102], gross=True) == 0.75
    assert client.population_confidence(data, [101, 102], [1]) == {"1": 1.0}
    assert client.majority_good_votes(data) == {"1": 2}
    assert client.majority_good_votes(data, good_vote="false") == {"2": 1}
    assert client.votes_distribution(data) == {"1": 2, "2": 1}


def test_files_are_taken_too(tmp_path):
    pl.DataFrame(DATA).write_csv(tmp_path / "votes.csv")
    assert GrandJuryClient().votes_distribution(str(tmp_path / "votes.csv"), inference_ids=[1]) == {"1": 2}


def test_rows_that_are_no_votes_are_not_passed_over_in_silence():
    with pytest.raises(UsageError, match=r"row 2: vote is outside"):
        GrandJuryClient().votes_distribution([DATA[0], DATA[1] | {"vote": 3}])


def test_a_good_vote_that_is_none_is_refused():
    with pytest.raises(UsageError, match="good vote"):
        GrandJuryClient().majority_good_votes(DATA, good_vote="lovely")


def test_a_server_gives_the_same_answers(server):
    address, handler = server
    here, there = GrandJuryClient(), GrandJuryClient(api_key="secret", base_url=address)
    fixed = {"previous_timestamp": "2025-01-01T00:00:00Z", "timestamp": "2025-01-02T00:00:00Z"}
    for ask in (
        lambda client: client.evaluate_model(0.5, votes=[1.0, 0.5], **fixed),
        lambda client: client.vote_histogram(DATA, 30, gross=False),
        lambda client: client.vote_completeness(DATA, [101, 102, 103]),
        lambda client: client.vote_completeness(DATA, [101], gross=True),
        lambda client: client.population_confidence(DATA, [101, 102, 103]),
        lambda client: client.majority_good_votes(DATA, threshold=0.9),
        lambda client: client.votes_distribution(DATA, [1, 3]),
    ):
        assert ask(there) == ask(here)
    assert all(key == "Bearer secret" for _, key in handler.asked)
    assert len(handler.asked) == 7


def test_the_path_of_the_interface_is_added_only_once(server):
    address, handler = server
    GrandJuryClient(base_url=f"{address}/api/v1/").votes_distribution(DATA)
    assert handler.asked[0][0] == "/api/v1/verdict/votes-distribution"


def test_a_server_that_fails_is_an_error_that_says_so(server):
    address, handler = server
    handler.status = 503
    with pytest.raises(VenireError, match="found 503"):
        GrandJuryClient(base_url=address).votes_distribution(DATA)


def test_a_server_that_is_not_there_is_an_error_that_offers_the_local_way():
    with pytest.raises(VenireError, match="base_url"):
        GrandJuryClient(base_url="http://127.0.0.1:9").votes_distribution(DATA)


def test_what_is_no_address_is_refused():
    with pytest.raises(UsageError, match="address of a server"):
        GrandJuryClient(base_url="localhost")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (list, pl.DataFrame),
        (pl.DataFrame, pl.DataFrame),
        (pd.DataFrame, pd.DataFrame),
        (pa.Table.from_pylist, pa.Table),
    ],
)
def test_answers_come_in_the_frames_of_the_caller(make, kind):
    data = make(DATA)
    assert isinstance(votes.score_votes(data).frame, kind)
    assert isinstance(votes.vote_histogram(data).frame, kind)
    assert isinstance(votes.vote_completeness(data).by_voter, kind)
    assert isinstance(votes.population_confidence(data, [101, 102]).frame, kind)
    assert isinstance(votes.majority_good_votes(data).frame, kind)
    assert isinstance(votes.votes_distribution(data).frame, kind)
    assert isinstance(votes.crowd_truth(data).units, kind)
    assert isinstance(votes.vote_bursts(data).frame, kind)
    assert isinstance(votes.duplicate_ballots(data).repeated, kind)
    assert isinstance(votes.voter_reliability(data).frame, kind)


def test_answers_are_frozen():
    with pytest.raises(AttributeError):
        votes.score_votes(DATA).frame = None


def test_the_public_names_are_sorted_and_there():
    assert votes.__all__ == sorted(votes.__all__)
    assert all(hasattr(votes, name) for name in votes.__all__)


def test_agreement_of_voters_is_known_with_an_interval():
    data = [
        {"inference_id": item, "vote": item % 2, "voter_id": voter, "vote_time": "2024-07-07T19:22:30Z"}
        for item in range(8)
        for voter in range(3)
    ]
    assert votes.voter_agreement(data, replicates=100).value == pytest.approx(1.0)


def test_scores_mix_prompts_only_where_asked():
    data = [row | {"voter_prompt_id": str(number)} for number, row in enumerate(DATA)]
    assert votes.score_votes(data).frame.height == 3
    assert votes.score_votes(data, mix=["voter_prompt_id"]).frame.height == 2


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, lambda given: pd.Series(given).to_numpy(), pa.array])
def test_a_batch_may_be_a_column_of_any_library(kind):
    when = {"previous_timestamp": "2025-01-01T00:00:00Z", "timestamp": "2025-01-04T00:00:00Z"}
    found = GrandJuryClient().evaluate_model(
        0.72, votes=kind([0.9, 0.8, 0.6]), reputations=kind([1.0, 1.0, 1.0]), **when
    )
    assert round(found["score"], 4) == 0.7321


def test_none_is_no_vote_and_leaves_its_reputation_aside():
    when = {"previous_timestamp": "2025-01-01T00:00:00Z", "timestamp": "2025-01-04T00:00:00Z"}
    client = GrandJuryClient()
    assert client.evaluate_model(0.72, votes=[None, 1, 0], reputations=[9, 1, 3], **when) == client.evaluate_model(
        0.72, votes=[1, 0], reputations=[1, 3], **when
    )


@pytest.mark.parametrize(("votes", "reputations"), [(["x"], None), ([1], ["x"]), ([[1]], None)])
def test_what_is_no_number_in_a_batch_is_told(votes, reputations):
    with pytest.raises(UsageError, match="as a number, found"):
        GrandJuryClient().evaluate_model(0.5, votes=votes, reputations=reputations)
