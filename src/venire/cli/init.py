"""`venire init`: a commented starter configuration."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language
from venire.cli.terminal.printing import tell
from venire.errors import UsageError, os_reason
from venire.words.language import DEFAULT


@click.command(cls=HelpedCommand)
@click.argument("path", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[PATH]")
def init(path: Path) -> None:
    """Write a starter configuration with every key explained."""
    if path.exists():
        raise UsageError("error.cli.init_exists", where=str(path))
    text = starter("venire")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    except OSError as error:
        raise UsageError("error.cli.not_written", where=str(path), reason=os_reason(error)) from None
    tell("init.wrote", path=str(path))


def starter(name: str) -> bytes:
    """Return a file to begin with in the language of the command, or in English where there is none in it."""
    starters = files("venire.cli").joinpath("starters")
    own = starters.joinpath(f"{name}.{language()}.yaml")
    return (own if own.is_file() else starters.joinpath(f"{name}.{DEFAULT}.yaml")).read_bytes()
