"""A model that is not there: the server's list of models is named in the error, up to a limit."""

import asyncio
from types import SimpleNamespace

import msgspec
import pytest

from venire.judges.endpoint import EndpointOptions
from venire.judges.model_list import lacks_model, with_models
from venire.judges.provider import Reply

OPTIONS = EndpointOptions(base_url="http://judge.example:8000/v1")
MISSED = Reply(None, status=404, error="HTTP 404", error_kind="bad_request")


def answered(body, error=None, model="gpt"):
    asked = []

    async def get(url):
        asked.append(url)
        return SimpleNamespace(body=body, error=error)

    reply = asyncio.run(with_models(MISSED, model, SimpleNamespace(get=get), OPTIONS, "/models"))
    assert asked == ["http://judge.example:8000/v1/models"]
    assert reply == msgspec.structs.replace(MISSED, error=reply.error)
    return reply.error


def listing(*names):
    return msgspec.json.encode({"data": [{"id": name} for name in names]})


def test_models_that_the_server_has_are_named():
    error = answered(listing("alpha", "be\x1bta"))
    assert error.code == "error.judge.model_not_there"
    assert error.values == {"status": 404, "model": "gpt", "host": "judge.example:8000", "known": ("alpha", "beta")}


@pytest.mark.parametrize(("count", "shown"), [(20, 20), (21, 21)])
def test_twenty_models_are_named_and_more_are_hinted_at(count, shown):
    known = answered(listing(*(f"m{number}" for number in range(count)))).values["known"]
    assert len(known) == shown
    assert known[-1] == ("m19" if count == 20 else "…")
    assert known[19] == "m19"


def test_long_names_are_cut():
    assert answered(listing("x" * 81)).values["known"] == ("x" * 80,)


@pytest.mark.parametrize("body", [b"no json", b"{}", b"\xff", b'{"data": []}', listing("gpt", "other")])
def test_without_a_list_or_with_the_model_on_it_the_address_is_doubted(body):
    error = answered(body)
    assert error.code == "error.judge.nothing_there"
    assert error.values == {"words": "HTTP 404", "url": "http://judge.example:8000/v1"}


@pytest.mark.parametrize("status", [405, 501])
def test_a_server_that_takes_no_post_is_not_asked_for_its_models(status):
    reply = Reply(None, status=status, error=f"HTTP {status}", error_kind="bad_request")
    assert lacks_model(reply)
    told = asyncio.run(with_models(reply, "gpt", None, OPTIONS, "/models"))
    assert told.error.code == "error.judge.nothing_there"
    assert told.error.values == {"words": f"HTTP {status}", "url": "http://judge.example:8000/v1"}


def test_a_list_that_cannot_be_had_is_none():
    assert answered(listing("alpha"), error="refused").code == "error.judge.nothing_there"
