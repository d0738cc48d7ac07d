"""What every provider keeps to, whoever replies: one suite over all that run offline."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from judge_server import JudgeServer
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.errors import ConfigError
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider
from venire.testing import PROVIDER_PROMISES

KEY = "sk-contract-0123456789"
PROTOCOL = msgspec.yaml.decode(
    (Path(__file__).parents[2] / "src/venire/protocols/bundled/drift-sample.yaml").read_bytes(), type=EvalProtocol
)
TASKS = range(20)
KINDS = ("openai_compatible", "anthropic_compatible", "rules", "replay")
every_kind = pytest.mark.parametrize("kind", KINDS)


def make_request(number, **changes):
    values = {
        "model": "m-1",
        "system": "Judge.",
        "user": f"Text number {number}.",
        "decoding": Decoding(),
        "reply_schema": {"type": "object"},
        "protocol": PROTOCOL,
        "subject": Sample(f"o-{number}", f"Text number {number}."),
        "task_id": f"t-{number}",
        "handle": f"h-{number}",
    }
    return Request(**(values | changes))


@asynccontextmanager
async def provider_of(kind, script=None):
    """Open a provider that answers request N with a text in which `number N.` stands."""

    def reply_for(seen):
        return seen["messages"][-1]["content"]

    async with JudgeServer(script, reply_for) as server:
        http = {"base_url": server.base_url, "api_key_env": "CONTRACT_KEY"}
        options = {
            "openai_compatible": http,
            "anthropic_compatible": http,
            "rules": {"dimensions": {"*": [{"check": "length", "minimum": 1}]}},
            "replay": {"replies": {f"t-{number}": f"Text number {number}." for number in TASKS}},
        }[kind]
        provider = create_provider(kind, options)
        try:
            yield provider
        finally:
            await provider.close()


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("CONTRACT_KEY", KEY)


@every_kind
@pytest.mark.parametrize("promise", PROVIDER_PROMISES)
def test_what_plugin_authors_are_told_is_kept(kind, promise):
    async def run():
        async with provider_of(kind) as provider:
            await promise(provider)

    asyncio.run(run())


@every_kind
def test_an_answer_has_text_bytes_and_no_error(kind):
    async def run():
        async with provider_of(kind) as provider:
            return await provider.ask(make_request(1))

    reply = asyncio.run(run())
    assert "number 1." in reply.text
    assert reply.body
    assert (reply.error, reply.error_kind) == (None, None)


@every_kind
def test_many_questions_at_once_get_each_its_own_answer(kind):
    async def run():
        async with provider_of(kind) as provider:
            return await asyncio.gather(*(provider.ask(make_request(number)) for number in TASKS))

    for number, reply in enumerate(asyncio.run(run())):
        assert f"number {number}." in reply.text


@every_kind
def test_what_cannot_be_answered_is_a_reply_and_not_an_exception(kind):
    async def run():
        async with provider_of(kind, [{"fault": "status", "status": 400}]) as provider:
            return await provider.ask(make_request(99, protocol=None, subject=None))

    reply = asyncio.run(run())
    assert reply.text is None
    assert reply.error
    assert reply.error_kind == "bad_request"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "replay"])
def test_a_text_that_utf8_cannot_carry_is_a_reply_and_not_an_exception(kind):
    async def run():
        async with provider_of(kind) as provider:
            return await provider.ask(make_request(1, user="\ud800", subject=Sample("o", "\ud800")))

    reply = asyncio.run(run())
    assert (reply.text, reply.error_kind) == (None, "bad_request")
    assert "surrogates" in reply.error


@every_kind
def test_a_provider_asks_once_and_leaves_retries_to_others(kind):
    async def run():
        async with provider_of(kind, [{"fault": "reset"}]) as provider:
            return await provider.ask(make_request(1)), await provider.ask(make_request(1))

    first, second = asyncio.run(run())
    assert first.error_kind == ("connection" if kind.endswith("compatible") else None)
    assert second.error is None


@every_kind
def test_the_key_stands_in_no_representation(kind):
    async def run():
        async with provider_of(kind) as provider:
            reply = await provider.ask(make_request(1))
            return repr(provider) + str(provider) + repr(reply)

    assert KEY not in asyncio.run(run())


@pytest.mark.parametrize("kind", [*KINDS, "local"])
def test_an_unknown_option_is_named_with_the_known_ones(kind):
    with pytest.raises(ConfigError, match="colour") as raised:
        create_provider(kind, {"colour": "red"})
    assert f"The options of {kind} are:" in str(raised.value)
