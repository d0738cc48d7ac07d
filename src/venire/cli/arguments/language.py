"""The language that a command speaks: of `--lang`, else of the configuration it reads, else of the environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from venire.words.language import DEFAULT, Words, languages, preferred_language

if TYPE_CHECKING:
    from venire.reports.words import ReportWords

_ASKED, _CONFIGURED = "venire.language.asked", "venire.language.configured"
_OPTION = "--lang"


def language() -> str:
    """Return the language of the running command."""
    context = click.get_current_context(silent=True)
    chosen = context.meta if context else {}
    return str(chosen.get(_ASKED) or chosen.get(_CONFIGURED) or preferred_language())


def asked_language() -> str:
    """Return the language of `--lang`, else English: what programs read does not follow the environment."""
    return str(click.get_current_context().meta.get(_ASKED) or DEFAULT)


def words() -> Words:
    """Return the words of the running command."""
    return Words(language())


def report_words(names: Mapping[str, Mapping[str, str]] | None = None) -> ReportWords:
    """Return the words of the running command with what reports add to them: notes, cells, names of the data."""
    from venire.reports.words import ReportWords

    return ReportWords(language(), names)


def use_configured(configured: str | None) -> None:
    """Speak the language of a configuration from here on, if it names one and `--lang` did not ask for another."""
    if context := click.get_current_context(silent=True):
        context.meta[_CONFIGURED] = configured


def language_option() -> click.Option:
    """Make the option that every command has."""

    def ask(context: click.Context, _: click.Parameter, asked: str | None) -> None:
        if asked:
            context.meta[_ASKED] = asked

    return click.Option(
        [_OPTION], type=click.Choice(languages()), callback=ask, is_eager=True, expose_value=False
    )  # fmt: skip


def hear_language(context: click.Context, arguments: Sequence[str]) -> None:
    """Take up the language of `--lang` before anything is parsed, since help and errors may come first."""
    before = ""
    for each in arguments:
        if each == "--" or (
            isinstance(context.command, click.Group) and not each.startswith("-") and before != _OPTION
        ):
            return
        name, _, value = each.partition("=")
        asked = value if name == _OPTION else each if before == _OPTION else ""
        if asked in languages():
            context.meta[_ASKED] = asked
        before = each


_OF_CLICK = {
    "Usage:": "cli.usage",
    "Options": "cli.options",
    "Commands": "cli.commands",
    "default: {default}": "cli.default",
    "required": "cli.required",
    "Try '{command} {option}' for help.": "cli.try_help",
    "Error: {message}": "cli.error",
    "Invalid value: {message}": "cli.invalid",
    "Invalid value for {param_hint}: {message}": "cli.invalid_for",
    "Missing command.": "cli.missing_command",
    "Missing argument": "cli.missing_argument",
    "Missing option": "cli.missing_option",
    "No such option {name!r}.": "cli.no_option",
    "No such command {name!r}.": "cli.no_command",
    "Did you mean {possibility}?": "cli.did_you_mean",
    "(Did you mean one of: {possibilities}?)": "cli.did_you_mean_one",
    "Choose from:\n\t{choices}": "cli.choose_from",
    "{value!r} is not one of {choices}.": "cli.not_one_of",
    "{value!r} is not a valid {number_type}.": "cli.not_a_number",
    "{value} is not in the range {range}.": "cli.not_in_range",
    "{name} {filename!r} does not exist.": "cli.no_file",
    "{name} {filename!r} is a file.": "cli.is_file",
    "{name} {filename!r} is a directory.": "cli.is_folder",
    "{name} {filename!r} is not readable.": "cli.not_readable",
    "Got unexpected extra argument ({args})": "cli.extra_argument",
    "Got unexpected extra arguments ({args})": "cli.extra_arguments",
    "Takes {nargs} values but 1 was given.": "cli.takes_values",
    "Takes {nargs} values but {len} were given.": "cli.takes_values_given",
    "Argument {name!r} takes {nargs} values.": "cli.argument_takes_values",
    "Option {name!r} does not take a value.": "cli.takes_no_value",
    "Option {name!r} requires an argument.": "cli.needs_value",
    "Option {name!r} requires {nargs} arguments.": "cli.needs_values",
}
"""The codes of what click says by itself; anything else that it may say stays as it is."""


def teach_click() -> None:
    """Let click say its own words in the language of the running command: it passes each through gettext's `_`."""
    from click import core, exceptions, formatting, parser, types

    def said(text: str) -> str:
        code = _OF_CLICK.get(text)
        return words()(code) if code else text

    def counted(one: str, more: str, count: int) -> str:
        return said(one if count == 1 else more)

    modules: tuple[Any, ...] = (core, exceptions, formatting, parser, types)
    for each in modules:
        each._, each.ngettext = said, counted
