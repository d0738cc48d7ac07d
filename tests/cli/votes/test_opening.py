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
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from experiment import venire
from venire.cli.votes.opening import ledger_beside, open_command
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


@pytest.fixture
def run(outputs, monkeypatch, capsys):
    """Run the command in the folder of the outputs."""
    monkeypatch.chdir(outputs)

    def command(*arguments):
        code = venire("votes", "open", *arguments)
        told = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=told.out, stderr=told.err)

    return command


def test_with_a_ledger_outputs_are_recorded_and_nothing_is_served(outputs, run):
    done = run("outputs.csv", "own.sqlite")
    assert done.returncode == 0
    assert "4 outputs added to own.sqlite" in done.stdout
    assert not (outputs / ledger_beside(outputs / "outputs.csv")).exists()


def test_documents_beside_an_output_are_brought_before_voters(outputs, run):
    (outputs / "outputs.csv").write_text('id,output,contexts\na,At nine.,"[""We open at nine.""]"\n', encoding="utf-8")
    assert run("outputs.csv", "own.sqlite").returncode == 0
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


def test_a_prompt_that_nobody_knows_is_refused_before_anything_is_made(outputs, run):
    done = run("outputs.csv", "--prompt", "grand")
    assert done.returncode == 2
    assert "grand-jury" in done.stderr
    assert sorted(path.name for path in outputs.iterdir()) == ["outputs.csv"]


def test_a_question_in_several_languages_is_recorded_as_one(outputs, run):
    said = ("--question", "en=Does it help?", "--question", "zh=有帮助吗？")
    assert run("outputs.csv", "own.sqlite", *said).returncode == 0
    again = run("outputs.csv", "own.sqlite", *said)
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
def test_a_question_that_is_not_clear_is_refused_before_anything_is_made(outputs, run, said):
    done = run("outputs.csv", *said)
    assert done.returncode == 2
    assert "--question" in done.stderr
    assert sorted(path.name for path in outputs.iterdir()) == ["outputs.csv"]


ODD = "name,reply,who\na1,Send it back.,alder\na2,Keep it.,birch\n"


def test_columns_of_other_names_are_named_and_rows_can_be_numbered(tmp_path):
    (tmp_path / "odd.csv").write_text(ODD)
    read = ["--column", "text=reply", "--column", "target_model=who"]
    for number, more in enumerate((["--column", "output_id=name"], ["--id-from-row"])):
        place = str(tmp_path / f"{number}.sqlite")
        done = CliRunner().invoke(open_command, [str(tmp_path / "odd.csv"), place, *read, *more])
        assert "2 outputs added" in done.output
        ledger = open_ledger(place, read_only=True)
        samples = [entry.content["sample"] for entry in ledger.read(kinds=[Kind.SAMPLE])]
        ledger.close()
        assert [(each["text"], each["target_model"]) for each in samples] == [
            ("Send it back.", "alder"),
            ("Keep it.", "birch"),
        ]


@pytest.mark.parametrize(
    ("table", "more", "advised"),
    [
        (
            ODD,
            [],
            "--column output_id=THEIR_COLUMN --column text=THEIR_COLUMN`; instead of an id, rows can be numbered",
        ),
        (ODD, ["--column", "text=reply"], "--column output_id=THEIR_COLUMN`, or have the rows numbered: --id-from-row"),
        (ODD, ["--column", "output_id=name"], "--column text=THEIR_COLUMN"),
        ("id,output\na,One.\na,Two.\n", [], "--id-from-row"),
    ],
)
def test_advice_names_only_what_the_command_takes(tmp_path, table, more, advised):
    (tmp_path / "odd.csv").write_text(table)
    done = CliRunner().invoke(open_command, [str(tmp_path / "odd.csv"), str(tmp_path / "own.sqlite"), *more])
    assert advised in str(done.exception)
    assert "configuration" not in str(done.exception)
    assert "samples:" not in str(done.exception)


def test_whoever_starts_it_again_gets_in_again(outputs, monkeypatch):
    monkeypatch.setattr(
        "venire.server.serve.serve", lambda options, court, listening: (listening.close(), court.state.close())
    )
    monkeypatch.chdir(outputs)
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        said = CliRunner().invoke(open_command, ["outputs.csv", "--port", port]).output
        assert f"operator, for a day: http://127.0.0.1:{port}/login#vk_" in said
