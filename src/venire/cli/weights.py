"""`venire weights`: weights for the next run, learnt from the judgements of the last ones."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.sources import locate_source
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import tell
from venire.words.said import say

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=HelpedCommand)
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG]")
@click.option("--out", type=_FILE, required=True)
@click.option("--labels", type=_FILE)
@click.option("--protocol", default="")
def weights(source: str, out: Path, labels: Path | None, protocol: str) -> int:
    """Learn how much each judge should count, and write it for the next run."""
    from venire.judges.weights_file import weights_text
    from venire.reports.report import Choices
    from venire.workflows.evidence.from_source import read_evidence
    from venire.workflows.evidence.label_file import read_labels
    from venire.workflows.learn_weights import learn_weights

    location, recovered, _ = locate_source(source)
    material = read_evidence(location, Choices(protocol=protocol, count_recovered=recovered))
    found = learn_weights(material.with_labels(read_labels(labels) if labels else ()))
    put_file(out, weights_text(found, Path(location).name).encode())
    for judge, each in found.judges.items():
        weight, variance = f"{each.weight:.4f}", each.error_variance
        shown = say("unknown") if variance is None else f"{variance:.3f}"
        tell("weights.judge", judge=judge, weight=weight, variance=shown, scores=each.scores)
    tell("weights.written", method=found.method, path=str(out))
    return 0
