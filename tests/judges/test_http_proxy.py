"""Proxies from the environment: they are used, never see a key that is meant for TLS, and errors hold no password."""

import asyncio

import pytest

from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider

KEY = "sk-very-secret-0123456789"
REQUEST = Request("m-1", "Judge.", "Text.", Decoding(), {})
BOTH = pytest.mark.parametrize("kind", ["openai_compatible", "anthropic_compatible"])


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUDGE_KEY", KEY)


def ask_through(kind, base_url, monkeypatch, answer, proxy="http://ann:hidden-word@{host}", **options):
    """Ask by a proxy that gives one answer; returns the reply and what the proxy saw."""
    seen = []

    async def serve(reader, writer):
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()

    async def run():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for name in ("HTTP_PROXY", "HTTPS_PROXY"):
                monkeypatch.setenv(name, proxy.format(host=host))
            provider = create_provider(kind, {"base_url": base_url, "api_key_env": "JUDGE_KEY", **options})
            try:
                return await provider.ask(REQUEST)
            finally:
                await provider.close()

    return asyncio.run(run()), seen


@BOTH
def test_a_proxy_is_asked_to_connect_without_being_told_the_key(kind, monkeypatch):
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
    reply, seen = ask_through(kind, "https://judge.invalid", monkeypatch, refusal)
    assert seen[0].startswith(b"CONNECT judge.invalid:443 ")
    assert KEY.encode() not in seen[0]
    assert (reply.error_kind, reply.error) == ("auth", "the proxy refused to connect: HTTP 407")


@BOTH
@pytest.mark.parametrize("proxy", ["http://{host}", "{host}"])
def test_a_proxy_may_be_named_with_its_scheme_or_without(kind, proxy, monkeypatch):
    answer = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
    reply, seen = ask_through(kind, "http://judge.invalid", monkeypatch, answer, proxy, insecure_http=True)
    assert seen[0].startswith(b"POST http://judge.invalid/")
    assert (reply.error_kind, reply.error) == ("server", "HTTP 503")


def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(monkeypatch):
    reply, _ = ask_through(
        "openai_compatible", "https://judge.invalid", monkeypatch, b"", "http://ann:hidden-word@127.0.0.1:9"
    )
    assert reply.error_kind == "connection"
    assert reply.error.startswith("no connection to the proxy 127.0.0.1:9: ")


@pytest.mark.parametrize("proxy", ["socks5://ann:hidden-word@127.0.0.1:9", "http://[hidden-word", "http://"])
def test_a_proxy_of_another_kind_is_an_error_before_anything_is_asked(proxy, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    options = {"base_url": "https://judge.invalid", "api_key_env": "JUDGE_KEY"}
    with pytest.raises(ConfigError, match="HTTPS_PROXY must name a proxy") as refused:
        create_provider("openai_compatible", options)
    assert "hidden-word" not in str(refused.value)
    monkeypatch.setenv("NO_PROXY", "judge.invalid")
    create_provider("openai_compatible", options)
