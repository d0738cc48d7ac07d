"""`venire keys`: who may use the server of a ledger."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.language import words
from venire.cli.serve import require_server
from venire.cli.terminal.printing import echo, open_console, tell
from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.server.options import ServerOptions
    from venire.server.people.registry import Registry

ledger_option = click.option("--ledger")
config_option = click.option("--config", type=click.Path(path_type=Path))
_LEAST_WIDTH = 132  # On a narrower terminal lines go on below: ids that other commands ask for must not be cut.
_COLUMNS = ("id", "kind", "role", "pseudonym", "made", "ends", "revoked", "name")
days_option = click.option("--days", type=click.FloatRange(0, 36_500, min_open=True))


@click.group(cls=HelpedGroup)
def keys() -> None:
    """Make, list and revoke keys and invitations for the server of a ledger."""


@keys.command()
@ledger_option
@config_option
@click.option("--role", type=click.Choice(["curator", "operator", "reader", "juror"]), required=True)
@click.option("--name", default="")
@days_option
def create(ledger: str | None, config: Path | None, role: str, name: str, days: float | None) -> None:
    """Make a key for a program, or for a person who logs in with it; it is shown once."""
    options = _options(ledger, config)
    from venire.server.people.person import Role
    from venire.server.people.registry import CredentialKind

    registry = _open(options, for_new=True)
    lifetime = timedelta(days=days) if days else None
    issued = registry.issue(CredentialKind.KEY, Role(role), name=name, lifetime=lifetime)
    registry.close()
    echo(issued.secret)
    tell("keys.made", id=issued.credential.id, who=issued.credential.pseudonym, err=True)


@keys.command()
@ledger_option
@config_option
@click.option("--url")
@click.option("--count", type=click.IntRange(1, 100_000), default=1, show_default=True)
@click.option("--name", default="")
@click.option("--open", "is_open", is_flag=True)
@days_option
def invite(
    ledger: str | None,
    config: Path | None,
    url: str | None,
    count: int,
    name: str,
    is_open: bool,
    days: float | None,
) -> None:
    """Print invitation links for jurors, one for each; whoever opens a link first votes under its pseudonym."""
    if name and (count > 1 or is_open):
        raise UsageError("error.cli.one_name")
    options = _options(ledger, config, public_url=url)
    from venire.server.people.person import Role
    from venire.server.people.registry import CredentialKind

    registry = _open(options, for_new=True)
    lifetime = timedelta(days=days or 7)
    for _ in range(count):
        kind = CredentialKind.OPEN_LINK if is_open else CredentialKind.INVITATION
        issued = registry.issue(kind, Role.JUROR, name=name, lifetime=lifetime)
        echo(f"{options.address}/login#{issued.secret}")
        tell(
            "keys.opened" if is_open else "keys.invited",
            id=issued.credential.id,
            who=issued.credential.pseudonym,
            err=True,
        )
    if url is None and config is None:
        tell("keys.address_assumed", address=options.address, err=True)
    registry.close()


@keys.command(name="list")
@ledger_option
@config_option
def list_keys(ledger: str | None, config: Path | None) -> None:
    """List keys and invitations, without their secrets."""
    from rich.table import Table
    from rich.text import Text

    registry = _open(_options(ledger, config))
    known = words()
    titles = [known(f"keys.column.{name}") for name in _COLUMNS]
    table = Table(*titles, box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for each in registry.list_all():
        moments = (each.created_at, each.expires_at, each.revoked_at)
        shown = (text[:16].replace("T", " ") for text in moments)
        named = (known(f"keys.value.{name}") for name in (each.kind, each.role))
        table.add_row(each.id, *named, each.pseudonym, *shown, Text(each.name))
    registry.close()
    console = open_console()
    console.width = max(console.width, _LEAST_WIDTH)
    console.print(table)


@keys.command()
@ledger_option
@config_option
@click.argument("key_id", metavar="ID")
def revoke(ledger: str | None, config: Path | None, key_id: str) -> None:
    """Revoke a key or invitation and end its sessions; a running server sees it within a second."""
    registry = _open(_options(ledger, config))
    try:
        revoked = registry.revoke(key_id)
    finally:
        registry.close()
    tell(f"keys.revoked_{revoked.kind}", id=revoked.id, who=revoked.pseudonym)


@keys.command()
@ledger_option
@config_option
@click.argument("invitation_id", metavar="ID")
def free(ledger: str | None, config: Path | None, invitation_id: str) -> None:
    """Let an invitation be opened again: its juror has lost the browser that it was opened in."""
    registry = _open(_options(ledger, config))
    try:
        freed = registry.free_invitation(invitation_id)
    finally:
        registry.close()
    tell("keys.freed", id=freed.id, who=freed.pseudonym)


@keys.command()
@ledger_option
@config_option
@click.argument("pseudonym")
def forget(ledger: str | None, config: Path | None, pseudonym: str) -> None:
    """Delete a person's name and keys; what the ledger holds under the pseudonym stays, and so do its links."""
    registry = _open(_options(ledger, config))
    try:
        registry.forget(pseudonym)
    finally:
        registry.close()
    tell("keys.forgotten", who=pseudonym)


def _open(options: ServerOptions, *, for_new: bool = False) -> Registry:
    from venire.server.people.registry import Registry
    from venire.workflows.ledgers import require_ledger

    place = options.registry
    if place is None:
        raise UsageError("error.cli.keys_in_memory")
    if for_new:
        require_ledger(options.ledger)
    elif isinstance(place, Path) and not place.exists():
        raise UsageError("error.cli.no_keys", where=str(place))
    return Registry(place)


def _options(ledger: str | None, config: Path | None, **said: str | None) -> ServerOptions:
    require_server()
    from venire.server.config_file import load_options

    if ledger is None and config is None:
        raise UsageError("error.cli.keys_of_what")
    return load_options(config, ledger=ledger, **said)
