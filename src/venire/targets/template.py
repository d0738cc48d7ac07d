r"""Prompts with variables: `{{name}}` is filled in; `\{{` stands for two braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from venire.errors import ConfigError

_MARK = re.compile(r"\\\{\{|\{\{|\}\}")


class Template(msgspec.Struct, frozen=True):
    """A text in parts: every second one is the name of a variable."""

    parts: tuple[str, ...]
    """Text, name, text, name, … text."""
    where: str
    """Where it stands, for a reader."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order in which they stand."""
        return tuple(dict.fromkeys(self.parts[1::2]))

    def fill(self, value: Callable[[str], str]) -> str:
        """Return the text with a value for each variable.

        >>> parse_template("Say {{word}} twice: {{ word }}.", "prompt").fill({"word": "yes"}.__getitem__)
        'Say yes twice: yes.'
        """
        return "".join(value(part) if place % 2 else part for place, part in enumerate(self.parts))


def parse_template(text: str, where: str) -> Template:
    """Read a prompt; raises `ConfigError` with the line for braces that are not closed or hold no name."""
    parts, literal, start, opened = [], "", 0, -1
    for mark in _MARK.finditer(text):
        sign = mark.group()
        if opened >= 0:
            if sign != "}}":
                raise _not_closed(text, opened, where)
            name = text[start : mark.start()].strip()
            if not name or "\n" in name:
                raise ConfigError("error.prompt.no_name", where=_place(text, opened, where))
            parts += [literal, name]
            literal, start, opened = "", mark.end(), -1
        elif sign == "{{":
            literal += text[start : mark.start()]
            start, opened = mark.end(), mark.start()
        elif sign != "}}":
            literal += text[start : mark.start()] + "{{"
            start = mark.end()
    if opened >= 0:
        raise _not_closed(text, opened, where)
    return Template((*parts, literal + text[start:]), where)


def value_in(values: Mapping[str, str], where: str) -> Callable[[str], str]:
    """Return what looks a variable up; it raises `ConfigError` for one that is not there."""

    def look_up(name: str) -> str:
        if name not in values:
            known = tuple(map(repr, values))
            raise ConfigError("error.prompt.no_variable", where=where, name=name, known=known)
        return values[name]

    return look_up


def _not_closed(text: str, offset: int, where: str) -> ConfigError:
    found = text[offset : offset + 40].splitlines()[0]
    return ConfigError("error.prompt.not_closed", where=_place(text, offset, where), found=found, brace="}}")


def _place(text: str, offset: int, where: str) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"{where}:{line}"
