"""`venire report`: what a ledger or a table of scores says, and how far to trust it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venire.cli.sources import LocatedSource, locate_source, table_choices, table_options, version_option
from venire.cli.terminal.printing import echo, open_console

if TYPE_CHECKING:
    from venire.reports.report import Report

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG|TABLE|CHECK]")
@click.option("--html", type=_FILE, help="Write one self-contained page.")
@click.option("--json", "json_file", type=_FILE, help="Write every number with its rows; `venire trace` reads it.")
@click.option("--csv", type=_FOLDER, help="Write each table as a CSV file into this folder.")
@click.option("--parquet", type=_FOLDER, help="Write each table as a Parquet file into this folder.")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="The report's language.")
@click.option("--full", is_flag=True, help="Show every table in the terminal, not the main ones alone.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of resampling.")
@click.option(
    "--labels", type=_FILE, help="What people said: output_id, score or verdict, perhaps dimension and rater."
)
@click.option("--include-self", is_flag=True, help="Count judgements of a judge's own outputs, and say so.")
@click.option(
    "--count-recovered", is_flag=True, help="Count judgements recovered from replies that are not strict JSON."
)
@click.option(
    "--factor",
    "factors",
    multiple=True,
    help="Slice by this column only, and compare outputs where it is equal; repeatable.",
)
@click.option("--structure", default="", help="The dimension whose lowest score is a hard break.")
@click.option("--all-pairs", is_flag=True, help="Compare every two target models, also if there are more than 12.")
@click.option("--protocol", default="", help="The digest or its beginning, where there are several; or its file.")
@click.option("--profile", default="", help="The set of rules, where judgements were made under several.")
@version_option
@table_options
@click.option("--decay", default="0.1/day", show_default=True, help="How votes age: λ with its unit, or a half-life.")
@click.option("--batch", default="1d", show_default=True, help="Which votes are averaged first: vote, a number or 12h.")
def report(source: str, lang: str, labels: Path | None, **options: Any) -> int:
    """Report scores, drift, judges, agreement and bias, every number with its uncertainty and its sources.

    The source is a ledger, a configuration whose ledger is meant, a table (CSV, Parquet…) with a row for each output
    and judge, or what `venire check` wrote: its JSON, JSON Lines or archive. Without files to write, the main part of
    the report is shown in the terminal, and all of it with --full.
    """
    from venire.workflows.analyse import analyse
    from venire.workflows.evidence.from_table import read_labels

    located = locate_source(source)
    choices = _choices(options, located)
    made = analyse(located.location, choices, labels=read_labels(labels) if labels else ())
    written = _write(made, options, lang)
    for path in written:
        echo(str(path))
    if not written:
        from venire.reports.terminal.report import print_report

        print_report(open_console(highlight=False), made, lang, full=options["full"])
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
        **table_choices(options),
        rollup=located.rollup,
    )


def _write(made: Report, options: dict[str, Any], lang: str) -> list[Path]:
    from venire.reports.formats.table_files import encode_report, write_tables

    written: list[Path] = []
    if options["html"] is not None:
        from venire.reports.page.html_page import html_page

        _put(options["html"], html_page(made, lang).encode())
        written.append(options["html"])
    if options["json_file"] is not None:
        _put(options["json_file"], encode_report(made, lang))
        written.append(options["json_file"])
    for kind in ("csv", "parquet"):
        if options[kind] is not None:
            written += write_tables(made, options[kind], kind)
    return written


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
