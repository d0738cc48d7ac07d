"""The form of a text, measured without a judge: length, headings, JSON, script, and words that refusals begin with."""

from __future__ import annotations

import re
import unicodedata

import msgspec

from venire.stats.drift.forbidden_words import forbidden_in

_HEADING = re.compile(
    r"^(?:#{1,6}[ \t]+(\S.*?)[ \t#]*|\[([^\[\]\n]{1,80})\]|\*\*([^*\n]{1,80})\*\*:?)[ \t]*$", re.MULTILINE
)
_FENCE = re.compile(r"^\s*```[a-zA-Z]*\n(.*)\n```\s*$", re.DOTALL)
_REFUSAL = re.compile(
    r"^\W*(?:(?:i(?:'|’)?m |i am )?(?:sorry|afraid)\b"
    r"|i (?:can(?:'|’)?t|cannot|can not|won(?:'|’)?t|am unable|must decline)\b"
    r"|as an ai\b|很?抱歉|对不起|(?:我)?无法(?:提供|回答|协助|帮助|满足)|(?:我)?不能(?:提供|回答|协助|帮助))",
    re.IGNORECASE,
)
_LOOKED_AT = 4000
"""How many letters of a text tell its script."""


class TextForm(msgspec.Struct, frozen=True, gc=False):
    """What a text looks like."""

    characters: int
    """How long it is."""
    headings: tuple[str, ...]
    """Lines that are headings by their marks: `# …`, `[…]` or `**…**`."""
    sections: tuple[int, ...]
    """How many characters stand under each heading."""
    is_json: bool
    """Whether it is one JSON object or array, in a code fence or not."""
    script: str
    """The script of most letters: `han`, `latin`, another one in small letters, or empty for none."""
    begins_as_refusal: bool
    """Whether it begins with words that refusals begin with, in English or Chinese; no more than a hint."""
    forbidden: tuple[str, ...] = ()
    """Which of the words that it should not use stand in it."""


def form_of(text: str, forbidden: tuple[str, ...] = ()) -> TextForm:
    r"""Measure a text, and look for words that should not be in it.

    >>> form = form_of("# One\ntext\n# Two\n")
    >>> form.headings, form.sections, form.script, form.is_json
    (('One', 'Two'), (4, 0), 'latin', False)
    """
    found = list(_HEADING.finditer(text))
    ends = [*(each.start() for each in found[1:]), len(text)]
    return TextForm(
        characters=len(text),
        headings=tuple(next(filter(None, each.groups())) for each in found),
        sections=tuple(len(text[each.end() : end].strip()) for each, end in zip(found, ends, strict=False)),
        is_json=_is_json(text),
        script=_script(text),
        begins_as_refusal=bool(_REFUSAL.match(text)),
        forbidden=forbidden_in(text, forbidden),
    )


def _is_json(text: str) -> bool:
    fenced = _FENCE.match(text)
    body = (fenced[1] if fenced else text).strip()
    if body[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _script(text: str) -> str:
    counts: dict[str, int] = {}
    for letter in text[:_LOOKED_AT]:
        if letter.isascii():
            name = "latin" if letter.isalpha() else ""
        else:
            name = unicodedata.name(letter, "").partition(" ")[0].lower() if letter.isalpha() else ""
        if name:
            name = "han" if name == "cjk" else name
            counts[name] = counts.get(name, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else ""
