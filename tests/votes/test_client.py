"""The client that users of the grandjury package know: here, and the same from a server."""

import json
import math
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire import votes
from venire.errors import UsageError
from venire.votes import Decay, GrandJuryClient, decay_rate

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
        decay = Decay(
            question.pop("decay_per_second", Decay().rate_per_second),
            critical_variance=question.pop("critical_variance", 0.05),
        )
        local = GrandJuryClient(decay=decay)
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


def test_what_is_no_time_is_refused():
    with pytest.raises(UsageError, match="ISO 8601, found 'soon'"):
        GrandJuryClient().evaluate_model(previous_timestamp="soon", votes=[1])


@pytest.fixture
def in_shanghai(monkeypatch):
    """Put this machine into another zone."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_shanghai")
def test_a_time_without_a_zone_is_local_time():
    found = GrandJuryClient().evaluate_model(
        0.72, "2025-01-01T00:00:00Z", [0.9, 0.8, 0.6], timestamp="2025-01-04T08:00:00"
    )
    assert round(found["score"], 4) == 0.7321
    assert found["timestamp"] == "2025-01-04T00:00:00.000000Z"


def test_a_time_without_a_zone_is_the_assumed_zones():
    found = GrandJuryClient(assume_zone="Asia/Shanghai").evaluate_model(
        0.5, "2025-01-01T00:00:00", [1.0], timestamp="2025-01-04T08:00:00"
    )
    assert found["timestamp"] == "2025-01-04T00:00:00.000000Z"
    assert round(found["freshness"], 4) == round(1 - math.exp(-0.1 * (3 + 8 / 24)), 4)


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_all_calls_take_all_kinds_of_data(make):
    client, data = GrandJuryClient(), make(DATA)
    assert client.vote_histogram(data) == {"2024-07-07 19:00:00": 2, "2024-07-07 20:00:00": 1}
    assert client.vote_histogram(data, duration_minutes=60, gross=False) == {
        "1": {"2024-07-07 19:00:00": 2},
        "2": {"2024-07-07 20:00:00": 1},
    }
    assert client.vote_completeness(data, [101, 102], [1, 2, 3]) == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert client.vote_completeness(data, [101, 102, 103], [2], gross=True) == pytest.approx(1 / 3)
    assert client.vote_completeness(data, [101, 102]) == 1.0
    assert client.population_confidence(data, [101, 102], [1]) == {"1": 1.0}
    assert client.majority_good_votes(data) == {"count": 1}
    assert client.majority_good_votes(data, good_vote="false") == {"count": 1}
    assert client.votes_distribution(data) == {"1": 2, "2": 1}


def notebook_row(inference, vote, voter, time):
    return {
        "inference_id": inference, "input": f"input{inference}", "output": f"output{inference}", "vote": vote,
        "inference_time": "2024-07-06T19:22:30.608736", "voter_id": voter, "vote_time": time, "voter_prompt_id": 0,
    }  # fmt: skip


NOTEBOOK = [
    notebook_row(1, True, 101, "2024-07-07T19:22:30.608761"),
    notebook_row(2, True, 102, "2024-07-07T19:22:30.608770"),
    notebook_row(3, True, 101, "2024-08-06T19:22:30.608777"),
    notebook_row(3, False, 102, "2024-08-06T19:22:30.608784"),
    notebook_row(3, None, 103, "2024-08-06T19:22:30.608790"),
    notebook_row(4, False, 101, "2024-10-06T19:22:30.608796"),
    notebook_row(4, False, 102, "2024-10-06T19:22:30.608803"),
]
"""The votes of the notebook in which the maintainers of `grandjury` try their server; below are its answers."""


LISTED = [101, 102, 103, 104]


@pytest.fixture(params=["here", "there"])
def client(request):
    return (
        GrandJuryClient(base_url=request.getfixturevalue("server")[0])
        if request.param == "there"
        else GrandJuryClient()
    )


@pytest.fixture(params=[list, pd.DataFrame, pl.DataFrame, "votes.csv", "votes.parquet"])
def notebook(request, tmp_path):
    """The votes of the notebook as the package takes them: records, frames and files."""
    if not isinstance(request.param, str):
        return request.param(NOTEBOOK)
    frame, path = pd.DataFrame(NOTEBOOK), tmp_path / request.param
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path, index=False)
    return path


def test_the_answers_are_those_that_the_packages_notebook_prints(client, notebook):
    assert client.vote_histogram(notebook, duration_minutes=120, gross=True) == {
        "2024-07-07 18:00:00": 2,
        "2024-08-06 18:00:00": 3,
        "2024-10-06 18:00:00": 2,
    }
    each = {"1": 0.25, "2": 0.25, "3": 0.75, "4": 0.5}
    assert client.vote_completeness(notebook, LISTED, inference_ids=[1, 2, 3, 4], gross=False) == each
    assert client.vote_completeness(notebook, LISTED, gross=True) == 0.75
    assert client.vote_completeness(notebook, LISTED) == 0.75
    assert client.population_confidence(notebook, LISTED, inference_ids=[1, 2, 3, 4]) == each
    assert client.population_confidence(notebook, LISTED) == 0.75
    assert client.majority_good_votes(notebook, good_vote=True, threshold=0.5) == {"count": 2}
    assert client.majority_good_votes(notebook, good_vote=True, threshold=0.3) == {"count": 3}
    assert list(client.votes_distribution(notebook).items())[:2] == [("3", 3), ("4", 2)]
    assert client.votes_distribution(notebook) == {"1": 1, "2": 1, "3": 3, "4": 2}
    assert client.votes_distribution(notebook, inference_ids=[1]) == {"1": 1}


@pytest.mark.parametrize(
    ("question", "score"),
    [
        ((0.5, [0.8, 0.6, 0.9, 0.7, 0.5], [1.0, 0.8, 1.2, 0.9, 0.7]), 0.7261),
        ((0.7, [0.9, 0.8, 0.6], [1.0, 1.0, 0.8]), 0.7786),
        ((0.0, [1.0, 0.8], [1.0, 1.0]), 0.9),
    ],
)
def test_the_notebooks_scores_come_out_with_a_decay_of_a_hundredth_per_second(server, question, score):
    decay = Decay(decay_rate(0.01, "second"))
    previous, cast, reputations = question
    for client in (GrandJuryClient(decay=decay), GrandJuryClient(base_url=server[0], decay=decay)):
        found = client.evaluate_model(previous_score=previous, votes=cast, reputations=reputations)
        assert list(found)[:3] == ["score", "freshness", "timestamp"]
        assert (round(found["score"], 4), round(found["freshness"], 4)) == (score, 1.0)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", found["timestamp"])


def test_every_row_counts_as_often_as_it_is_there(client):
    assert client.votes_distribution(NOTEBOOK * 100)["3"] == 300
    assert sum(client.vote_histogram(NOTEBOOK * 100, 90).values()) == 700


def test_labels_can_be_good_votes(client):
    data = [row | {"vote": {True: "good", False: "bad", None: None}[row["vote"]]} for row in NOTEBOOK]
    assert client.majority_good_votes(data, good_vote="good") == {"count": 2}
    assert client.majority_good_votes(data, good_vote="superb") == {"count": 0}


def test_whether_a_label_is_good_is_not_guessed():
    with pytest.raises(UsageError, match="from 0 to 1, true or false, found 'bad'"):
        GrandJuryClient().majority_good_votes([DATA[0] | {"vote": "bad"}])


def test_buckets_have_the_clock_of_times_without_a_zone_and_utc_for_those_with_one(client):
    zoned = [DATA[0] | {"vote_time": "2024-07-07T19:22:30+08:00"}]
    naive = [DATA[0] | {"vote_time": "2024-07-07T19:22:30"}]
    assert client.vote_histogram(zoned) == {"2024-07-07 11:00:00": 1}
    assert client.vote_histogram(naive) == {"2024-07-07 19:00:00": 1}
    with pytest.raises(UsageError, match="1 of 2 rows are not votes; row 2: vote_time has no zone") as caught:
        client.vote_histogram(zoned + naive)
    assert "assume_zone" in caught.value.hint


def test_the_address_and_the_key_of_a_client_can_be_read():
    client = GrandJuryClient(api_key="k", base_url="http://localhost:8000/")
    assert (client.api_key, client.base_url) == ("k", "http://localhost:8000/api/v1")
    assert GrandJuryClient().base_url is None


def test_files_are_taken_too(tmp_path):
    pl.DataFrame(DATA).write_csv(tmp_path / "votes.csv")
    assert GrandJuryClient().votes_distribution(str(tmp_path / "votes.csv"), inference_ids=[1]) == {"1": 2}


def test_rows_that_are_no_votes_are_not_passed_over_in_silence():
    with pytest.raises(UsageError, match=r"1 of 2 rows are not votes; row 2: voter_id is missing"):
        GrandJuryClient().votes_distribution([DATA[0], DATA[1] | {"voter_id": None}])


def test_what_is_no_vote_from_0_to_1_is_neither_good_nor_bad():
    with pytest.raises(UsageError, match="votes from 0 to 1, true or false, found '3'"):
        GrandJuryClient().majority_good_votes([DATA[0], DATA[1] | {"vote": 3}])
    assert GrandJuryClient().majority_good_votes([DATA[0], DATA[1] | {"vote": 3}], good_vote=3, threshold=0.4) == {
        "count": 1
    }


def test_a_good_vote_that_is_none_is_refused():
    with pytest.raises(UsageError, match="good vote"):
        GrandJuryClient().majority_good_votes(DATA, good_vote="lovely")


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
