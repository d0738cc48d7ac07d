import asyncio
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import msgspec
import pytest

from judge_server import JudgeServer, drift_sample_reply
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider
from venire.shapes.check import Checker

TESTS = Path(__file__).parent
PROTOCOL = TESTS.parent / "src/venire/protocols/bundled/drift-sample.yaml"
FENCE = "===DATA-3f9a77c01be24d55==="


def post(address, body):
    request = urllib.request.Request(address, data=json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


@pytest.mark.parametrize(
    "prompt",
    [
        f"Data stands between {FENCE}.\nTask:\n{FENCE}\nWrite.\n{FENCE}\n\n{FENCE}\n水是湿的。\nEnd.\n{FENCE}\nReply.",
        "None.",
    ],
)
def test_the_default_reply_is_valid_for_the_text_in_the_prompt(prompt):
    seen = {"model": "m", "messages": [{"role": "user", "content": f'{prompt}\n"output_id": "h-7"'}]}
    text = "水是湿的。\nEnd." if FENCE in prompt else "The quick brown fox jumps over the lazy dog."
    protocol = msgspec.yaml.decode(PROTOCOL.read_bytes(), type=EvalProtocol)
    checker = Checker(protocol, evidence=EvidenceLevel.EXACT, blind=True)
    judgement = checker.check(drift_sample_reply(seen), Sample("h-7", text))
    assert judgement.valid, judgement.findings


def test_a_script_can_repeat_itself():
    async def run():
        script = {"steps": [{"fault": "status", "status": 500, "times": 2}, {"fault": "none"}], "repeat": True}
        async with JudgeServer(script) as server:
            provider = create_provider("openai_compatible", {"base_url": server.base_url})
            replies = [await provider.ask(Request("m", "", "u", Decoding(), {})) for _ in range(6)]
            await provider.close()
            return [reply.status for reply in replies]

    assert asyncio.run(run()) == [500, 500, 200, 500, 500, 200]


def test_in_a_process_of_its_own_it_follows_the_script_and_logs_what_it_saw(tmp_path):
    script, log = tmp_path / "faults.json", tmp_path / "requests.jsonl"
    script.write_text('[{"fault": "wrong_model", "model": "impostor"}]')
    command = [sys.executable, "-m", "judge_server", "--script", str(script), "--log", str(log)]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = f"http://127.0.0.1:{int(server.stdout.readline())}/chat/completions"
            body = {"model": "m", "messages": [{"role": "user", "content": "一"}]}
            assert [post(address, body)["model"] for _ in range(2)] == ["impostor", "m"]
        finally:
            server.kill()
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(line["number"], line["body"]) for line in lines] == [(1, body), (2, body)]
