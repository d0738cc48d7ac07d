"""Targets behind a JSON endpoint: what is posted, where the output is found, and what keys are kept from."""

import asyncio
import json

import pytest
from aiohttp import web

from experiment import serving
from venire.domain.output import Case, OutputPlace, PlannedOutput, PromptText
from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.targets.http_endpoint import HttpOptions, HttpProvider, create
from venire.targets.registry import create_target

REQUEST = Request(
    "m-1", "Be kind.", "Hi é", Decoding(), {}, may_be_empty=True,
    planned=PlannedOutput(
        OutputPlace("q1-a-bot", "q1", "a", "bot"), Case("q1", {"x": "é", "prompt": "a column"}), PromptText("", ("Hi",))
    ),
)  # fmt: skip


class Endpoint:
    """Answers each request alike, and keeps what it was sent."""

    def __init__(self, answer, status=200):
        self.answer, self.status, self.seen, self.headers = answer, status, None, None

    async def take(self, http):
        self.seen, self.headers = await http.json(), http.headers
        body = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        return web.Response(body=body, status=self.status)

    def ask(self, environment=None, **options):
        async def once():
            app = web.Application()
            app.router.add_post("/run", self.take)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port = site._server.sockets[0].getsockname()[1]
            provider = HttpProvider(HttpOptions(url=f"http://127.0.0.1:{port}/run", **options), environment or {})
            try:
                return await provider.ask(REQUEST)
            finally:
                await provider.close()
                await runner.cleanup()

        return asyncio.run(once())


def test_without_a_body_of_ones_own_prompt_messages_and_case_are_posted():
    endpoint = Endpoint({"output": "fine"})
    reply = endpoint.ask()
    assert (reply.text, reply.error, reply.status) == ("fine", None, 200)
    assert reply.body == b'{"output": "fine"}'
    assert reply.latency_seconds > 0
    assert endpoint.seen == {
        "prompt": "Hi é",
        "system": "Be kind.",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi é"}],
        "case": {"id": "q1", "x": "é", "prompt": "a column"},
    }


def test_texts_of_a_body_hold_variables_and_one_alone_gives_its_value():
    endpoint = Endpoint({"output": "fine"})
    endpoint.ask(body={"a": "{{messages}}", "b": ["<{{x}}>", 7, None], "c": {"d": "{{ id }}{{variant}}", "e": "plain"}})
    assert endpoint.seen["a"][0]["role"] == "system"
    assert endpoint.seen["b"] == ["<é>", 7, None]
    assert endpoint.seen["c"] == {"d": "q1a", "e": "plain"}


@pytest.mark.parametrize(
    ("answer", "path", "text"),
    [
        ({"choices": [{"text": "no"}, {"text": "yes"}]}, "choices.1.text", "yes"),
        ({"choices": ["no"]}, "choices.1", None),
        ({"choices": ["no"]}, "choices.-1", None),
        ({"output": 7}, "output", None),
        ({"output": "x"}, "output.0", None),
        (["first"], "0", "first"),
    ],
)
def test_the_output_is_looked_for_where_the_configuration_says(answer, path, text):
    reply = Endpoint(answer).ask(answer=path)
    assert reply.text == text
    if text is None:
        assert reply.error.code == "error.target.no_answer_there"
        assert reply.error.values["path"] == path


def test_a_wrong_place_is_told_with_those_that_hold_texts():
    places = Endpoint({"reply": {"text": "a", "n": 1}, "more": ["b"], "ok": True}).ask(answer="reply.txt").error
    assert places.values["texts"] == ("reply.text", "more.0")
    many = Endpoint([str(number) for number in range(9)]).ask(answer="text").error
    assert many.values["texts"] == ("0", "1", "2", "3", "4")
    deep = Endpoint({"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": "x"}}}}}}}}).ask(answer="text").error
    assert deep.values["texts"].code == "problem.none"


def test_tokens_are_counted_by_either_name():
    ours = Endpoint({"output": "a", "usage": {"input_tokens": 3, "output_tokens": 4}}).ask()
    theirs = Endpoint({"output": "a", "usage": {"prompt_tokens": 5, "completion_tokens": 6}}).ask()
    unknown = Endpoint({"output": "a"}).ask()
    assert (ours.input_tokens, ours.output_tokens) == (3, 4)
    assert (theirs.input_tokens, theirs.output_tokens) == (5, 6)
    assert (unknown.input_tokens, unknown.output_tokens) == (None, None)


def test_what_is_no_json_or_an_error_is_no_output():
    assert Endpoint(b"<html>").ask().text is None
    refused = Endpoint({"output": "never read"}, status=500).ask()
    assert (refused.text, refused.status, refused.error_kind) == (None, 500, "server")


def test_an_answer_is_read_up_to_its_limit():
    whole = json.dumps({"output": "x" * 50}).encode()
    assert Endpoint(whole).ask(max_reply_bytes=len(whole)).text == "x" * 50
    longer = Endpoint(whole).ask(max_reply_bytes=len(whole) - 1)
    assert (longer.text, longer.error_kind, longer.body) == (None, "malformed", whole[:-1])
    assert (longer.error.code, longer.error.values["count"]) == ("error.target.answer_too_long", len(whole) - 1)


@pytest.mark.parametrize("kind", ["openai_compatible", "anthropic_compatible"])
def test_the_beginning_of_an_envelope_is_no_output_of_a_model_either(kind):
    async def once(made):
        try:
            return await made.ask(REQUEST)
        finally:
            await made.close()

    with serving() as server:
        target = create_target(kind, {"base_url": server.base_url, "max_reply_bytes": 20})
        reply = asyncio.run(once(target))
    assert (reply.text, reply.error_kind, len(reply.body)) == (None, "malformed", 20)
    assert reply.error.code == "error.target.answer_too_long"


def test_variables_of_headers_are_filled_and_kept_out_of_errors():
    secrets = {"TOKEN": " sk-0123456789abcdef ", "TEAM": "blue"}
    headers = {"Authorization": "Bearer ${TOKEN}", "X-Team": "${TEAM}-${TEAM}", "X-Plain": "1"}
    endpoint = Endpoint({"error": {"message": "bad key sk-0123456789abcdef"}}, status=401)
    reply = endpoint.ask(secrets, headers=headers)
    assert endpoint.headers["Authorization"] == "Bearer sk-0123456789abcdef"
    assert endpoint.headers["X-Team"] == "blue-blue"
    assert endpoint.headers["X-Plain"] == "1"
    assert b"bad key [key]" in reply.body
    assert "0123456789" not in f"{reply.error} {reply.body}"


@pytest.mark.parametrize(
    ("value", "code"),
    [(None, "error.judge.no_key"), ("  ", "error.judge.no_key"), ("clé", "error.judge.key_signs"),
     ("a\x00b", "error.judge.key_signs")],
)  # fmt: skip
def test_a_variable_that_is_not_set_or_no_header_is_named_without_its_value(value, code):
    environment = {} if value is None else {"TOKEN": value}
    with pytest.raises(ConfigError) as caught:
        HttpProvider(HttpOptions(url="http://127.0.0.1/", headers={"A": "${TOKEN}"}), environment)
    assert caught.value.message.code == code
    assert caught.value.values == {"variable": "TOKEN"}


@pytest.mark.parametrize("url", ["ftp://a/", "http://", "http://a:0/", "http://a:99999/", "a/b", "http://me:pw@a/",
                                 "http://me@a/"])  # fmt: skip
def test_an_address_that_is_none_is_refused_without_its_password(url):
    with pytest.raises(ConfigError) as caught:
        create({"url": url})
    assert caught.value.message.code == "error.target.url"
    assert "me" not in caught.value.values["found"]


@pytest.mark.parametrize(
    ("url", "terms", "sent"),
    [
        ("http://example.org/", {}, False),
        ("http://example.org/", {"insecure_http": True}, True),
        ("https://example.org/", {}, True),
        ("http://localhost:8000/", {}, True),
    ],
)
def test_secrets_are_sent_over_plain_http_to_this_machine_only(url, terms, sent):
    def provider(headers):
        return HttpProvider(HttpOptions(url=url, headers=headers, **terms), {"TOKEN": "t"})

    assert provider({"A": "public"})
    if sent:
        assert provider({"A": "${TOKEN}"})
        return
    with pytest.raises(ConfigError) as caught:
        provider({"A": "${TOKEN}"})
    assert caught.value.message.code == "error.judge.key_over_http"
    assert caught.value.values == {"variable": "TOKEN", "host": "example.org"}


def test_a_template_that_is_not_closed_is_named_by_its_place():
    with pytest.raises(ConfigError) as caught:
        create({"url": "http://a/", "body": {"a": {"b": "{{x"}}})
    assert "body.a.b" in caught.value.where
