"""`venire serve`: one address where people vote, watch and audit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import words
from venire.cli.terminal.printing import echo, tell
from venire.cli.votes.opening import SCALES
from venire.errors import UsageError
from venire.event_loop import run_async

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
@click.option("--outputs", type=click.Path(path_type=Path))
@click.option("--voter-prompt", metavar="NAME")
@click.option("--scale", type=click.Choice([*SCALES, "protocol"]))
@click.option("--events", type=click.Path(path_type=Path))
@click.option("--drawn", is_flag=True)
@click.option("--read-only", is_flag=True)
@click.option("--demo", is_flag=True)
def serve(
    ledger: str | None,
    config: Path | None,
    host: str | None,
    port: int | None,
    public_url: str | None,
    signing_key: Path | None,
    outputs: Path | None,
    voter_prompt: str | None,
    scale: str | None,
    events: Path | None,
    drawn: bool,
    read_only: bool,
    demo: bool,
) -> None:
    """Serve a ledger to jurors, curators, readers and programs."""
    require_server()
    from tempfile import TemporaryDirectory

    from venire.server.config_file import load_options

    said: dict[str, object] = {
        "host": host,
        "port": port,
        "public_url": public_url,
        "signing_key": signing_key,
        "events": events,
    }
    said["vote_scale"] = SCALES.get(scale, scale) if scale else None
    if drawn:
        said |= {"drawn": True, "vote_scale": "protocol"}
    if outputs is not None and not demo:
        _open_outputs(outputs, config, ledger, voter_prompt, said)
    elif not demo:
        _serve(load_options(config, ledger=ledger, read_only=read_only or None, voter_prompt=voter_prompt, **said))
    elif ledger or config or read_only or voter_prompt or outputs or drawn or scale:
        raise UsageError("error.cli.demo_alone")
    else:
        with TemporaryDirectory(prefix="venire-demo-") as folder:
            _serve(_demo_options(Path(folder), said))


def _open_outputs(
    outputs: Path, config: Path | None, ledger: str | None, voter_prompt: str | None, said: Mapping[str, object]
) -> None:
    from venire.cli.votes.opening import ledger_beside, open_collection
    from venire.server.config_file import load_options

    options = load_options(config, ledger=ledger or ledger_beside(outputs), voter_prompt=voter_prompt, **said)
    open_collection(outputs, options.ledger, options.voter_prompt, compares=options.vote_scale == "pairs")
    serve_votes(options)


def serve_votes(options: ServerOptions, invitations: int = 0) -> None:
    """Serve outputs to voters: print a link for everybody, invitations for single ones, and a link to the results."""
    _serve(options, is_open=True, invitations=invitations)


def require_server() -> None:
    """Raise `UsageError` with what to install if the server's libraries are not there."""
    try:
        import litestar  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError("error.cli.no_server", library=error.name) from None


def _demo_options(folder: Path, said: Mapping[str, object]) -> ServerOptions:
    from datetime import UTC, datetime

    import msgspec

    from venire.server.demo import make_demo

    tell("serve.making_demo", err=True)
    options = run_async(make_demo(folder, datetime.now(UTC)))
    return msgspec.structs.replace(options, **{name: value for name, value in said.items() if value is not None})


def _serve(options: ServerOptions, *, is_open: bool = False, invitations: int = 0) -> None:
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
    if is_open:
        _print_open_links(court, invitations)
    _print_links(court, renew=is_open)
    with suppress(KeyboardInterrupt):  # The usual way to stop it.
        serve(options, court, listening)


def _print_open_links(court: Court, invitations: int) -> None:
    from datetime import timedelta

    from venire.server.people.person import Role
    from venire.server.people.registry import OPENED_FOR, CredentialKind

    link = court.registry.issue(CredentialKind.OPEN_LINK, Role.JUROR, lifetime=OPENED_FOR)
    tell("serve.open_link", link=f"{court.options.address}/login#{link.secret}", days=OPENED_FOR.days)
    if court.options.is_loopback and not court.options.public_url:
        tell("serve.open_here_only")
    for _ in range(invitations):
        issued = court.registry.issue(CredentialKind.INVITATION, Role.JUROR, lifetime=timedelta(days=7))
        tell("serve.invitation", link=f"{court.options.address}/login#{issued.secret}")


def _print_links(court: Court, *, renew: bool) -> None:
    """Print how to sign in; `renew` gives whoever starts the server a link of an operator each time."""
    from datetime import timedelta

    from venire.server.demo import make_links
    from venire.server.people.person import Role
    from venire.server.people.registry import CredentialKind

    if court.options.demo:
        for each in make_links(court):
            echo(f"  {each.role.value:<9} {each.link}")
    elif renew or not court.registry.has_operator_key():
        issued = court.registry.issue(
            CredentialKind.KEY, Role.OPERATOR, name=words()("serve.starter"), lifetime=timedelta(days=1)
        )
        tell("serve.operator", link=f"{court.options.address}/login#{issued.secret}")
    else:
        tell("serve.log_in")
