"""Programs as targets: what they get, and what becomes of one that fails, hangs or prints no text."""

import asyncio
import sys

import pytest

from venire.domain.output import Case, OutputPlace, PlannedOutput, PromptText
from venire.judges.provider import Decoding, Request
from venire.targets.command import create


def ask(tmp_path, program, **options):
    planned = PlannedOutput(
        OutputPlace("q1-a-bot", "q1", "a", "bot"), Case("q1", {"x": "é"}), PromptText("", ("Hi é",))
    )
    request = Request("", "", "Hi é", Decoding(), {}, may_be_empty=True, planned=planned)
    provider = create({"command": [sys.executable, "-c", program], "folder": str(tmp_path), **options})
    return asyncio.run(provider.ask(request))


def test_a_program_gets_the_case_as_json_and_answers_on_standard_output(tmp_path):
    program = "import json, sys; r = json.load(sys.stdin); print(r['prompt'], r['case']['x'], r['variant'])"
    reply = ask(tmp_path, f"import os; os.environ['PYTHONIOENCODING'] = 'utf-8'\n{program}")
    assert reply.text == "Hi é é a"
    assert reply.error is None


@pytest.mark.parametrize(
    ("program", "kind", "said"),
    [
        ("import sys; sys.exit('out of luck')", "server", "out of luck"),
        ("import sys; sys.stdout.buffer.write(b'ab\\xff')", "bad_request", "offset"),
        ("import time; time.sleep(60)", "timeout", "0.5"),
    ],
)
def test_a_program_that_fails_is_a_failure_of_its_output(tmp_path, program, kind, said):
    reply = ask(tmp_path, program, timeout_seconds=0.5 if kind == "timeout" else 30.0)
    assert (reply.text, reply.error_kind) == (None, kind)
    assert said in str(reply.error.values)


def test_what_a_hanging_program_has_started_is_ended_with_it(tmp_path):
    child = "import time; time.sleep(1); open('alive', 'w')"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert ask(tmp_path, program, timeout_seconds=0.4).error_kind == "timeout"
    asyncio.run(asyncio.sleep(1.2))
    assert not (tmp_path / "alive").exists()


def test_a_program_that_is_not_there_is_told_by_its_name(tmp_path):
    provider = create({"command": ["no-such-program"], "folder": str(tmp_path)})
    planned = PlannedOutput(OutputPlace("q1", "q1", "a", "bot"), Case("q1"), PromptText("", ("Hi",)))
    reply = asyncio.run(provider.ask(Request("", "", "Hi", Decoding(), {}, planned=planned)))
    assert (reply.error_kind, reply.error.values["command"]) == ("connection", "no-such-program")


def test_an_answer_beyond_the_limit_is_cut_between_characters(tmp_path):
    reply = ask(tmp_path, "import sys; sys.stdout.buffer.write('é'.encode() * 100)", max_reply_bytes=11)
    assert (reply.text, reply.finish_reason) == ("ééééé", "cut")
