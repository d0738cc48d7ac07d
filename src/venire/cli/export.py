"""`venire export`: the judgements of a ledger as an archive, or its outputs as a table."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language
from venire.cli.terminal.printing import tell
from venire.errors import UsageError


@click.command(cls=HelpedCommand)
@click.argument("ledger")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--protocol")
@click.option("--prompts/--no-prompts", default=True, show_default=True)
@click.option("--outputs", type=click.Path(path_type=Path, dir_okay=False))
def export(ledger: str, folder: Path | None, protocol: str | None, prompts: bool, outputs: Path | None) -> None:
    """Write the judgements of a ledger as an archive, or the outputs that were collected in it as a table."""
    from venire.workflows.collecting.export import export_outputs
    from venire.workflows.export import export_archive
    from venire.workflows.ledgers import opened_ledger

    if (folder is None) == (outputs is None):
        raise UsageError("error.export.one_thing")
    with opened_ledger(ledger, read_only=True) as opened:
        if outputs is not None:
            tell("export.outputs", path=str(outputs), count=export_outputs(opened, outputs))
            return
        assert folder is not None
        count = export_archive(opened, folder, language=language(), protocol=protocol, prompts=prompts)
    tell("judge.archive", folder=str(folder), count=count)
