"""`venire rank`: models in the order of their strength, from judged pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.sources import name_values
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import open_console


@click.command(cls=HelpedCommand)
@click.argument("source", metavar="LEDGER_OR_TABLE")
@click.option("--column", "columns", multiple=True, callback=name_values, metavar="FIELD=COLUMN")
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@click.option("--protocol", default="")
@click.option("--elo", "with_elo", is_flag=True)
@click.option("--by", type=click.Choice(["judges", "people", "both"]))
@click.option("--decay", default="0.1/day", show_default=True)
@click.option("--batch", default="1d", show_default=True)
@click.option("--as-of", metavar="TIME")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def rank(
    source: str,
    columns: dict[str, str],
    level: float,
    protocol: str,
    by: Literal["judges", "people", "both"] | None,
    decay: str,
    batch: str,
    as_of: str | None,
    *,
    with_elo: bool,
    json_file: Path | None,
) -> int:
    """Rank models by judged pairs."""
    from venire.cli.terminal.ranking_tables import print_ranking
    from venire.cli.votes.options import parse_moment
    from venire.votes.decay.terms import Batching, Decay, parse_rate
    from venire.workflows.rank import rank_pairs, ranking_record

    terms = Decay(parse_rate(decay), Batching.parse(batch))
    moment = parse_moment(as_of)
    found = rank_pairs(
        source, columns, level=level, with_elo=with_elo, protocol=protocol, by=by, decay=terms, as_of=moment
    )
    print_ranking(open_console(), found)
    if json_file is not None:
        import msgspec

        from venire.words.said import as_text

        text = msgspec.json.encode(ranking_record(found), enc_hook=as_text)
        put_file(json_file, msgspec.json.format(text, indent=1) + b"\n")
    return 1 if found.ranking.reason else 0
