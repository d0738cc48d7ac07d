"""What the command says, and exits with, when something is wrong with the user's files."""

from __future__ import annotations

import click
import pytest

from venire.cli import main as command


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        command.main(list(arguments))
    code = ended.value.code
    assert isinstance(code, int)
    return code


def test_a_starter_is_written_into_a_new_folder(tmp_path, capsys):
    assert run("init", str(tmp_path / "new" / "venire.yaml")) == 0
    assert (tmp_path / "new" / "venire.yaml").exists()


def test_a_starter_that_cannot_be_written_is_an_error_and_no_traceback(tmp_path, capsys):
    (tmp_path / "file").touch()

    assert run("init", str(tmp_path / "file" / "venire.yaml")) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'file' / 'venire.yaml'}: cannot be written")


def test_a_file_that_no_command_foresaw_is_named_and_the_code_is_2(monkeypatch, capsys):
    @click.command()
    def check() -> None:
        raise PermissionError(13, "Permission denied", "secret.jsonl")

    monkeypatch.setattr(command.LazyGroup, "get_command", lambda *_: check)

    assert run("check") == 2
    assert capsys.readouterr().err == "error: secret.jsonl: Permission denied\n"


def test_an_error_that_is_about_no_file_stays_visible_as_a_fault_of_ours(monkeypatch):
    @click.command()
    def check() -> None:
        raise OSError("unforeseen")

    monkeypatch.setattr(command.LazyGroup, "get_command", lambda *_: check)

    with pytest.raises(OSError, match="unforeseen"):
        command.main(["check"])


def test_names_in_an_error_do_not_command_the_terminal(tmp_path, capsys):
    (tmp_path / "a\x1b[2Jb.yaml").write_text("judges: 7\n")

    assert run("judge", str(tmp_path / "a\x1b[2Jb.yaml")) == 2
    told = capsys.readouterr().err
    assert "a⟨U+001B⟩[2Jb.yaml" in told
    assert "\x1b" not in told


def test_help_lists_every_command_once_by_what_people_want(capsys):
    listed = [name for names in command.GROUPS.values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(command._COMMANDS) <= set(listed)

    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert shown.index("Begin here:") < shown.index("  init ") < shown.index("Prepare:") < shown.index("  collect ")
    assert all(f"\n  {name} " in shown for name in command._COMMANDS)
