import asyncio
import base64
import json
import re
import socket
from contextlib import asynccontextmanager

import pytest

from judge_server import JudgeServer
from venire.errors import ConfigError
from venire.judges.endpoint import cut_off
from venire.judges.http.sender import HttpAnswer
from venire.judges.provider import Attachment, Decoding, Request
from venire.judges.registry import create_provider

KEY = "sk-very-secret-0123456789"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
BOTH = pytest.mark.parametrize("kind", ["openai_compatible", "anthropic_compatible"])


def make_request(**changes):
    values = {"model": "m-1", "system": "Judge.", "user": "Text.", "decoding": Decoding(), "reply_schema": SCHEMA}
    return Request(**(values | changes))


@asynccontextmanager
async def judge(kind, script=None, **options):
    async with JudgeServer(script) as server:
        provider = create_provider(kind, {"base_url": server.base_url, **options})
        try:
            yield provider, server
        finally:
            await provider.close()


def ask(kind, script=None, request=None, **options):
    """Ask once and return the reply and the request that the server saw."""

    async def run():
        async with judge(kind, script, **options) as (provider, server):
            reply = await provider.ask(request or make_request())
            return reply, server.requests[-1]

    return asyncio.run(run())


@BOTH
def test_a_good_answer_carries_text_usage_model_and_raw_bytes(kind):
    reply, _ = ask(kind, [{"fault": "none", "text": '{"score": 1}'}])
    assert (reply.text, reply.error, reply.error_kind, reply.status) == ('{"score": 1}', None, None, 200)
    assert (reply.input_tokens, reply.output_tokens, reply.model) == (4, 4, "m-1")
    assert reply.finish_reason in {"stop", "end_turn"}
    assert json.loads(reply.body)["model"] == "m-1"
    assert reply.latency_seconds > 0


def test_further_fields_are_sent_with_every_request():
    _, seen = ask("vllm", extra_body={"chat_template_kwargs": {"enable_thinking": False}})
    assert seen["body"]["chat_template_kwargs"] == {"enable_thinking": False}
    assert seen["body"]["model"] == "m-1"


@BOTH
def test_stop_sequences_are_sent_in_the_words_of_the_server(kind):
    field = "stop_sequences" if kind == "anthropic_compatible" else "stop"
    _, seen = ask(kind, extra_body={field: ["\n\n\n"]})
    assert seen["body"][field] == ["\n\n\n"]


@BOTH
def test_a_further_field_may_not_replace_one_of_ours(kind):
    with pytest.raises(ConfigError, match="`extra_body` holds model, max_tokens"):
        create_provider(kind, {"base_url": "http://127.0.0.1:9", "extra_body": {"max_tokens": 1, "model": "x"}})


@BOTH
@pytest.mark.parametrize(
    ("step", "error_kind", "words"),
    [
        ({"fault": "status", "status": 429}, "rate_limited", "HTTP 429: as the script says"),
        ({"fault": "status", "status": 429, "message": "insufficient_quota"}, "quota", "HTTP 429: insufficient_quota"),
        ({"fault": "status", "status": 402, "message": "top up"}, "quota", "HTTP 402: top up"),
        ({"fault": "body", "body": " "}, "malformed", "the answer is empty"),
        ({"fault": "status", "status": 500}, "server", "HTTP 500: as the script says"),
        ({"fault": "status", "status": 529}, "server", "HTTP 529: as the script says"),
        ({"fault": "status", "status": 401}, "auth", "HTTP 401"),
        ({"fault": "status", "status": 400, "message": "too\nlong\x1b[31m"}, "bad_request", "HTTP 400: too long[31m"),
        ({"fault": "status", "status": 302}, "bad_request", "HTTP 302, a redirect, which is not followed"),
        ({"fault": "reset"}, "connection", "the server closed the connection"),
        ({"fault": "reset_in_body"}, "connection", "the answer ended before it was complete"),
        ({"fault": "not_http"}, "malformed", "the answer is not HTTP"),
        (
            {"fault": "body", "body": "<html>"},
            "malformed",
            "the answer is a web page, not JSON; check base_url, or a proxy in front of the server",
        ),
        ({"fault": "body", "body": '{"usage": ' + "[" * 100_000}, "malformed", "the answer is not JSON"),
        ({"fault": "body", "body": '{"error": {"message": "busy"}}'}, "malformed", "busy"),
        ({"fault": "body", "body": '{"choices": [], "content": []}'}, "malformed", "the answer has no"),
    ],
)
def test_every_failure_is_a_reply_of_its_kind(kind, step, error_kind, words):
    reply, _ = ask(kind, [step])
    assert (reply.text, reply.error_kind) == (None, error_kind)
    assert words in reply.error


@BOTH
def test_a_stalled_body_is_a_timeout(kind):
    reply, _ = ask(kind, [{"fault": "stall"}], timeout_seconds=1)  # Long enough for the head, however busy the machine.
    assert (reply.error_kind, reply.error, reply.status) == ("timeout", "no whole answer within 1 s", 200)


@BOTH
def test_a_refused_connection_names_the_address(kind):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    async def run():
        provider = create_provider(kind, {"base_url": f"http://127.0.0.1:{port}"})
        reply = await provider.ask(make_request())
        await provider.close()
        return reply

    reply = asyncio.run(run())
    assert reply.error_kind == "connection"
    assert str(port) in reply.error


@BOTH
def test_plain_http_behind_an_https_address_is_a_connection_error(kind):
    async def run():
        async with JudgeServer() as server:
            provider = create_provider(kind, {"base_url": server.base_url.replace("http:", "https:")})
            reply = await provider.ask(make_request())
            await provider.close()
            return reply

    assert asyncio.run(run()).error_kind == "connection"


@BOTH
@pytest.mark.parametrize("text", ["", None])
def test_empty_content_is_malformed(kind, text):
    body = json.dumps(
        {
            "choices": [{"message": {"content": text}, "finish_reason": "length"}],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "length",
        }
    )
    reply, _ = ask(kind, [{"fault": "body", "body": body}])
    assert reply.error_kind == "malformed"
    assert "length" in reply.error


@BOTH
def test_a_refusal_is_the_judges_own_words(kind):
    reply, _ = ask(kind, [{"fault": "refusal"}])
    assert (reply.text, reply.error) == ("I cannot help with that.", None)


@BOTH
def test_a_wrong_model_name_is_reported_as_the_server_says_it(kind):
    reply, _ = ask(kind, [{"fault": "wrong_model"}])
    assert reply.model == "another-model"


@BOTH
def test_an_oversized_answer_is_cut_at_the_limit_and_says_so(kind):
    reply, _ = ask(kind, [{"fault": "oversized", "bytes": 300_000}], max_reply_bytes=100_000)
    assert (reply.error, reply.finish_reason, len(reply.text), reply.body) == (None, "cut", 100_000, b"")
    assert "xxx" in reply.text


@BOTH
def test_the_limit_holds_for_what_a_compressed_answer_unpacks_to(kind):
    reply, _ = ask(kind, [{"fault": "compressed", "bytes": 20_000_000}], max_reply_bytes=100_000)
    assert (reply.error, reply.finish_reason, len(reply.text), reply.body) == (None, "cut", 100_000, b"")


@BOTH
def test_an_answer_of_exactly_the_limit_is_whole(kind):
    size = len(ask(kind, [{"fault": "oversized", "bytes": 1000}])[0].body)
    reply, _ = ask(kind, [{"fault": "oversized", "bytes": 1000}], max_reply_bytes=size)
    assert reply.text == "x" * 1000
    reply, _ = ask(kind, [{"fault": "oversized", "bytes": 1000}], max_reply_bytes=size - 1)
    assert reply.finish_reason == "cut"


@BOTH
def test_retry_after_is_passed_on(kind):
    reply, _ = ask(kind, [{"fault": "status", "status": 429, "retry_after": "7"}])
    assert reply.retry_after_seconds == 7.0


@BOTH
def test_odd_usage_does_not_cost_the_text(kind):
    body = (
        '{"choices": [{"message": {"content": "yes"}}], "content": [{"type": "text", "text": "yes"}], "usage": "many"}'
    )
    reply, _ = ask(kind, [{"fault": "body", "body": body}])
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("yes", None, None)


@BOTH
@pytest.mark.parametrize("status", [401, 400])
def test_a_key_that_the_server_repeats_is_struck_out(kind, status, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    reply, seen = ask(kind, [{"fault": "echo_key", "status": status}], api_key_env="JUDGE_KEY")
    assert KEY in str(seen["headers"])
    assert KEY not in repr(reply)
    assert b"[key]" in reply.body


@BOTH
def test_a_missing_key_variable_is_an_error_that_names_it(kind, monkeypatch):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    with pytest.raises(ConfigError, match="JUDGE_KEY is not set"):
        create_provider(kind, {"base_url": "http://127.0.0.1", "api_key_env": "JUDGE_KEY"})


@BOTH
def test_a_key_written_where_its_variable_belongs_is_not_repeated(kind):
    with pytest.raises(ConfigError, match="name of an environment variable") as raised:
        create_provider(kind, {"base_url": "http://127.0.0.1", "api_key_env": KEY})
    assert KEY not in str(raised.value)


@BOTH
def test_a_key_that_would_split_a_header_is_refused_without_being_shown(kind, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", f"{KEY}\r\nX: y")
    with pytest.raises(ConfigError, match="JUDGE_KEY") as raised:
        create_provider(kind, {"base_url": "http://127.0.0.1", "api_key_env": "JUDGE_KEY"})
    assert KEY not in str(raised.value)


@BOTH
@pytest.mark.parametrize("url", ["ftp://host/", "http://", "http://user:secret@host/", "https://host/?key=secret"])
def test_an_address_that_is_not_plain_is_refused_without_its_secret(kind, url):
    with pytest.raises(ConfigError, match="base_url") as raised:
        create_provider(kind, {"base_url": url})
    assert "secret" not in str(raised.value)


@BOTH
def test_connections_are_kept_open_between_requests(kind):
    async def run():
        async with judge(kind) as (provider, server):
            for _ in range(5):
                await provider.ask(make_request())
            return len(server._runner.server.connections)

    assert asyncio.run(run()) == 1


@BOTH
def test_decoding_parameters_that_are_not_set_are_not_sent(kind):
    request = make_request(decoding=Decoding(max_tokens=9, temperature=None, top_p=0.5))
    body = ask(kind, request=request)[1]["body"]
    assert (body["max_tokens"], body["top_p"]) == (9, 0.5)
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("structured", "expected"),
    [
        ("schema", {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}),
        ("object", {"type": "json_object"}),
        ("none", None),
    ],
)
def test_openai_asks_for_the_structure_that_the_server_can_keep(structured, expected):
    _, seen = ask("openai_compatible", structured=structured)
    assert seen["path"] == "/chat/completions"
    assert seen["body"].get("response_format") == expected


def test_openai_sends_key_seed_and_messages(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    request = make_request(decoding=Decoding(seed=3))
    _, seen = ask("openai_compatible", request=request, api_key_env="JUDGE_KEY")
    assert seen["headers"]["Authorization"] == f"Bearer {KEY}"
    assert seen["body"]["seed"] == 3
    assert [message["role"] for message in seen["body"]["messages"]] == ["system", "user"]


def test_openai_reads_content_that_comes_in_parts():
    parts = [{"type": "text", "text": "a"}, {"type": "reasoning", "text": "no"}, {"type": "text", "text": "b"}]
    body = json.dumps({"choices": [{"message": {"content": parts}}]})
    assert ask("openai_compatible", [{"fault": "body", "body": body}])[0].text == "ab"


def test_openai_attaches_documents_as_files():
    request = make_request(attachments=(Attachment("doc-1.pdf", "application/pdf", b"%PDF-1.7"),))
    content = ask("openai_compatible", request=request)[1]["body"]["messages"][1]["content"]
    assert [part["type"] for part in content] == ["file", "text"]
    assert content[0]["file"]["filename"] == "doc-1.pdf"
    head, _, data = content[0]["file"]["file_data"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:application/pdf;base64", b"%PDF-1.7")


def test_anthropic_attaches_documents_as_blocks():
    request = make_request(attachments=(Attachment("doc-1.pdf", "application/pdf", b"%PDF-1.7"),))
    content = ask("anthropic_compatible", request=request)[1]["body"]["messages"][0]["content"]
    assert [block["type"] for block in content] == ["document", "text"]
    assert content[0]["source"]["media_type"] == "application/pdf"
    assert base64.b64decode(content[0]["source"]["data"]) == b"%PDF-1.7"


@pytest.mark.parametrize(("auth", "header"), [("x-api-key", "x-api-key"), ("bearer", "Authorization")])
def test_anthropic_sends_version_and_key_in_the_header_that_is_asked_for(auth, header, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    _, seen = ask("anthropic_compatible", api_key_env="JUDGE_KEY", auth=auth)
    assert seen["path"] == "/v1/messages"
    assert KEY in seen["headers"][header]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", seen["headers"]["anthropic-version"])
    assert seen["body"]["system"] == "Judge."


@pytest.mark.parametrize("continuation", ['"score": 1}', '{"score": 1}'])
def test_a_prefilled_brace_is_part_of_the_text_exactly_once(continuation):
    reply, seen = ask("anthropic_compatible", [{"fault": "none", "text": continuation}], prefill=True)
    assert seen["body"]["messages"][-1] == {"role": "assistant", "content": "{"}
    assert json.loads(reply.text) == {"score": 1}


def test_an_empty_anthropic_refusal_is_an_answer():
    body = '{"content": [], "stop_reason": "refusal"}'
    reply, _ = ask("anthropic_compatible", [{"fault": "body", "body": body}])
    assert (reply.text, reply.error, reply.finish_reason) == ("", None, "refusal")


@pytest.mark.parametrize("kind", ["openai_compatible", "anthropic_compatible", "deepseek"])
def test_a_key_is_not_sent_over_plain_http_to_another_machine(kind, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-0123456789")
    options = {"base_url": "http://judge.example/v1", "api_key_env": "JUDGE_KEY"}

    with pytest.raises(ConfigError, match="refused to send the key in JUDGE_KEY over plain http") as refused:
        create_provider(kind, options)

    assert "--insecure-http" in refused.value.hint
    create_provider(kind, {**options, "insecure_http": True})
    create_provider(kind, {**options, "base_url": "https://judge.example/v1"})
    create_provider(kind, {**options, "base_url": "http://127.0.0.1:8000/v1"})
    if kind == "openai_compatible":
        create_provider(kind, {"base_url": "http://judge.example/v1"})


@pytest.mark.parametrize(
    ("body", "text", "kept"),
    [
        ("好的".encode()[:5], "好", b""),  # The limit fell into a character.
        ("a\ufffdb".encode(), "a\ufffdb", b""),
        (b"a\xffb", "a\ufffdb", b"a\xffb"),  # What is no text is kept as it came.
    ],
)
def test_what_was_cut_is_kept_once(body, text, kept):
    reply = cut_off(HttpAnswer(body, 200, 0.1, cut=True))

    assert (reply.text, reply.body, reply.finish_reason) == (text, kept, "cut")


@BOTH
@pytest.mark.parametrize(
    "words", ["Model Not Exist", "模型不存在，请检查模型代码。", "unknown model 'm-1'", "The model does not exist"]
)
def test_a_model_that_a_vendor_calls_a_bad_request_is_told_with_those_that_are(kind, words):
    async def run(models, message):
        async with judge(kind, [{"fault": "status", "status": 400, "message": message}]) as (provider, server):
            server.models = models
            return await provider.ask(make_request())

    listed = asyncio.run(run(("oak", "elm"), words))
    assert listed.error.startswith("HTTP 400: model 'm-1' was not found at 127.0.0.1:")
    assert listed.error.endswith("the server lists: oak, elm")
    for models, message in (((), words), (("m-1",), words), (("oak",), "the prompt is too long for this model")):
        assert asyncio.run(run(models, message)).error == f"HTTP 400: {message.removesuffix('。')}"


@BOTH
def test_a_model_that_is_not_there_is_told_with_those_that_are(kind):
    async def run(models):
        async with judge(kind, [{"fault": "status", "status": 404, "message": "no such thing"}]) as (provider, server):
            server.models = models
            return await provider.ask(make_request())

    listed = asyncio.run(run(("oak", "el\x1bm")))
    assert re.fullmatch(
        r"HTTP 404: model 'm-1' was not found at 127\.0\.0\.1:\d+; the server lists: oak, elm", listed.error
    )
    many = asyncio.run(run(tuple(f"model-{number}" for number in range(30))))
    assert many.error.endswith("model-19, …")
    for models in ((), ("m-1", "oak")):  # There is no list, or the model is on it: something else is wrong.
        other = asyncio.run(run(models))
        assert other.error.startswith("HTTP 404: no such thing; no judge answers under http://127.0.0.1:")
        assert other.error_kind == "bad_request"
