"""`venire keys`: who may use the server of a ledger."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.serve import require_server
from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.server.registry import Registry

ledger_option = click.option("--ledger", required=True, help="The ledger whose server the keys are for.")
days_option = click.option("--days", type=click.FloatRange(min=0, min_open=True), help="How many days it holds.")


@click.group()
def keys() -> None:
    """Make, list and revoke keys and invitations for the server of a ledger.

    They lie in a file beside the ledger (LEDGER.people), as SHA-256 of 256 random bits. Deleting that file takes away
    every key and every name, and breaks no link of the ledger.
    """


@keys.command()
@ledger_option
@click.option("--role", type=click.Choice(["curator", "operator", "reader", "juror"]), required=True)
@click.option("--name", default="", help="Whose key it is; kept beside the ledger, never in it.")
@days_option
def create(ledger: str, role: str, name: str, days: float | None) -> None:
    """Make a key for a program, or for a person who logs in with it; it is shown once."""
    from venire.server.people import Role
    from venire.server.registry import CredentialKind

    registry = _open(ledger)
    lifetime = timedelta(days=days) if days else None
    issued = registry.issue(CredentialKind.KEY, Role(role), name=name, lifetime=lifetime)
    registry.close()
    click.echo(issued.secret)
    click.echo(f"key {issued.credential.id} of {issued.credential.pseudonym}; it cannot be shown again", err=True)


@keys.command()
@ledger_option
@click.option("--url", default="http://127.0.0.1:8600", show_default=True, help="The address of the server.")
@click.option("--count", type=click.IntRange(1, 100_000), default=1, show_default=True, help="How many jurors.")
@click.option("--name", default="", help="Who is invited; kept beside the ledger, never in it.")
@days_option
def invite(ledger: str, url: str, count: int, name: str, days: float | None) -> None:
    """Print invitation links for jurors, one for each; whoever opens a link votes under its pseudonym."""
    from venire.server.people import Role
    from venire.server.registry import CredentialKind

    if name and count > 1:
        raise UsageError("a name is one juror's: expected --count 1 with --name")
    registry = _open(ledger)
    lifetime = timedelta(days=days or 7)
    for _ in range(count):
        issued = registry.issue(CredentialKind.INVITATION, Role.JUROR, name=name, lifetime=lifetime)
        click.echo(f"{url.rstrip('/')}/login#{issued.secret}")
        click.echo(f"invitation {issued.credential.id} of {issued.credential.pseudonym}", err=True)
    registry.close()


@keys.command(name="list")
@ledger_option
def list_keys(ledger: str) -> None:
    """List keys and invitations, without their secrets."""
    from rich.console import Console
    from rich.table import Table

    registry = _open(ledger)
    table = Table("id", "kind", "role", "pseudonym", "name", "made", "ends", "revoked")
    for each in registry.list_all():
        moments = (each.created_at, each.expires_at, each.revoked_at)
        table.add_row(each.id, each.kind, each.role, each.pseudonym, each.name, *(text[:16] for text in moments))
    registry.close()
    Console().print(table)


@keys.command()
@ledger_option
@click.argument("key_id", metavar="ID")
def revoke(ledger: str, key_id: str) -> None:
    """Revoke a key or invitation and end its sessions; a running server sees it within a second."""
    registry = _open(ledger)
    try:
        revoked = registry.revoke(key_id)
    finally:
        registry.close()
    click.echo(f"revoked the {revoked.kind} {revoked.id} of {revoked.pseudonym}")


@keys.command()
@ledger_option
@click.argument("pseudonym")
def forget(ledger: str, pseudonym: str) -> None:
    """Delete a person's name and keys; what the ledger holds under the pseudonym stays, and so do its links."""
    registry = _open(ledger)
    try:
        registry.forget(pseudonym)
    finally:
        registry.close()
    click.echo(f"nobody can tell any more who {pseudonym} is")


def _open(ledger: str) -> Registry:
    require_server()
    from venire.server.config_file import registry_beside
    from venire.server.registry import Registry

    path = registry_beside(ledger)
    if not Path(path).parent.exists():
        raise UsageError("there is no such folder", where=str(path.parent), hint="Check the path of the ledger.")
    return Registry(path)
