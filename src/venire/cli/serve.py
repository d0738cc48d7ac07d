"""`venire serve`: one address where people vote, watch and audit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.terminal.printing import echo, tell
from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.server.court.court import Court
    from venire.server.options import ServerOptions


@click.command(cls=HelpedCommand)
@click.argument("ledger", required=False)
@click.option("--config", type=click.Path(path_type=Path))
@click.option("--host")
@click.option("--port", type=click.IntRange(1, 65535))
@click.option("--public-url", metavar="URL")
@click.option("--signing-key", type=click.Path(path_type=Path))
@click.option("--voter-prompt", metavar="NAME")
@click.option("--events", type=click.Path(path_type=Path))
@click.option("--read-only", is_flag=True)
@click.option("--demo", is_flag=True)
def serve(
    ledger: str | None,
    config: Path | None,
    host: str | None,
    port: int | None,
    public_url: str | None,
    signing_key: Path | None,
    voter_prompt: str | None,
    events: Path | None,
    read_only: bool,
    demo: bool,
) -> None:
    """Serve a ledger to jurors, curators, readers and programs."""
    require_server()
    from tempfile import TemporaryDirectory

    from venire.server.config_file import load_options

    said = {"host": host, "port": port, "public_url": public_url, "signing_key": signing_key, "events": events}
    if not demo:
        _serve(load_options(config, ledger=ledger, read_only=read_only or None, voter_prompt=voter_prompt, **said))
        return
    if ledger or config or read_only or voter_prompt:
        raise UsageError("error.cli.demo_alone")
    with TemporaryDirectory(prefix="venire-demo-") as folder:
        _serve(_demo_options(Path(folder), said))


def require_server() -> None:
    """Raise `UsageError` with what to install if the server's libraries are not there."""
    try:
        import litestar  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError("error.cli.no_server", library=error.name) from None


def _demo_options(folder: Path, said: Mapping[str, object]) -> ServerOptions:
    import asyncio
    from datetime import UTC, datetime

    import msgspec

    from venire.server.demo import make_demo

    tell("serve.making_demo", err=True)
    options = asyncio.run(make_demo(folder, datetime.now(UTC)))
    return msgspec.structs.replace(options, **{name: value for name, value in said.items() if value is not None})


def _serve(options: ServerOptions) -> None:
    from venire.server.court.court import Court
    from venire.server.serve import check_exposure, listen, serve
    from venire.workflows.audit import load_key
    from venire.workflows.ledgers import require_ledger, shown_location

    require_ledger(options.ledger)
    if options.signing_key is not None:
        load_key(options.signing_key)  # Not first when somebody asks for a checkpoint.
    tell("serve.reading", err=True)
    court = Court(options)
    check_exposure(options, court)
    listening = listen(options)
    code, ledger = "serve.serving_behind" if options.public_url else "serve.serving", shown_location(options.ledger)
    tell(code, ledger=ledger, address=options.address, host=options.host, port=str(options.port))
    _print_links(court)
    with suppress(KeyboardInterrupt):  # The usual way to stop it.
        serve(options, court, listening)


def _print_links(court: Court) -> None:
    from datetime import timedelta

    from venire.server.demo import make_links
    from venire.server.people.person import Role
    from venire.server.people.registry import CredentialKind

    if court.options.demo:
        for each in make_links(court):
            echo(f"  {each.role.value:<9} {each.link}")
    elif not court.registry.has_operator_key():
        issued = court.registry.issue(
            CredentialKind.KEY, Role.OPERATOR, name="started the server", lifetime=timedelta(days=1)
        )
        tell("serve.operator", link=f"{court.options.address}/login#{issued.secret}")
    else:
        tell("serve.log_in")
