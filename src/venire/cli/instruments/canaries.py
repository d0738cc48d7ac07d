"""`venire canaries`: whether judges have changed since their first verdicts on anchors, and who moved the scores."""

from __future__ import annotations

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.terminal.printing import open_console


@click.command(cls=HelpedCommand)
@click.argument("ledger")
def canaries(ledger: str) -> int:
    """Say of each judge whether it has changed."""
    from venire.cli.terminal.canary_tables import print_finding
    from venire.workflows.instruments.findings import read_canaries

    found = read_canaries(ledger)
    console, words = open_console(highlight=False), report_words()
    for each in found:
        print_finding(console, each, words)
    return 1 if any(each.evidence.has_changed for each in found) else 0
