"""`venire ledger`: set up a ledger in a database, copy ledgers between stores, and to and from Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import words
from venire.cli.terminal.printing import tell
from venire.errors import UsageError


@click.group(cls=HelpedGroup)
def ledger() -> None:
    """Set up ledgers in PostgreSQL, and copy ledgers between stores, to Parquet files and back."""


@ledger.command()
@click.argument("url")
@click.option("--writer", "writers", multiple=True, metavar="ROLE")
@click.option("--reader", "readers", multiple=True, metavar="ROLE")
@click.option("--server", "servers", multiple=True, metavar="ROLE")
def init(url: str, writers: tuple[str, ...], readers: tuple[str, ...], servers: tuple[str, ...]) -> None:
    """Make a ledger in a PostgreSQL database, or bring an older one up to date."""
    from venire.workflows.ledgers import set_up_ledger

    done = set_up_ledger(url, writers=(*writers, *servers), readers=readers)
    from venire.server.people.registry_postgres import set_up_people  # It needs the driver, which is there by now.

    set_up_people(url, servers)
    if done.found_version == 0:
        tell("ledger.made", where=done.where, version=done.version)
    elif done.found_version < done.version:
        tell("ledger.updated", where=done.where, earlier=done.found_version, version=done.version)
    else:
        tell("ledger.up_to_date", where=done.where, version=done.version)
    for kind, roles in (("writer", writers), ("reader", readers), ("server", servers)):
        for role in roles:
            tell(f"ledger.{kind}", role=role)


@ledger.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy(source: str, target: str) -> None:
    """Copy a ledger into an empty one, or go on with an earlier copy."""
    from venire.workflows.copy_ledger import copy_ledger
    from venire.workflows.ledgers import opened_ledger

    if target == "memory:":
        raise UsageError("error.cli.copy_in_memory")
    with (
        opened_ledger(source, read_only=True) as opened,
        opened_ledger(target) as into,
        _bar(opened.head().sequence) as show,
    ):
        done = copy_ledger(opened, into, show)
    tell("ledger.copied", copied=done.copied, sequence=done.head.sequence, hash=done.head.hash)


@ledger.command("export")
@click.argument("source", metavar="LEDGER")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path, exists=True))
def export_folder(source: str, folder: Path, key: Path | None) -> None:
    """Write a ledger as a folder of Parquet files with a manifest, for DuckDB, Spark and pandas."""
    from venire.workflows.audit import load_key
    from venire.workflows.export_parquet import export_run
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(source, read_only=True) as opened:
        done = export_run(opened, folder, load_key(key) if key else None)
    files = len(done.files)
    tell("ledger.exported", entries=done.head.sequence, files=files, folder=str(folder), hash=done.head.hash)


@ledger.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("target", metavar="LEDGER")
@click.option("--public-key")
def import_folder(folder: Path, target: str, public_key: str | None) -> None:
    """Copy an exported folder into an empty ledger, after every file, link and signature was verified."""
    from venire.workflows.export_parquet import ParquetRun, import_run
    from venire.workflows.ledgers import opened_ledger

    length = ParquetRun(folder).head().sequence
    with opened_ledger(target) as into, _bar(length) as show:
        done = import_run(folder, into, public_key, show)
    tell("ledger.imported", copied=done.copied, sequence=done.head.sequence, hash=done.head.hash)


@contextmanager
def _bar(length: int) -> Iterator[Callable[[int, int], None]]:
    with click.progressbar(length=length, label=words()("ledger.copying"), show_pos=True) as bar:
        yield lambda number, _: bar.update(number - bar.pos)
