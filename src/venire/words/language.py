"""The words of one language: sentences by their codes, with values filled in."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
"""Where the files of words lie, one for each language."""

DEFAULT = "en"
"""The language of records, and of whoever has chosen none."""


class _Count(int):
    """A count that brings its noun: `{n:output/outputs}` gives `1 output` or `2 outputs`.

    `{n:,vote/votes}` sets thousands apart.
    """

    def __format__(self, forms: str) -> str:
        if "/" not in forms:
            return format(int(self), forms)
        return _with_noun(format(int(self), "," if forms.startswith(",") else ""), forms.lstrip(","))


class _Amount(float):
    """A number that need not be whole, and brings its noun likewise."""

    def __format__(self, forms: str) -> str:
        return _with_noun(f"{float(self):g}", forms) if "/" in forms else format(float(self), forms)


class _Text(str):
    """A text that may be a count as well, written out already: it brings its noun likewise."""

    __slots__ = ()

    def __format__(self, forms: str) -> str:
        return _with_noun(str(self), forms.lstrip(",")) if "/" in forms else format(str(self), forms)


def _with_noun(count: str, forms: str) -> str:
    one, _, more = forms.partition("/")
    return f"{count} {one if count == '1' else more}"


class Words:
    """All sentences in one language; what a language does not have yet is said in English."""

    def __init__(self, language: str = DEFAULT) -> None:
        self.language = language
        self._texts = _texts(FOLDER, language)

    def __call__(self, code: str, /, **values: Any) -> str:
        """Return the sentence of a code with its values filled in."""
        text = self._texts[code]
        if not values and "{{" not in text:
            return text
        return text.format_map({name: self._shown(value) for name, value in values.items()})

    def __contains__(self, code: object) -> bool:
        """Tell whether there is a sentence of this code."""
        return code in self._texts

    def of(self, text: str) -> str:
        """Return a text in this language if it has a code, as a `Said` has; any other stays as it is."""
        code = getattr(text, "code", None)
        return text if code is None else self(code, **getattr(text, "values", {}))

    def _shown(self, value: Any) -> Any:
        if isinstance(value, str):
            return _Text(self.of(value))
        if isinstance(value, tuple | list):
            return self._texts["list"].join(str(self._shown(each)) for each in value)
        if isinstance(value, bool):
            return value
        if isinstance(value, float):
            return _Amount(value)
        return _Count(value) if isinstance(value, Integral) else value


def languages() -> tuple[str, ...]:
    """Return the languages that there are words in, English first."""
    found = sorted(path.stem for path in FOLDER.glob("*.json"))
    return (DEFAULT, *(each for each in found if each != DEFAULT))


def preferred_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language that the environment asks for: VENIRE_LANG, or else the locale's; English for any other."""
    for name in ("VENIRE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            asked = environment[name].partition(".")[0].partition("_")[0].partition("-")[0].lower()
            return asked if asked in languages() else DEFAULT
    return DEFAULT


@cache
def _texts(folder: Path, language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((folder / f"{language}.json").read_text("utf-8"))
    return texts if language == DEFAULT else _texts(folder, DEFAULT) | texts
