"""Questions about votes that a server answers."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from venire.errors import UsageError, VenireError
from venire.votes import Decay, GrandJuryClient

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


@pytest.fixture(params=["here", "there"])
def client(request):
    return (
        GrandJuryClient(base_url=request.getfixturevalue("server")[0])
        if request.param == "there"
        else GrandJuryClient()
    )


def test_a_server_gives_the_same_answers(server):
    address, handler = server
    here, there = GrandJuryClient(), GrandJuryClient(api_key="secret", base_url=address)
    fixed = {"previous_timestamp": "2025-01-01T00:00:00Z", "timestamp": "2025-01-02T00:00:00Z"}
    for ask in (
        lambda client: client.evaluate_model(0.5, votes=[1.0, 0.5], **fixed),
        lambda client: client.vote_histogram(DATA, 30, gross=False),
        lambda client: client.vote_completeness(DATA, [101, 102, 103], [1, 2]),
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
