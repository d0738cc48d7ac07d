"""`venire labels`: bring people's labels into a ledger, and say which outputs to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import words
from venire.cli.arguments.sources import locate_source
from venire.cli.terminal.printing import echo, open_console, tell

if TYPE_CHECKING:
    from venire.workflows.labels.next_labels import LabelsNext

_FILE = click.Path(path_type=Path, dir_okay=False)
MOST_SHOWN = 20
"""How many outputs the terminal lists; a sheet has all."""


@click.group(cls=HelpedGroup)
def labels() -> None:
    """Labels by people: what judges are held against, and which outputs to label next."""


@labels.command("import")
@click.argument("file", type=_FILE)
@click.option("--ledger", required=True, metavar="LEDGER|CONFIG")
@click.option("--by-model", default="", metavar="NAME")
@click.option("--protocol", default="")
def import_command(file: Path, ledger: str, by_model: str, protocol: str) -> int:
    """Record the labels of FILE in a ledger, where report, compare and gate find them."""
    from venire.workflows.labels.import_labels import import_labels

    done = import_labels(file, locate_source(ledger).location, protocol=protocol, by_model=by_model)
    tell("labels.imported", added=done.added, known=done.known, changed=done.changed)
    if done.by_models:
        tell("labels.by_models", count=done.by_models)
    if done.unmatched:
        tell("labels.unmatched", count=len(done.unmatched), first=done.unmatched[0], err=True)
    return 1 if done.unmatched else 0


@labels.command("next")
@click.argument("ledger", metavar="LEDGER|CONFIG")
@click.option("--n", "count", type=click.IntRange(1), default=50, show_default=True)
@click.option("--random", "at_random", is_flag=True)
@click.option("--models", nargs=2, metavar="A B")
@click.option("--csv", "sheet", type=_FILE)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--protocol", default="")
def next_command(
    ledger: str, count: int, models: tuple[str, str] | None, sheet: Path | None, seed: int, protocol: str, *,
    at_random: bool,
) -> int:  # fmt: skip
    """Draw the outputs whose labels would narrow the answer most, each with its probability."""
    from venire.domain.label import DrawKind
    from venire.workflows.labels.next_labels import labels_next
    from venire.workflows.labels.sheet import write_sheet

    location = locate_source(ledger).location
    kind = DrawKind.RANDOM if at_random else DrawKind.SOUGHT
    found = labels_next(location, count, kind=kind, seed=seed, models=models or (), protocol=protocol)
    _show(found)
    if sheet is not None:
        write_sheet(found, location, sheet)
        tell("labels.sheet", path=str(sheet))
    return 0


def _show(found: LabelsNext) -> None:
    from venire.cli.terminal.comparison_tables import make_table, plain
    from venire.reports.words import number_text

    known = words()
    names = ("output", "model", "score", "spread", "probability", "why")
    table = make_table("", [known(f"labels.column.{name}") for name in names])
    for each in found.outputs[:MOST_SHOWN]:
        score, spread = (
            number_text(value, "score") if value is not None else "–" for value in (each.score, each.spread)
        )
        why = known(f"labels.why.{each.reason.value}")
        table.add_row(
            plain(each.output_id), plain(each.target_model), score, spread, f"{each.probability:.3f}", plain(why)
        )
    open_console().print(table)
    if len(found.outputs) > MOST_SHOWN:
        tell("labels.more", count=len(found.outputs) - MOST_SHOWN)
    waiting = len(found.outputs) - found.fresh
    tell("labels.drawn", fresh=found.fresh, waiting=waiting, labelled=found.labelled, judged=found.judged)
    if found.before:
        tell("labels.before", count=found.before)
    if found.left_out:
        tell("people.undrawn", count=found.left_out)
    echo(known("labels.then"))
