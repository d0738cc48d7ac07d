"""The API is what its document says, and nothing that fits the document breaks the server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from doc_scripts import load_script
from drawing import draws
from making_courts import HOST, open_bar
from venire.ledger.checkpoint import create_key

KEPT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "openapi.json"
DOCUMENT = json.loads(KEPT.read_text("utf-8"))
CALLS = sorted((method.upper(), path) for path, item in DOCUMENT["paths"].items() for method in item)
EXAMPLES = draws(8)
VOTERS = {"/api/v1/docket", "/api/v1/votes/undo", "/api/v1/votes/skip", "/api/v1/votes/judgement"}


def test_the_kept_document_is_up_to_date():
    assert KEPT.read_text("utf-8") == load_script("generate_openapi").openapi_text(), (
        "run: python docs/generate_openapi.py"
    )


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openapi")
    create_key(folder / "key")
    with open_bar(folder, signing_key=folder / "key", events=folder / "events.jsonl") as opened:
        for number in range(20):
            body = {"item": "secretmodel-1", "vote": number % 2, "voter_id": f"voter-{number}"}
            opened.ask("operator", "POST", "/api/v1/votes", json=body)
        yield opened


def test_the_served_document_is_the_kept_one(bar):
    assert bar.ask("stranger", "GET", "/api/v1/schema/openapi.json").json() == DOCUMENT


def test_every_call_is_described_and_says_how_problems_look():
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            assert operation["description"], path
            assert "application/problem+json" in operation["responses"]["default"]["content"]


def test_a_time_out_of_range_is_the_callers_mistake(bar):
    body = {"previous_timestamp": "2025-01-01T00:00:00Z", "timestamp": "0001-01-01T00:00:00Z"}

    assert bar.ask("reader", "POST", "/api/v1/evaluate", json=body).status_code == 422


schema = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.mark.hypothesis
@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize("mode", GenerationMode)
def test_nothing_that_a_caller_sends_breaks_the_server(bar, method, path, mode):
    role = "juror" if path in VOTERS else "curator" if path.endswith("/decisions") else "operator"
    operation = schema[path][method]

    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def probe(case):
        said = {"host": HOST, "authorization": f"Bearer {bar.secret(role)}"}
        sent = case.as_transport_kwargs(base_url=f"http://{HOST}")
        headers = {name: value for name, value in sent["headers"].items() if name.lower() not in ("host", "user-agent")}
        answer = bar.http.request(
            sent["method"],
            re.sub("^http://[^/]+", "", sent["url"]),
            params=sent.get("params"),
            json=sent.get("json"),
            content=sent.get("data"),
            headers={**headers, **said},
        )
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code

    try:
        given(case=operation.as_strategy(generation_mode=mode))(probe)()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # A call without parameters cannot be asked wrongly.
