"""What a judge may know: opaque handles, fences around hostile text, and names of models that leak through it."""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Iterable

import msgspec

from venire.domain.canonical import digest

MASK = "■"
"""What stands for each character of a masked name, so that offsets stay the same."""
_SHOWN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


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
    code = hmac.digest(str(seed).encode(), task_id.encode(), "sha256").hex()[:16]
    return f"===DATA-{code}==="


def show_controls(text: str) -> str:
    r"""Make control, zero-width and bidi characters and odd line ends visible; line feeds and tabs stay.

    >>> show_controls("a\u202eb")
    'a⟦U+202E⟧b'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"⟦U+{ord(character):04X}⟧"
        if character not in "\n\t" and unicodedata.category(character) in _SHOWN
        else character
        for character in text.replace("\r\n", "\n")
    )


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
    patterns = {_loose_pattern(name) for name in names if len(name.strip()) >= 3}
    if not patterns:
        return ()
    found = re.finditer(
        rf"(?<![A-Za-z0-9])(?:{'|'.join(sorted(patterns, key=len, reverse=True))})(?![A-Za-z0-9])", text, re.IGNORECASE
    )
    return tuple(Leak(*match.span()) for match in found)


def mask_leaks(text: str, leaks: tuple[Leak, ...]) -> str:
    """Put a mask of the same length over each leak."""
    for leak in leaks:
        text = text[: leak.start] + MASK * (leak.end - leak.start) + text[leak.end :]
    return text


def _loose_pattern(name: str) -> str:
    return r"[\s._-]?".join(re.escape(part) for part in re.split(r"[\s._-]+", name.strip()) if part)
