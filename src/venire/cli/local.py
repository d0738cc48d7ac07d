"""`venire local`: models that run on this machine."""

from __future__ import annotations

import sys

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import words
from venire.cli.terminal.printing import echo, tell


@click.group(cls=HelpedGroup)
def local() -> None:
    """Fetch and list models that judge on this machine, without a key."""


@local.command("list")
def list_models() -> None:
    """List the models that can be fetched, and whether they are here."""
    from venire.judges.local_models import MODELS, models_directory

    directory = models_directory()
    for name, model in MODELS.items():
        code = "local.fetched" if (directory / model.file_name).is_file() else "local.not_fetched"
        echo(f"{name:<20} {model.size_bytes / 1e6:>6.0f} MB  {words()(code)}")


@local.command()
@click.argument("model")
def fetch(model: str) -> None:
    """Fetch a model; it is checked against its pinned SHA-256."""
    from venire.judges.local_models import fetch as fetch_model

    def show(done: int, whole: int) -> None:
        if sys.stderr.isatty():
            echo("\r", words()("local.progress", done=round(done / 1e6), whole=round(whole / 1e6)), nl=False, err=True)

    path = fetch_model(model, on_progress=show)
    echo(f"{path}")
    tell("local.uncalibrated")
