"""A sentence that knows its code and values, so that it can be said again in another language."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from venire.words.language import Words

if TYPE_CHECKING:
    from collections.abc import Mapping


class Said(str):
    """A text in English, as records keep it, with the code and the values that it was made from.

    It is a text for everyone who does not ask for more; once it was stored and read again it is nothing but that text.
    """

    __slots__ = ("code", "values")
    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, values: Mapping[str, Any]) -> Said:
        """Say it in English."""
        said = super().__new__(cls, Words("en")(code, **values))
        said.code, said.values = code, values
        return said

    def __reduce__(self) -> tuple[Any, ...]:
        return (Said, (self.code, self.values))


def say(code: str, /, **values: object) -> Said:
    """Return the sentence of a code; values may be sentences themselves, or lists of them.

    >>> say("list.of", items=(say("unknown"), "b"))
    'not known, b'
    """
    return Said(code, values)


def clauses(*parts: str) -> str:
    """Join what is not empty by semicolons; what was said by code can still be said in another language.

    >>> clauses(say("unknown"), "", "b")
    'not known; b'
    """
    given = [part for part in parts if part]
    return reduce(lambda first, second: say("list.clauses", first=first, second=second), given) if given else ""


def coded(value: Any) -> Any:
    """Return what a sentence was made from as plain values, for `said_again`; other values stay as they are."""
    if isinstance(value, Said):
        return {"code": value.code, "values": {name: coded(each) for name, each in value.values.items()}}
    if isinstance(value, tuple | list):
        return [coded(each) for each in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def said_again(text: str, made_from: Any) -> str:
    """Return a stored text as a sentence that knows its code.

    The text as it is stays if this version of Venire would not say just that: what was stored is what was said.
    """
    try:
        again = _made(made_from)
    except (LookupError, ValueError, TypeError, AttributeError):
        return text
    return again if isinstance(again, Said) and again == text else text


def _made(value: Any) -> Any:
    if isinstance(value, dict):
        return say(value["code"], **{name: _made(each) for name, each in value["values"].items()})
    return [_made(each) for each in value] if isinstance(value, list) else value


def as_text(value: object) -> object:
    """Encode a sentence as its English text: the `enc_hook` of whatever writes records."""
    if isinstance(value, Said):
        return str(value)
    raise TypeError(f"cannot encode a {type(value).__name__}")
