"""A real model behind llama.cpp's server: the plumbing is asserted, never what the model thinks."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys

import pytest

from venire.errors import ConfigError
from venire.judges.local_models import fetch
from venire.judges.provider import Decoding, Request
from venire.judges.providers import local
from venire.judges.registry import create_provider

MODEL = "smollm2-135m"
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [0, 1, 2]}, "why": {"type": "string", "maxLength": 12}},
    "required": ["score", "why"],
    "additionalProperties": False,
}
REQUEST = Request(MODEL, "You judge.", "Is 'hello' a greeting?", Decoding(max_tokens=200, seed=1), SCHEMA)


@pytest.fixture(scope="module")
def model():
    """The smallest model, fetched into the user's cache unless it is there."""
    fetch(MODEL)
    return MODEL


def has_ended(process_id, within_seconds=30):
    """Wait for the end of a process that need not be a child."""
    try:
        descriptor = os.pidfd_open(process_id)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], within_seconds)[0])
    finally:
        os.close(descriptor)


def test_a_real_model_replies_in_the_schema_and_is_gone_after_close(model):
    async def run():
        provider = create_provider("local", {"model": model, "context_tokens": 1024, "threads": 1})
        reply = await provider.ask(REQUEST)
        too_long = await provider.ask(Request(MODEL, "", "word " * 3000, Decoding(max_tokens=8), SCHEMA))
        process_id = provider.process_id
        await provider.close()
        return reply, too_long, process_id

    reply, too_long, process_id = asyncio.run(run())
    assert reply.error is None
    answer = json.loads(reply.text)
    assert set(answer) == {"score", "why"}
    assert answer["score"] in {0, 1, 2}
    assert reply.input_tokens > 0
    assert reply.output_tokens > 0
    assert reply.model == MODEL
    assert too_long.error_kind == "bad_request"
    assert has_ended(process_id)


def test_a_server_that_has_died_is_started_again(model):
    async def run():
        provider = create_provider("local", {"model": model, "context_tokens": 512, "threads": 1})
        short = Request(MODEL, "s", "u", Decoding(max_tokens=1), {"type": "object"})
        await provider.ask(short)
        first = provider.process_id
        os.kill(first, signal.SIGKILL)
        await provider._child.wait()
        reply = await provider.ask(short)
        second = provider.process_id
        await provider.close()
        return reply, first, second

    reply, first, second = asyncio.run(run())
    assert reply.error is None
    assert first != second


def test_the_server_ends_with_a_parent_that_is_killed(model):
    code = (
        "import asyncio, os, signal\n"
        "from venire.judges.registry import create_provider\n"
        "from venire.judges.provider import Decoding, Request\n"
        "async def run():\n"
        f"    provider = create_provider('local', {{'model': {model!r}, 'context_tokens': 512, 'threads': 1}})\n"
        "    await provider.ask(Request('m', 's', 'u', Decoding(max_tokens=1), {'type': 'object'}))\n"
        "    print(provider.process_id, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(run())\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == -9
    assert has_ended(int(result.stdout))


def test_a_model_that_cannot_be_loaded_is_a_reply_with_the_reason(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF\x03\x00\x00\x00 and nothing more")

    async def run():
        provider = create_provider("local", {"model": str(broken)})
        reply = await provider.ask(REQUEST)
        await provider.close()
        return reply

    reply = asyncio.run(run())
    assert (reply.text, reply.error_kind) == (None, "connection")
    assert reply.error.startswith("the local model broken could not be served: ")


def test_a_model_that_is_not_fetched_says_the_command(tmp_path):
    with pytest.raises(ConfigError, match="Run: venire local fetch smollm2-135m"):
        create_provider("local", {"model": MODEL, "models_directory": str(tmp_path)})


def test_a_missing_runtime_says_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ConfigError, match=r"pip install 'venire\[local\]'"):
        create_provider("local", {"model": MODEL})


@pytest.mark.parametrize(("script", "ending"), [("sys.stdin.read()", 0), ("time.sleep(600)", -signal.SIGKILL)])
def test_a_server_ends_when_its_input_does_and_is_killed_only_if_it_stays(monkeypatch, script, ending):
    if ending:
        monkeypatch.setattr(local, "STOP_SECONDS", 0.01)

    async def run():
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", f"import sys, time; {script}", stdin=asyncio.subprocess.PIPE
        )
        await local._stop(child)
        return child.returncode

    assert asyncio.run(run()) == ending
