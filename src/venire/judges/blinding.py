"""What a judge may know: opaque handles, fences around hostile text, and names of models that leak through it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from venire.domain.canonical import digest

MASK = "■"
"""What stands for each character of a masked name, so that offsets stay the same."""
_SHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

_SEPARATORS = re.compile(r"[\s._-]+")
# Everything but the letters, digits and signs that most texts are made of; only these are looked at one by one.
_UNCOMMON = re.compile("[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u3001-\u9fff\uff01-\uff9f]")


class Leak(msgspec.Struct, frozen=True):
    """A place where the judged text names the model that wrote it."""

    start: int
    """Where the name begins."""
    end: int
    """Where the name ends."""


def sample_handle(sample_digest: str) -> str:
    """Return the opaque name under which a blind judge knows a sample.

    >>> sample_handle("0" * 64)
    'item-8825b1edc0'
    """
    return f"item-{digest('handle', sample_digest)[:10]}"


def fence_for(seed: int, task_id: str) -> str:
    """Return the mark that fences judged text in one request.

    It depends on the text itself, through the task's id, so that no text can hold its own fence.
    """
    code = hashlib.blake2b(task_id.encode(), key=str(seed).encode()[:64], digest_size=8).hexdigest()
    return f"===DATA-{code}==="


def show_controls(text: str) -> str:
    r"""Make control, zero-width and bidi characters and odd line ends visible; line feeds and tabs stay.

    >>> show_controls("a\u202eb")
    'a⟦U+202E⟧b'
    """
    if text.replace("\n", "").replace("\t", "").isprintable():  # Most texts are, and this is soon known.
        return text
    return _UNCOMMON.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    character = match.group()
    return f"⟦U+{ord(character):04X}⟧" if unicodedata.category(character) in _SHOWN else character


def names_of(model: str) -> tuple[str, ...]:
    """Return the names under which a model may be spoken of: in full, and without its vendor's path.

    >>> names_of("openai/gpt-4o")
    ('openai/gpt-4o', 'gpt-4o')
    """
    return tuple(dict.fromkeys((model, model.rpartition("/")[2])))


def find_leaks(text: str, names: Iterable[str]) -> tuple[Leak, ...]:
    """Find the names of a model in its own output; blanks, hyphens and dots may differ, and Chinese may adjoin.

    >>> find_leaks("I am GLM 4.7.", ["glm-4.7"])
    (Leak(start=5, end=12),)
    """
    folded = text.casefold()
    for beginnings, pattern in _patterns(tuple(names)):
        if any(beginning in folded for beginning in beginnings):
            return tuple(Leak(*match.span()) for match in pattern.finditer(text))
    return ()


def mask_leaks(text: str, leaks: tuple[Leak, ...]) -> str:
    """Put a mask of the same length over each leak."""
    for leak in leaks:
        text = text[: leak.start] + MASK * (leak.end - leak.start) + text[leak.end :]
    return text


@lru_cache(maxsize=256)
def _patterns(names: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the pattern of some names, and the words of which one must be there for it to be worth a search."""
    long_enough = [name for name in names if len(name.strip()) >= 3]
    if not long_enough:
        return ()
    loose = sorted({_loose_pattern(name) for name in long_enough}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(loose)})(?![A-Za-z0-9])", re.IGNORECASE)
    beginnings = tuple(_SEPARATORS.split(name.strip().casefold())[0] for name in long_enough)
    return ((beginnings, pattern),)


def _loose_pattern(name: str) -> str:
    return r"[\s._-]?".join(re.escape(part) for part in _SEPARATORS.split(name.strip()) if part)
