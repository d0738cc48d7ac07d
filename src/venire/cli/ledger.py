"""`venire ledger`: set up a ledger in a database, and copy ledgers between stores."""

from __future__ import annotations

import click

from venire.errors import UsageError


@click.group()
def ledger() -> None:
    """Set up ledgers in PostgreSQL, and copy ledgers between stores.

    A ledger is named by the path of a file or by an address such as postgresql://user@host/database. Keep passwords out
    of addresses: ~/.pgpass and PGPASSWORD are read.
    """


@ledger.command()
@click.argument("url")
@click.option("--writer", "writers", multiple=True, metavar="ROLE", help="A role that may append and read; repeatable.")
@click.option("--reader", "readers", multiple=True, metavar="ROLE", help="A role that may read only; repeatable.")
def init(url: str, writers: tuple[str, ...], readers: tuple[str, ...]) -> None:
    """Make a ledger in a PostgreSQL database, or bring an older one up to date.

    Run it as the database's owner, and let programs connect as a role named with --writer, which can neither change nor
    remove entries. Running it again does no harm.
    """
    from venire.ledger.postgres_address import is_postgres, require_driver

    if not is_postgres(url):
        raise UsageError(
            "only ledgers in PostgreSQL are set up", hint="A ledger file is made when it is first written to."
        )
    require_driver(url)
    from venire.ledger.postgres_schema import set_up

    done = set_up(url, writers=writers, readers=readers)
    if done.found_version == 0:
        click.echo(f"made a ledger in {done.where} (schema {done.version})")
    elif done.found_version < done.version:
        click.echo(f"brought {done.where} from schema {done.found_version} to {done.version}")
    else:
        click.echo(f"{done.where} is up to date (schema {done.version})")
    for role in writers:
        click.echo(f"{role} may append and read")
    for role in readers:
        click.echo(f"{role} may read")


@ledger.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy(source: str, target: str) -> None:
    """Copy a ledger into an empty one, or go on with an earlier copy.

    All entries keep their numbers, times and hashes; every link is checked, and the heads are compared at the end.
    """
    from venire.ledger.location import open_ledger
    from venire.workflows.copy_ledger import copy_ledger

    if target == "memory:":
        raise UsageError("a copy in memory would be gone at once", hint="Give the path of a file.")
    opened = open_ledger(source, read_only=True)
    try:
        into = open_ledger(target)
        try:
            with click.progressbar(length=opened.head().sequence, label="copying", show_pos=True) as bar:

                def show(number: int, _: int) -> None:
                    bar.update(number - bar.pos)

                done = copy_ledger(opened, into, show)
        finally:
            into.close()
    finally:
        opened.close()
    click.echo(f"copied {done.copied} entries; both ledgers end with entry {done.head.sequence}, {done.head.hash}")
