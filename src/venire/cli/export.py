"""`venire export`: the judgements of a ledger as an archive."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.terminal.printing import echo


@click.command()
@click.argument("ledger")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--protocol", help="The digest, or its beginning, where the ledger holds several protocols.")
@click.option(
    "--prompts/--no-prompts",
    default=True,
    show_default=True,
    help="Whether to keep what judges were sent, which holds the judged outputs.",
)
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="The language of folders and pages.",
)
def export(ledger: str, folder: Path, protocol: str | None, prompts: bool, lang: str) -> None:
    """Write the judgements of a ledger as an archive of valid and invalid evaluations.

    The archive stands alone: each record names question, variant, model, judge and time, also for blind judges; beside
    them are the run log, the prompts, the protocol, and a page in every folder. Others can check it again with
    `venire check FOLDER`.
    """
    from venire.ledger.location import open_ledger
    from venire.reports.wording import Words
    from venire.workflows.export import export_archive

    opened = open_ledger(ledger, read_only=True)
    try:
        count = export_archive(opened, folder, language=lang, protocol=protocol, prompts=prompts)
    finally:
        opened.close()
    echo(Words(lang)("judge.archive", folder=str(folder), count=count))
