"""Problems with samples, as commands that read a configuration tell of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from venire.cli.arguments.settings import print_problems
from venire.cli.main import main
from venire.config import load_settings
from venire.errors import InputError

EXAMPLE = Path(__file__).parents[3] / "examples" / "drift"


def test_names_in_a_problem_do_not_command_the_terminal(capsys):
    print_problems([InputError("has no text", where="a\x1b[2J\U000e0041b.jsonl:1")])
    assert capsys.readouterr().err == "warning: a⟨U+001B⟩[2J⟨U+E0041⟩b.jsonl:1: has no text\n"


def test_of_many_problems_the_first_are_told_and_the_others_counted(capsys):
    print_problems([InputError(f"problem {number}") for number in range(23)])
    told = capsys.readouterr().err.splitlines()
    assert (told[0], told[-2:]) == ("warning: problem 0", ["warning: problem 19", "and 3 more problems"])


@pytest.mark.parametrize(
    ("configured", "arguments", "title"),
    [
        ("", [], "计划（drift-sample）"),
        ("language: en", [], "Plan under drift-sample"),
        ("", ["--lang", "en"], "Plan under drift-sample"),
    ],
)
def test_a_configuration_without_a_language_leaves_it_to_the_environment(
    configured, arguments, title, tmp_path, monkeypatch, capsys
):
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "venire.yaml"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("language:")]
    path.write_text("\n".join([*lines, configured]), "utf-8")
    monkeypatch.setenv("VENIRE_LANG", "zh")
    with pytest.raises(SystemExit, match="0"):
        main(["plan", str(path), *arguments])

    assert title in capsys.readouterr().out
    assert {judge.language for judge in load_settings(path).judges} == {"en"}


def test_an_advice_is_given_once_for_all_problems_that_it_helps_with(capsys):
    print_problems([InputError(f"problem {number}", hint="Fill it.") for number in range(3)] + [InputError("other")])
    told = capsys.readouterr().err.splitlines()
    assert told == ["warning: problem 0", "  Fill it.", "warning: problem 1", "warning: problem 2", "warning: other"]
