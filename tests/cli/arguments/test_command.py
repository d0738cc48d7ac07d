"""Help by code: every command and option has its sentence in every language, and no sentence is left over."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from venire.cli.arguments.command import HelpedCommand
from venire.cli.main import cli, main
from venire.words.language import FOLDER, Words, languages


def every_command(command: click.Command = cli, name: str = "venire") -> Iterator[tuple[str, HelpedCommand]]:
    """Yield all commands with what is typed to run them."""
    assert isinstance(command, HelpedCommand), f"{name} does not say its help by code"
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from every_command(found, f"{name} {inner}")


COMMANDS = dict(every_command())


def codes_of(command: HelpedCommand, words: Words) -> Iterator[str]:
    yield command.code
    for each in command.get_params(click.Context(command)):
        if isinstance(each, click.Option):
            yield command.option_code(each, words)


@pytest.mark.parametrize("language", languages())
def test_every_command_and_option_has_its_sentence_and_none_is_left_over(language):
    own = _texts_of(language)
    used = {code for command in COMMANDS.values() for code in codes_of(command, Words(language))}
    summaries = {f"{command.code}.summary" for command in COMMANDS.values()}

    assert used <= own.keys()
    assert {code for code in own if code.partition(".")[0] == "help"} <= used | summaries


def _texts_of(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return texts


def test_no_help_stands_in_the_source():
    folder = Path(inspect.getfile(HelpedCommand)).parent

    assert [path.name for path in folder.rglob("*.py") if "help=" in path.read_text("utf-8")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_chinese_help_fits_the_terminal(name, monkeypatch, capsys):
    monkeypatch.setenv("VENIRE_LANG", "zh")
    with pytest.raises(SystemExit, match="0"):
        main([*name.split()[1:], "--help"])
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].startswith("用法：")
    assert all(
        cell_len(line) <= 80 for line in lines if not line.startswith("  venire ")
    )  # examples, to be copied whole
    assert not any("\x00" in line for line in lines)
    assert not any(line.strip()[:1] in tuple("、，。；：？！）”") for line in lines if line.strip())
    assert not any(line.rstrip()[-1:] in tuple("（“") for line in lines if line.strip())


@pytest.mark.parametrize("name", [name for name, each in COMMANDS.items() if not isinstance(each, click.Group)])
def test_every_command_can_be_asked_for_a_language(name):
    assert any("--lang" in each.opts for each in COMMANDS[name].params)


def test_a_group_lists_the_first_sentence_of_its_commands(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["votes", "--help"])

    assert "  histogram        Count votes in buckets of time.\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_each_value_is_and_ends_with_an_example(name, monkeypatch, capsys):
    monkeypatch.setenv("VENIRE_LANG", "en")
    with pytest.raises(SystemExit, match="0"):
        main([*name.split()[1:], "--help"])
    shown = capsys.readouterr().out

    assert re.findall(r"--[a-z-]+ (?:TEXT|INTEGER|FLOAT|PATH|DIRECTORY)\b.*", shown) == []
    assert shown.rstrip().splitlines()[-1].startswith("  venire ")
