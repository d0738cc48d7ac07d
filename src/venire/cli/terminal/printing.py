"""Everything that a command prints for people passes here: control characters are shown, never obeyed.

Names of outputs, models, voters and files are chosen by others, and a terminal obeys what it is sent. Formats for
machines go through `write`, as they are.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from venire.cli.arguments.language import words
from venire.domain.hidden import show_controls

if TYPE_CHECKING:
    from rich.console import Console


class Mark(str):
    """A text in a colour of ours."""

    __slots__ = ()


def mark(text: str, colour: str, *, bold: bool = False) -> Mark:
    """Return a text, of ours or not, in a colour."""
    return Mark(click.style(show_controls(text), fg=colour, bold=bold))


GOOD, BAD = mark("✓", "green"), mark("✗", "red")
"""What holds, and what does not."""


def echo(*parts: object, err: bool = False, nl: bool = True) -> None:
    """Print parts one behind the other, with control characters shown in all but marks."""
    shown = (part if isinstance(part, Mark) else show_controls(str(part)) for part in parts)
    click.echo("".join(shown), err=err, nl=nl)


def tell(code: str, *, mark: Mark | None = None, err: bool = False, **values: object) -> None:
    """Print the sentence of a code in the language of the running command, behind a mark if there is one."""
    echo(*((mark, " ") if mark else ()), words()(code, **values), err=err)


def write(text: str | bytes, *, nl: bool = True) -> None:
    """Print what a program is to read, as it is: in UTF-8, whatever a terminal would be written in."""
    if isinstance(text, str) and sys.stdout is not None and not sys.stdout.isatty():
        text = click.unstyle(text).encode()
    click.echo(text, nl=nl)


def open_console(**options: Any) -> Console:
    """Return a console that shows control characters, whatever is printed on it, and colours nothing by itself."""
    from rich.console import Console
    from rich.segment import Segment

    class ShowingConsole(Console):
        """A console that leaves its own codes alone, and shows those of others."""

        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                shown = segment.text if segment.control else show_controls(segment.text)
                yield segment if shown == segment.text else Segment(shown, segment.style)

    return ShowingConsole(**{"highlight": False, **options})


def print_line(console: Console, line: str) -> None:
    """Print a sentence on one line, however narrow the console is; brackets in it are no marks of colour."""
    console.print(line, soft_wrap=True, markup=False)
