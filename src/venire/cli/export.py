"""`venire export`: the judgements of a ledger as an archive."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language
from venire.cli.terminal.printing import tell


@click.command(cls=HelpedCommand)
@click.argument("ledger")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--protocol")
@click.option("--prompts/--no-prompts", default=True, show_default=True)
def export(ledger: str, folder: Path, protocol: str | None, prompts: bool) -> None:
    """Write the judgements of a ledger as an archive of valid and invalid evaluations."""
    from venire.workflows.export import export_archive
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(ledger, read_only=True) as opened:
        count = export_archive(opened, folder, language=language(), protocol=protocol, prompts=prompts)
    tell("judge.archive", folder=str(folder), count=count)
