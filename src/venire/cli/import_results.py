"""`venire import`: bring what another evaluation tool judged into a ledger."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.settings import once, print_problems
from venire.cli.terminal.printing import tell
from venire.words.said import say

if TYPE_CHECKING:
    from venire.errors import InputError
    from venire.workflows.import_results import ImportedScorer

_TOOLS = ("deepeval", "inspect", "mlflow", "openai-evals", "promptfoo")


@click.command("import", cls=HelpedCommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("--ledger", required=True)
@click.option("--from", "tool", type=click.Choice(_TOOLS), default=None)
@click.option("--partial", is_flag=True)
def import_command(files: tuple[Path, ...], ledger: str, tool: str | None, partial: bool) -> None:
    """Bring what Inspect, promptfoo, DeepEval, MLflow or OpenAI Evals judged into a ledger."""
    from venire.workflows.import_results import import_results
    from venire.workflows.ledgers import opened_ledger

    problems: list[InputError] = []
    protocols: dict[str, None] = {}
    with opened_ledger(ledger) as opened:
        for file in files:
            try:
                done = import_results(opened, file, tool or "", once(problems) if partial else None)
            finally:
                print_problems(problems)
                problems.clear()
            tell("import.file", file=str(file), written_by=done.written_by, samples=done.samples)
            for scorer in done.scorers:
                _print_scorer(scorer)
                protocols.setdefault(scorer.protocol.id)
    if protocols:
        code = "import.next" if len(protocols) == 1 else "import.next_of_several"
        tell(code, ledger=shlex.quote(ledger), protocol=shlex.quote(next(iter(protocols))))


def _print_scorer(scorer: ImportedScorer) -> None:
    """Say what was found of a scorer."""
    tell(
        "import.scorer",
        protocol=scorer.protocol.id,
        judges=scorer.judges,
        judgements=scorer.judgements,
        added=scorer.added or say("import.nothing_new"),
    )
    for code, count in (("invalid", scorer.invalid), ("missing", scorer.missing), ("changed", scorer.changed)):
        if count:
            tell(f"import.{code}", count=count)
