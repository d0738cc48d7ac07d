"""A session of commands in a folder, kept as it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from experiment import venire
from golden_values import assert_as_kept


def assert_session_as_kept(
    name: str, folder: Path, commands: Iterable[str], hidden: Sequence[Any], monkeypatch: Any, capsys: Any
) -> None:
    """Run the commands one after the other, and compare what they print but for what is hidden in it."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("VENIRE_LANG", "en")
    told = []
    for command in commands:
        code = venire(*command.split())
        printed = capsys.readouterr()
        text = "".join(f"{line.rstrip()}\n" for line in f"{printed.out}{printed.err}".splitlines())
        told.append(f"$ venire {command}\n{text}exit {code}\n")
    text = "\n".join(told).replace(str(folder), "FOLDER")
    for pattern, instead in hidden:
        text = pattern.sub(instead, text)
    assert_as_kept(f"printed/{name}.txt", text)
