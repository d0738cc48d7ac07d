"""`venire init`: a commented starter configuration."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from venire.cli.command import HelpedCommand
from venire.cli.language import language
from venire.cli.terminal.printing import echo
from venire.errors import UsageError


@click.command(cls=HelpedCommand)
@click.argument("path", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[PATH]")
def init(path: Path) -> None:
    """Write a starter configuration with every key explained."""
    if path.exists():
        raise UsageError("the file exists already", where=str(path), hint="Name another, or move it away.")
    text = files("venire.cli").joinpath("starters", f"venire.{language()}.yaml").read_bytes()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", where=str(path)) from None
    echo(f"wrote {path}. Next: `venire plan {path}` shows what would be asked.")
