"""The `venire` command: finds a subcommand, and turns errors into exit codes."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from venire.cli.arguments.command import HelpedGroup
from venire.cli.arguments.examples import EXAMPLES
from venire.cli.arguments.language import teach_click, words
from venire.cli.terminal.files import NO_ROOM
from venire.cli.terminal.printing import echo, mark
from venire.cli.terminal.standard_streams import STANDARD_OUTPUT, guard_standard_streams
from venire.version import __version__

_COMMANDS = {
    "check": "venire.cli.check:check",
    "init": "venire.cli.init:init",
    "collect": "venire.cli.collecting.collect:collect",
    "run": "venire.cli.collecting.run:run",
    "plan": "venire.cli.plan:plan",
    "prompt": "venire.cli.prompt:prompt",
    "judge": "venire.cli.judge:judge",
    "canaries": "venire.cli.instruments.canaries:canaries",
    "voir-dire": "venire.cli.instruments.voir_dire:voir_dire",
    "report": "venire.cli.report:report",
    "view": "venire.cli.view:view",
    "trace": "venire.cli.trace:trace",
    "compare": "venire.cli.decide.compare:compare",
    "rank": "venire.cli.decide.rank:rank",
    "gate": "venire.cli.decide.gate:gate",
    "weights": "venire.cli.weights:weights",
    "votes": "venire.cli.votes.commands:votes",
    "labels": "venire.cli.labels:labels",
    "serve": "venire.cli.serve:serve",
    "keys": "venire.cli.keys:keys",
    "audit": "venire.cli.audit:audit",
    "import": "venire.cli.import_results:import_command",
    "export": "venire.cli.export:export",
    "ledger": "venire.cli.ledger:ledger",
    "protocol": "venire.cli.protocol:protocol",
    "local": "venire.cli.local:local",
}
"""Where each command lives; a command is imported only when it is used."""

GROUPS = {
    "begin": ("init", "plan", "judge", "report", "view"),
    "prepare": ("protocol", "prompt", "collect", "import", "local"),
    "judge": ("run", "check", "voir-dire", "canaries", "weights"),
    "look": ("trace", "compare", "rank", "gate"),
    "people": ("votes", "labels", "serve", "keys"),
    "record": ("audit", "export", "ledger"),
}
"""What people want, and the commands for it, in the order in which help lists them."""


class LazyGroup(HelpedGroup):
    """A group of commands that are imported only when they are used, so that help is quick."""

    code = "help"

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return [name for names in GROUPS.values() for name in names if name in _COMMANDS]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what people want; those that a newcomer needs come first."""
        known = words()
        there = self.list_commands(ctx)
        widest = max(map(len, there))
        for group, names in GROUPS.items():
            with formatter.section(known(f"cli.group.{group}")):
                formatter.write_dl([(name.ljust(widest), self.summary(name, known)) for name in names if name in there])

    def examples(self, ctx: click.Context) -> tuple[str, ...]:
        """Return an example of each command that a newcomer needs."""
        del ctx
        return tuple(EXAMPLES[f"help.{name}"][0] for name in GROUPS["begin"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for one that does not exist."""
        import difflib

        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            meant = words()("cli.did_you_mean", possibility=repr(near[0])) if near else ""
            ctx.fail(words()("sentence.between").join((words()("cli.no_command", name=args[0]), meant)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what is wrong with its arguments or input is told in its language."""
        from venire.errors import VenireError

        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.show()
        except VenireError as error:
            _tell(error.said(words()))
        return 2


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="venire")
def cli() -> None:
    """Judge model outputs with juries you can audit."""


teach_click()


def main(args: list[str] | None = None) -> Any:
    """Run the command line and exit with its code."""
    guard_standard_streams()
    try:
        code = cli.main(args=args, prog_name="venire", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        echo(words()("cli.interrupted"), err=True)
        sys.exit(3)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except OSError as error:  # A file of the user's that no command foresaw: full disks, missing rights.
        if error.filename is None and error.errno not in NO_ROOM:
            raise
        from venire.errors import os_reason

        named = words()("cli.standard_output") if error.filename == STANDARD_OUTPUT else error.filename
        _tell((words()("error.at", where=str(named)) if named else "") + words().of(os_reason(error)))
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: str) -> None:
    """Print an error; names in it may have been chosen by somebody else, for a terminal to obey."""
    echo(mark(words()("cli.error_mark"), "red", bold=True), error, err=True)
