"""`venire weights`: weights for the next run, learnt from the judgements of the last ones."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.sources import locate_source
from venire.cli.terminal.printing import echo

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG]")
@click.option("--out", type=_FILE, required=True, help="Where to write the weights file.")
@click.option(
    "--labels", type=_FILE, help="What people said (output_id, score): errors are then measured against them."
)
@click.option("--protocol", default="", help="The digest or its beginning, where a ledger holds several protocols.")
def weights(source: str, out: Path, labels: Path | None, protocol: str) -> int:
    """Learn how much each judge should count, and write it for the next run.

    A judge counts by one over the variance of its errors. The file holds the digest of each judge: a run that names it
    under `weights:` refuses a judge that has changed since.
    """
    import msgspec

    from venire.judges.weights_file import weights_text
    from venire.reports.report import Choices
    from venire.workflows.evidence.from_source import read_evidence
    from venire.workflows.evidence.from_table import read_labels
    from venire.workflows.learn_weights import learn_weights

    location, recovered, _ = locate_source(source)
    material = read_evidence(location, Choices(protocol=protocol, count_recovered=recovered))
    if labels is not None:
        material = msgspec.structs.replace(material, labels=read_labels(labels))
    found = learn_weights(material)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(weights_text(found, Path(location).name), encoding="utf-8")
    for judge, each in found.judges.items():
        variance = "not known" if each.error_variance is None else f"{each.error_variance:.3f}"
        echo(f"{judge}: {each.weight:.4f} (error variance {variance} over {each.scores} scores)")
    echo(f"{found.method}\nwritten to {out}")
    return 0
