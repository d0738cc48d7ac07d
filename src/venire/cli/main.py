"""The `venire` command: finds a subcommand, and turns errors into exit codes."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from venire.cli.terminal.printing import echo, mark
from venire.version import __version__

_COMMANDS = {
    "check": ("venire.cli.check:check", "Check judges' replies against a protocol, or verify an archive."),
    "init": ("venire.cli.init:init", "Write a starter configuration."),
    "plan": ("venire.cli.plan:plan", "Show what a run would ask and cost."),
    "prompt": ("venire.cli.prompt:prompt", "Show exactly what would be sent to a judge."),
    "judge": ("venire.cli.judge:judge", "Put samples before a panel of judges."),
    "report": ("venire.cli.report:report", "Say what a ledger shows, and how far to trust it."),
    "trace": ("venire.cli.trace:trace", "Walk from a number of a report to the quotes behind it."),
    "compare": ("venire.cli.compare:compare", "Compare judge versions, runs, models or variants on the same samples."),
    "gate": ("venire.cli.gate:gate", "Pass or fail a release by rules about its scores."),
    "weights": ("venire.cli.weights:weights", "Learn the panel's weights for the next run."),
    "votes": ("venire.cli.votes.commands:votes", "Import, score and trace votes that age."),
    "serve": ("venire.cli.serve:serve", "Serve pages where people vote, watch and audit."),
    "keys": ("venire.cli.keys:keys", "Let people and programs in: keys and invitations."),
    "audit": ("venire.cli.audit:audit", "Verify a ledger, sign its head, hold it against checkpoints."),
    "export": ("venire.cli.export:export", "Write the judgements of a ledger as an archive."),
    "ledger": ("venire.cli.ledger:ledger", "Set up ledgers in PostgreSQL; copy, export and import ledgers."),
    "protocol": ("venire.cli.protocol:protocol", "List, show and check protocols."),
    "local": ("venire.cli.local:local", "Fetch models that judge on this machine."),
}
"""Where each command lives and what it does; a command is imported only when it is used."""


class LazyGroup(click.Group):
    """A group of commands that are imported only when they are used, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for one that does not exist."""
        import difflib

        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"there is no command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="venire")
def cli() -> None:
    """Judge model outputs with juries you can audit.

    Exit codes: 0 fine; 1 findings, such as invalid judgements; 2 wrong usage or input; 3 interrupted, can be resumed.
    """


def main(args: list[str] | None = None) -> Any:
    """Run the command line and exit with its code."""
    from venire.errors import VenireError

    try:
        code = cli.main(args=args, prog_name="venire", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        echo("interrupted", err=True)
        sys.exit(3)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except VenireError as error:
        _tell(str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # A file of the user's that no command foresaw: full disks, missing rights.
        if error.filename is None:
            raise
        _tell(f"{error.filename}: {error.strerror}")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: str) -> None:
    """Print an error; names in it may have been chosen by somebody else, for a terminal to obey."""
    echo(mark("error:", "red", bold=True), f" {error}", err=True)
