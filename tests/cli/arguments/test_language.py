"""Which language a command speaks, and click's own words in it."""

from __future__ import annotations

import inspect

import click
import pytest

from venire.cli.arguments import language
from venire.cli.arguments.command import HelpedCommand
from venire.cli.main import main
from venire.words.language import Words


def spoken(*arguments: str, configured: str = "") -> str:
    """Return the language of a command that read a configuration, if there is one."""

    @click.command(cls=HelpedCommand)
    def speak() -> str:
        """Say the language."""
        if configured:
            language.use_configured(configured)
        return language.language()

    return str(speak.main(list(arguments), standalone_mode=False))


def told(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit, match="2"):
        main(list(arguments))
    return str(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "configured", "environment", "expected"),
    [
        (["--lang", "en"], "zh", "zh", "en"),
        ([], "en", "zh", "en"),
        ([], "", "zh", "zh"),
        ([], "", "fr", "en"),
    ],
)
def test_the_option_goes_before_the_configuration_and_that_before_the_environment(
    arguments, configured, environment, expected, monkeypatch
):
    monkeypatch.setenv("VENIRE_LANG", environment)

    assert spoken(*arguments, configured=configured) == expected


def test_a_command_does_not_go_on_in_the_language_of_the_one_before(monkeypatch):
    monkeypatch.setenv("VENIRE_LANG", "en")

    assert (spoken("--lang", "zh"), spoken()) == ("zh", "en")


def test_wrong_usage_is_told_in_the_language_asked_for(capsys):
    said = told(capsys, "keys", "create", "--lang", "zh", "--role", "king")

    assert "'--role' 的取值无效：'king' 不在可选值之中" in said
    assert "Error" not in said


def test_an_unknown_command_is_told_with_the_nearest_one(capsys, monkeypatch):
    assert "No such command 'chek'. Did you mean 'check'?" in told(capsys, "chek")
    monkeypatch.setenv("VENIRE_LANG", "zh")
    assert "没有命令 'chek'。是不是想写 'check'？" in told(capsys, "chek")


def test_errors_are_told_in_the_language_of_the_command(capsys, tmp_path):
    assert told(capsys, "init", str(tmp_path), "--lang", "zh").startswith("错误：")


def test_what_click_says_is_known_by_its_own_words_and_said_alike_in_english():
    from click import core, exceptions, formatting, parser, types

    source = "".join(map(inspect.getsource, (core, exceptions, formatting, parser, types)))
    for text, code in language._OF_CLICK.items():
        assert repr(text)[1:-1] in source or text in source, f"click does not say {text!r} any more"
        assert Words("en")(code) == text


@pytest.mark.parametrize(
    "arguments", [["--help", "--lang", "zh"], ["--lang=zh", "votes", "--help"], ["report", "--help", "--lang", "zh"]]
)
def test_help_is_in_the_language_asked_for_wherever_it_is_asked(arguments, capsys, monkeypatch):
    monkeypatch.setenv("VENIRE_LANG", "en")
    with pytest.raises(SystemExit, match="0"):
        main(arguments)
    assert capsys.readouterr().out.startswith("用法：")


def test_an_option_that_does_not_exist_is_told_in_the_language_asked_for_after_it(capsys, monkeypatch):
    monkeypatch.setenv("VENIRE_LANG", "en")
    assert "没有选项 '--nope'" in told(capsys, "report", "--nope", "--lang", "zh")
    assert "没有命令 'nope'" in told(capsys, "--lang", "zh", "nope")
    assert "No such command 'nope'" in told(capsys, "nope", "--lang", "zh")


def test_what_follows_two_dashes_names_no_language(capsys, monkeypatch):
    monkeypatch.setenv("VENIRE_LANG", "en")
    assert "error:" in told(capsys, "report", "--", "--lang")
