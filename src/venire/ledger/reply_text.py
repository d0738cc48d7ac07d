"""The text of a reply stands in the ledger once: the server's answer and the judge's quotes refer to it.

Of a server's answer the ledger holds what stands around the text, and where the text belongs; of a judgement the
places of quotes and reasons in the text. What cannot be found there letter by letter is stored as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from venire.domain.judgement import Evidence, Judgement

Escapes = Literal["utf8", "ascii", "html"]
"""How a server writes text in JSON: only what must be escaped; all but ASCII too; or `<`, `>` and `&` too."""

SHORT = 24
"""Text of so few characters stands where it is used: a place would not be shorter."""

Words = tuple[int, int, int, int]
"""Where a quote begins and ends in the text of the reply, and its reason; -1 for what is stored as it is."""

_NOWHERE: Words = (-1, -1, -1, -1)


class TextPlace(msgspec.Struct, frozen=True):
    """Where the text of a reply belongs in the server's answer."""

    at: int
    """How many bytes of the answer stand before it."""
    escapes: Escapes
    """How the server has written it."""


def cut_text(body: bytes, text: str) -> tuple[bytes, TextPlace | None]:
    """Return a server's answer without the text of its reply, and its place; None if the text is not found in it."""
    for escapes, written in _WRITTEN.items():
        letters = written(text)
        at = _find_long(body, letters) if len(letters) > SHORT else -1
        if at >= 0:
            return body[:at] + body[at + len(letters) :], TextPlace(at, escapes)
    return body, None


def _find_long(body: bytes, letters: bytes) -> int:
    """Return where letters stand first; Python studies long ones for longer than it takes to find how they begin."""
    at = body.find(letters[:SHORT])
    return at if at < 0 or body.startswith(letters, at) else body.find(letters, at)


def whole_body(blob: bytes, text: str, place: TextPlace | None) -> bytes:
    """Return a server's answer as it came, from the blob of its reply.

    >>> text = "what the judge has replied"
    >>> blob, place = cut_text(b'{"content": "what the judge has replied"}', text)
    >>> blob, whole_body(blob, text, place)
    (b'{"content": }', b'{"content": "what the judge has replied"}')
    """
    return blob if place is None else blob[: place.at] + _WRITTEN[place.escapes](text) + blob[place.at :]


def cut_words(judgement: Judgement, text: str) -> tuple[Judgement, tuple[Words, ...]]:
    """Return a judgement without the quotes and reasons that stand in the text of its reply, and their places."""
    words: list[Words] = []
    stored = _with_evidence(judgement, lambda evidence: _cut_all(evidence, text, words))
    return (judgement, ()) if words.count(_NOWHERE) == len(words) else (stored, tuple(words))


def _cut_all(evidence: Iterable[Evidence], text: str, words: list[Words]) -> list[Evidence]:
    """Return evidence without what stands in the text, and add its places to the words."""
    stored = []
    behind = 0  # Most quotes and reasons stand behind those before them, where they are found sooner.
    for each in evidence:
        quote, reason = each.quote, each.reason
        end = reason_end = -1
        if (start := _find_from(behind, text, quote)) >= 0:
            quote, behind = "", (end := start + len(quote))
        if (reason_start := _find_from(behind, text, reason)) >= 0:
            reason, behind = "", (reason_end := reason_start + len(reason))
        words.append((start, end, reason_start, reason_end))
        stored.append(msgspec.structs.replace(each, quote=quote, reason=reason))
    return stored


def _find_from(behind: int, text: str, words: str) -> int:
    """Return where words stand from a place on, or else before it; -1 for short ones and if they stand nowhere."""
    if len(words) <= SHORT:
        return -1
    start = text.find(words, behind)
    return start if start >= 0 else text.find(words)


def fill_words(judgement: Judgement, words: Sequence[Words], text: str) -> Judgement:
    """Return a judgement as `cut_words` was given it; raises `ValueError` if there are too few places."""
    if not words:
        return judgement
    places: Iterator[Words] = iter(words)

    def fill(each: Evidence) -> Evidence:
        place = next(places, None)
        if place is None:
            raise ValueError("more quotes than places of quotes")
        start, end, reason_start, reason_end = place
        return msgspec.structs.replace(
            each,
            quote=each.quote if start < 0 else text[start:end],
            reason=each.reason if reason_start < 0 else text[reason_start:reason_end],
        )

    return _with_evidence(judgement, lambda evidence: map(fill, evidence))


def _with_evidence(judgement: Judgement, change: Callable[[tuple[Evidence, ...]], Iterable[Evidence]]) -> Judgement:
    evidence = tuple(change(judgement.evidence))
    if not judgement.entries:
        return msgspec.structs.replace(judgement, evidence=evidence)
    entries = tuple(_with_evidence(each, change) for each in judgement.entries)
    return msgspec.structs.replace(judgement, evidence=evidence, entries=entries)


def _utf8(text: str) -> bytes:
    return msgspec.json.encode(text)


def _ascii(text: str) -> bytes:
    return json.dumps(text).encode()


def _html(text: str) -> bytes:
    escaped: dict[str, str | int | None] = {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
    return msgspec.json.encode(text).decode().translate(str.maketrans(escaped)).encode()


_WRITTEN: dict[Escapes, Callable[[str], bytes]] = {"utf8": _utf8, "ascii": _ascii, "html": _html}
