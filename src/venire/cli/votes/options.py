"""The options that commands on votes share, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from venire.domain.vote import VoterPrompt

_TAGGED = re.compile(r"([a-z]{2,3})=(.*)", re.DOTALL)
"""A question with the tag of its language."""

source_argument = click.argument("source")
"""A table of votes or a ledger."""
several_sources = click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
"""A table of votes, a ledger, or Parquet files that are read in shards."""


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which votes are read and chosen."""
    return table_options(click.option("--prompt")(command))


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which tables are read."""
    for option in reversed(
        [
            click.option("--column", multiple=True, metavar="FIELD=COLUMN"),
            click.option("--assume-zone", metavar="ZONE"),
            click.option(
                "--duplicates",
                type=click.Choice(["latest", "first", "all", "error"]),
                default="latest",
                show_default=True,
            ),
        ]
    ):
        command = option(command)
    return command


label_option = click.option("--labels", is_flag=True)
"""Lets votes be classes."""


def decay_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which votes age."""
    for option in reversed(
        [
            click.option("--decay", default="0.1/day", show_default=True),
            click.option("--batch", default="1d", show_default=True),
            click.option("--critical-variance", type=float, default=0.05, show_default=True),
            click.option("--as-of", metavar="TIME"),
        ]
    ):
        command = option(command)
    return command


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which tables are written."""
    for option in reversed(
        [
            click.option(
                "--format", type=click.Choice(["table", "csv", "json", "parquet"]), default="table", show_default=True
            ),
            click.option("--output", "-o", type=click.Path(path_type=Path), callback=_in_a_folder),
            click.option("--limit", type=click.IntRange(min=0), default=40, show_default=True),
        ]
    ):
        command = option(command)
    return command


def _in_a_folder(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before votes are read, which may take long."""
    from venire.errors import UsageError

    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise UsageError("error.cli.output", path=str(path))
    return path


def shard_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which many Parquet files, or large ones, are worked on."""
    for option in reversed(
        [
            click.option("--engine", type=click.Choice(["local", "processes", "ray"])),
            click.option("--address", default="", metavar="HOST:PORT"),
            click.option("--workers", type=click.IntRange(min=1)),
            click.option("--quiet", is_flag=True),
        ]
    ):
        command = option(command)
    return command


def options_of(given: dict[str, Any], *, times_needed: bool = True) -> Any:
    """Return the reading options as the reader takes them; a command that offers labels tells them by itself."""
    from venire.errors import UsageError
    from venire.votes.reading.duplicates import Duplicates
    from venire.votes.reading.table import VoteOptions

    columns = {}
    for pair in given["column"]:
        field, separator, column = pair.partition("=")
        if not separator:
            raise UsageError("error.cli.column", found=pair)
        columns[field] = column
    return VoteOptions(
        columns=columns,
        assume_zone=given["assume_zone"],
        duplicates=Duplicates(given["duplicates"]),
        times_needed=times_needed,
        labels=(given["labels"] or None) if "labels" in given else False,
    )


def decay_of(given: dict[str, Any]) -> Any:
    """Return the terms of decay."""
    from venire.votes.decay.terms import Batching, Decay, parse_rate

    return Decay(parse_rate(given["decay"]), Batching.parse(given["batch"]), given["critical_variance"])


def parse_moment(text: str | None) -> datetime | None:
    """Read a moment with its zone; None stays None."""
    from venire.errors import UsageError

    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError("error.cli.not_a_time", found=text) from None
    if moment.tzinfo is None:
        raise UsageError("error.cli.no_zone", found=text)
    return moment


def read_prompt(given: str) -> VoterPrompt:
    """Read a voter prompt of one's own, given as `ID=FILE`."""
    from venire.domain.vote import VoterPrompt
    from venire.errors import UsageError
    from venire.inputs.encoding import decode_utf8
    from venire.inputs.problems import unreadable

    name, separator, path = given.partition("=")
    if not separator or not path:
        raise UsageError("error.cli.prompt_text", found=given)
    try:
        return VoterPrompt(name, decode_utf8(Path(path).read_bytes(), path).strip())
    except OSError as error:
        raise unreadable(error, path) from error


def read_questions(given: Sequence[str], usual: str) -> VoterPrompt:
    """Read a question in one or several languages, each as `LANGUAGE=TEXT`; without a tag it is in the usual one.

    The first is what voters see whose languages are not among them.
    """
    from venire.domain.canonical import digest
    from venire.domain.vote import VoterPrompt
    from venire.errors import UsageError

    said: dict[str, str] = {}
    for each in given:
        tag, text = found.groups() if (found := _TAGGED.fullmatch(each)) else (usual, each)
        if not text.strip() or tag in said:
            raise UsageError("error.cli.question", found=each)
        said[tag] = text.strip()
    name = f"question-{digest('voter-questions', said)[:8]}"
    return VoterPrompt(name, next(iter(said.values())), said if len(said) > 1 else {})
