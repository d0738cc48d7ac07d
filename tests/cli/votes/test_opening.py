"""`venire votes open`: from a table to a link that everybody can open, in one command."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request

import pytest

from venire.cli.votes.opening import ledger_beside
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger


@pytest.fixture
def outputs(tmp_path):
    rows = [
        f"{model}-{question},{model},Say {question}.,Text {question} of it."
        for model in ("m1", "m2")
        for question in "ab"
    ]
    (tmp_path / "outputs.csv").write_text("\n".join(["id,model,task,output", *rows]) + "\n")
    return tmp_path


def run(folder, *arguments):
    command = [sys.executable, "-m", "venire", "votes", "open", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_with_a_ledger_outputs_are_recorded_and_nothing_is_served(outputs):
    done = run(outputs, "outputs.csv", "own.sqlite")
    assert done.returncode == 0
    assert "4 outputs added to own.sqlite" in done.stdout
    assert not (outputs / ledger_beside(outputs / "outputs.csv")).exists()


def test_documents_beside_an_output_are_brought_before_voters(outputs):
    (outputs / "outputs.csv").write_text('id,output,contexts\na,At nine.,"[""We open at nine.""]"\n', encoding="utf-8")
    assert run(outputs, "outputs.csv", "own.sqlite").returncode == 0
    ledger = open_ledger(str(outputs / "own.sqlite"), read_only=True)
    (material,) = ledger.read(kinds=[Kind.MATERIAL])
    ledger.close()
    assert material.blob == b"We open at nine."


def test_without_a_ledger_one_is_made_and_a_link_for_everybody_is_printed(outputs):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-u", "-m", "venire", "votes", "open", "outputs.csv", "--scale", "1-5"]
    command += ["--port", str(port), "--invitations", "2"]
    server = subprocess.Popen(
        command, cwd=outputs, stdout=subprocess.PIPE, text=True, env=os.environ | {"VENIRE_LANG": "en"}
    )
    try:
        said = ""
        while "operator" not in said:
            said += server.stdout.readline()
            assert server.poll() is None, said
        link = re.search(r"for everybody, for 30 days: http\S+/login#(vo_\S+)", said).group(1)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        data = urllib.parse.urlencode({"secret": link}).encode()
        page = opener.open(f"http://127.0.0.1:{port}/login", data).read().decode()
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)

    assert said.count("for one person, for a week: ") == 2
    assert "Would you accept this output" in page
    assert page.count('name="vote"') == 5
    assert (outputs / "outputs.votes.sqlite").exists()


def test_a_prompt_that_nobody_knows_is_refused_before_anything_is_made(outputs):
    done = run(outputs, "outputs.csv", "--prompt", "grand")
    assert done.returncode == 2
    assert "grand-jury" in done.stderr
    assert sorted(path.name for path in outputs.iterdir()) == ["outputs.csv"]


def test_a_question_in_several_languages_is_recorded_as_one(outputs):
    said = ("--question", "en=Does it help?", "--question", "zh=有帮助吗？")
    assert run(outputs, "outputs.csv", "own.sqlite", *said).returncode == 0
    again = run(outputs, "outputs.csv", "own.sqlite", *said)
    assert again.returncode == 0
    ledger = open_ledger(str(outputs / "own.sqlite"), read_only=True)
    (prompt,) = (entry.content["voter_prompt"] for entry in ledger.read(kinds=[Kind.VOTE]))
    ledger.close()
    assert prompt["text"] == "Does it help?"
    assert prompt["languages"] == {"en": "Does it help?", "zh": "有帮助吗？"}


@pytest.mark.parametrize(
    "said",
    [
        ("--question", "en=A?", "--question", "en=B?"),
        ("--question", "zh="),
        ("--question", "A?", "--prompt", "grand-jury"),
    ],
    ids=["a language twice", "no words", "two ways"],
)
def test_a_question_that_is_not_clear_is_refused_before_anything_is_made(outputs, said):
    done = run(outputs, "outputs.csv", *said)
    assert done.returncode == 2
    assert "--question" in done.stderr
    assert sorted(path.name for path in outputs.iterdir()) == ["outputs.csv"]
