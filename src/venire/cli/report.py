"""`venire report`: what a ledger or a table of scores says, and how far to trust it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import asked_language, language
from venire.cli.arguments.sources import LocatedSource, locate_source, table_choices, table_options, version_option
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, open_console

if TYPE_CHECKING:
    from venire.reports.outputs.in_report import ReportOutputs
    from venire.reports.report import Report

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(cls=HelpedCommand)
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG|TABLE|CHECK]")
@click.option("--html", type=_FILE)
@click.option("--no-outputs", is_flag=True)
@click.option("--json", "json_file", type=_FILE)
@click.option("--csv", type=_FOLDER)
@click.option("--parquet", type=_FOLDER)
@click.option("--full", is_flag=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--labels", type=_FILE)
@click.option("--include-self", is_flag=True)
@click.option("--count-recovered", is_flag=True)
@click.option("--factor", "factors", multiple=True)
@click.option("--structure", default="")
@click.option("--all-pairs", is_flag=True)
@click.option("--bayesian", is_flag=True)
@click.option("--protocol", default="")
@click.option("--profile", default="")
@version_option
@table_options
@click.option("--decay", default="0.1/day", show_default=True)
@click.option("--batch", default="1d", show_default=True)
def report(source: str, labels: Path | None, **options: Any) -> int:
    """Report scores, drift, judges, agreement and bias, every number with its uncertainty and its sources."""
    from venire.workflows.analyse import analyse
    from venire.workflows.evidence.label_file import read_labels
    from venire.workflows.outputs.in_report import analyse_with_outputs

    located = locate_source(source)
    choices = _choices(options, located)
    given = read_labels(labels) if labels else ()
    outputs: ReportOutputs | None = None
    if options["html"] is not None and not options["no_outputs"]:
        made, outputs = analyse_with_outputs(located.location, choices, labels=given)
    else:
        made = analyse(located.location, choices, labels=given)
    written = _write(made, outputs, options)
    for path in written:
        echo(str(path))
    if not written:
        from venire.reports.terminal.report import print_report

        print_report(open_console(), made, language(), full=options["full"])
    return 0


def _choices(options: dict[str, Any], located: LocatedSource) -> Any:
    from venire.reports.report import Choices
    from venire.votes.decay.terms import Batching, Decay, parse_rate

    return Choices(
        seed=options["seed"],
        decay=Decay(parse_rate(options["decay"]), Batching.parse(options["batch"])),
        count_recovered=options["count_recovered"] or located.count_recovered,
        include_self=options["include_self"],
        factors=options["factors"],
        protocol=options["protocol"],
        profile=options["profile"],
        judge_versions=options["judge_version"],
        structure_dimension=options["structure"],
        all_pairs=options["all_pairs"],
        bayesian=options["bayesian"],
        **table_choices(options),
        rollup=located.rollup,
    )


def _write(made: Report, outputs: ReportOutputs | None, options: dict[str, Any]) -> list[Path]:
    from venire.reports.formats.table_files import encode_report, write_tables

    written: list[Path] = []
    if options["html"] is not None:
        from venire.reports.page.html_page import html_page

        put_file(options["html"], html_page(made, language(), outputs).encode())
        written.append(options["html"])
    if options["json_file"] is not None:
        put_file(options["json_file"], encode_report(made, asked_language()))
        written.append(options["json_file"])
    for kind in ("csv", "parquet"):
        if options[kind] is not None:
            written += write_tables(made, options[kind], kind)
    return written
