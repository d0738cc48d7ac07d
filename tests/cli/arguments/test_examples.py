"""Every command has an example, and every example works."""

import csv
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import click
import pytest

from doc_scripts import ROOT
from venire.cli.arguments.examples import EXAMPLES
from venire.cli.main import cli
from warm_commands import warm_commands

SERVING = {"help.view", "help.serve", "help.votes.open"}
ELSEWHERE = {"help.local.fetch"}  # Fetches a model from the net, which tests have not.
PAIRS = [("alder-1", "birch-2", "alder-1"), ("birch-2", "alder-1", "tie"), ("birch-2", "alder-1", "birch-2")]
VERDICTS = [("strict", number, "PASS", "PASS" if number % 9 else "FAIL") for number in range(60)]
RUBRIC = "| name | question | 0 | 1 |\n|---|---|---|---|\n| helpful | Does it answer? | It does not. | It does. |\n"


def codes_of(command, context):
    """Yield the codes of the helps of all commands below a group."""
    for name in command.list_commands(context):
        each = command.get_command(context, name)
        yield from codes_of(each, context) if isinstance(each, click.Group) else [each.code]


def write_table(path, names, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])


@pytest.fixture
def folder(tmp_path):
    """A folder with what the examples name: a study, replies, tables, and an earlier ledger."""
    shutil.copytree(ROOT / "examples" / "drift", tmp_path, dirs_exist_ok=True)
    for name in ("jokes.csv", "votes.csv"):
        shutil.copy(ROOT / "examples" / "jokes" / name, tmp_path)
    shutil.copy(ROOT / "tests" / "foreign" / "promptfoo-museum.json", tmp_path / "results.json")
    for name in ("venire.yaml", "study.yaml"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("../../demo-output/", ""), encoding="utf-8")
    write_table(
        tmp_path / "pairs.csv", ["model_a", "model_b", "winner", "question"], [(*p, q) for q in "1234" for p in PAIRS]
    )
    write_table(tmp_path / "verdicts.csv", ["judge", "item", "verdict", "gold"], VERDICTS)
    names = ["q1-baseline-implicit-alder-1", "q1-long-explicit-alder-1"]
    rows = [(name, f"juror-{n}", n % 2, "2026-03-02T09:01:00Z") for name in names for n in range(3)]
    write_table(tmp_path / "people.csv", ["inference_id", "voter_id", "vote", "vote_time"], rows)
    write_table(tmp_path / "labels.csv", ["output_id", "score"], [(name, 5) for name in names])
    write_table(tmp_path / "anchors.csv", ["output_id", "text"], [(f"a{n}", f"Anchor {n}.") for n in range(20)])
    watched = (tmp_path / "venire.yaml").read_text(encoding="utf-8").replace("ledger.sqlite", "watched.sqlite")
    (tmp_path / "watched.yaml").write_text(f"{watched}\ncanaries: {{path: anchors.csv}}\n", encoding="utf-8")
    (tmp_path / "rubric.md").write_text(RUBRIC, encoding="utf-8")
    return tmp_path


def people_of(run):
    """Return the ids and pseudonyms that the examples of keys stand for: they are drawn at random."""
    listed = run("venire keys list --ledger ledger.sqlite").stdout
    key = re.search(r"(\w{10}) key", listed)[1]
    invitation, juror = re.search(r"(\w{10}) invitation +juror +(juror-\w+)", listed).groups()
    return {"7c3c841d00": key, "aefa472348": invitation, "juror-e5695a029460": juror}


def serve(line, folder, env):
    """Start what serves pages, end it with Ctrl-C once it has printed an address, and return its exit code."""
    command = [sys.executable, "-m", "venire", *shlex.split(line)[1:]]
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as it:
        said = next((told for told in it.stdout if "http://127.0.0.1" in told), "")
        it.send_signal(signal.SIGINT)
        it.communicate(timeout=60)
    if not said:
        return "no address"
    return 0 if it.returncode == 3 else it.returncode  # Interrupted before or after it was ready: both are an end.


def test_every_command_has_an_example():
    assert set(codes_of(cli, click.Context(cli))) == set(EXAMPLES)


def test_the_model_of_the_example_can_be_fetched(capsys):
    with pytest.raises(SystemExit):
        cli.main(["local", "list"], prog_name="venire")
    assert EXAMPLES["help.local.fetch"][0].split()[-1] in capsys.readouterr().out


@pytest.mark.long
def test_every_example_works(folder, tmp_path_factory, postgres):
    with warm_commands(tmp_path_factory.mktemp("warm")) as warm:
        address, empty = postgres.url(postgres.new_database()), tmp_path_factory.mktemp("empty")
        env = {**os.environ, "PATH": f"{warm}:{os.environ['PATH']}", "VENIRE_LANG": "en"}

        def run(line, place=folder):
            return subprocess.run(
                shlex.split(line), cwd=place, env=env, capture_output=True, text=True, check=False, timeout=300
            )

        run("venire judge venire.yaml --quiet")
        (folder / "ledger.sqlite").rename(folder / "before.sqlite")
        run("venire judge watched.yaml --quiet")
        run("venire votes import people.csv votes.sqlite")
        failed, people = {}, {}
        for code, lines in EXAMPLES.items():
            for line in lines if code not in ELSEWHERE else ():
                if code == "help.keys.revoke":
                    people = people_of(run)
                typed = line.replace("postgresql:///venire", address)
                for shown, real in people.items():
                    typed = typed.replace(shown, real)
                if code in SERVING:
                    exit_code, said = serve(typed, folder, env), ""
                else:
                    done = run(typed, empty if code == "help.init" else folder)
                    exit_code, said = done.returncode, done.stderr
                if exit_code not in (0, 1) or "Traceback" in said:
                    failed[line] = exit_code, said
        assert failed == {}
