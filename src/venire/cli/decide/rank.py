"""`venire rank`: models in the order of their strength, from judged pairs."""

from __future__ import annotations

from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.sources import name_values
from venire.cli.terminal.printing import open_console


@click.command(cls=HelpedCommand)
@click.argument("source", metavar="LEDGER_OR_TABLE")
@click.option("--column", "columns", multiple=True, callback=name_values, metavar="FIELD=COLUMN")
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@click.option("--protocol", default="")
@click.option("--elo", "with_elo", is_flag=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def rank(
    source: str, columns: dict[str, str], level: float, protocol: str, *, with_elo: bool, json_file: Path | None
) -> int:
    """Rank models by judged pairs."""
    from venire.cli.terminal.ranking_tables import print_ranking
    from venire.workflows.rank import rank_pairs, ranking_record

    found = rank_pairs(source, columns, level=level, with_elo=with_elo, protocol=protocol)
    print_ranking(open_console(), found)
    if json_file is not None:
        import msgspec

        from venire.words.said import as_text

        json_file.parent.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.encode(ranking_record(found), enc_hook=as_text)
        json_file.write_bytes(msgspec.json.format(text, indent=1) + b"\n")
    return 1 if found.ranking.reason else 0
