"""Commands whose help is looked up by code, `help.COMMAND` and `help.COMMAND.OPTION`, in the language of the reader."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import click

from venire.cli.arguments.examples import EXAMPLES
from venire.cli.arguments.language import hear_language, language_option, words
from venire.cli.arguments.metavars import metavar_of
from venire.words.language import Words

_FILLER = "\x00"
_CLOSES_A_LINE = re.compile(r"(?<=\S)\n( +)([、，。；：？！）”]+)")
_OPENS_A_LINE = re.compile(r"([（“]+)\n( +)(?=\S)")


class WideFormatter(click.HelpFormatter):
    """Wraps lines by the room that letters take on a terminal: a Chinese one takes two places."""

    def write(self, string: str) -> None:
        """Write without what only took up room."""
        super().write(string.replace(_FILLER, ""))

    def getvalue(self) -> str:
        """Return what was written; no line begins with punctuation that closes, or ends with one that opens."""
        hung = _CLOSES_A_LINE.sub(r"\2\n\1", super().getvalue())
        return _OPENS_A_LINE.sub(r"\n\2\1", re.sub(r"(?<=\S)\n +(?=\n)", "\n", hung))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how the command is called."""
        super().write_usage(prog, args, words()("cli.usage_mark") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """Write the title of a section."""
        self.write(" " * self.current_indent + words()("cli.heading", name=heading) + "\n")


class HelpContext(click.Context):
    """A context that wraps by room."""

    formatter_class = WideFormatter


class HelpedCommand(click.Command):
    """A command with `--lang`, which says its help by code."""

    context_class = HelpContext
    group_code = ""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._speaks = not any(each.name == "lang" for each in self.params)
        if self._speaks:
            self.params.append(language_option())
        for each in self.params:
            if isinstance(each, click.Option):
                each.metavar = metavar_of(each)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; help and errors are said in the language asked for, wherever `--lang` comes."""
        if self._speaks:
            hear_language(ctx, args)
        return super().parse_args(ctx, args)

    @property
    def code(self) -> str:
        """The code of its help."""
        return f"{self.group_code or 'help'}.{self.name}".replace("-", "_")

    def option_code(self, option: click.Option, known: Words) -> str:
        """Return the code of an option's sentence: the command's own, or one that commands share."""
        name = max(option.opts, key=len).lstrip("-").replace("-", "_")
        return next(code for code in self._option_codes(name) if code in known)

    def _option_codes(self, name: str) -> Iterator[str]:
        yield f"{self.code}.{name}"
        if self.group_code:
            yield f"{self.group_code}.any.{name}"
        yield f"help.any.{name}"

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does."""
        del ctx
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_in_room(words()(self.code)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options with their sentences."""
        known = words()
        for each in self.get_params(ctx):
            if isinstance(each, click.Option):
                each.help = _in_room(known(self.option_code(each, known)))
        super().format_options(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what to type, as an example."""
        with formatter.section(words()("cli.example")):
            for line in self.examples(ctx):
                formatter.write(" " * formatter.current_indent + line + "\n")

    def examples(self, ctx: click.Context) -> tuple[str, ...]:
        """Return what to type, as examples."""
        del ctx
        return EXAMPLES[self.code]


class HelpedGroup(HelpedCommand, click.Group):
    """A group of commands, listed in the order in which they were added."""

    command_class = HelpedCommand

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Take up a command; its help is found under that of the group."""
        if isinstance(cmd, HelpedCommand):
            cmd.group_code = self.code
        super().add_command(cmd, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        known = words()
        rows = [(name, self.summary(name, known)) for name in self.list_commands(ctx)]
        with formatter.section(known("cli.commands")):
            formatter.write_dl(rows)

    def examples(self, ctx: click.Context) -> tuple[str, ...]:
        """Return the examples of its first command."""
        return EXAMPLES[f"{self.code}.{self.list_commands(ctx)[0]}".replace("-", "_")]

    def summary(self, name: str, known: Words) -> str:
        """Return what a command does in one sentence: its own summary, or the first sentence of its help."""
        code = f"{self.code}.{name}".replace("-", "_")
        if f"{code}.summary" in known:
            return _in_room(known(f"{code}.summary"))
        return _in_room(re.split(r"(?<=\.) |(?<=。)", known(code).partition("\n")[0])[0])


def _in_room(text: str) -> str:
    """Let every wide letter take the room that it needs when lines are wrapped."""
    return "".join(_FILLER + each if unicodedata.east_asian_width(each) in "WF" else each for each in text)
