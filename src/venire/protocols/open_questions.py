"""What a protocol leaves open: nothing wrong, but something that judges would decide each for themselves."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Mapping

from venire.domain.protocol import EvalProtocol, Scale, Words, in_language
from venire.protocols.plain_scale import defaults
from venire.protocols.problems import ProtocolProblem
from venire.words.said import say
from venire.yaml_source import Place

_MOST_SCORES = 11
"""How many scores a scale may have before nobody keeps them apart: 0 to 10, as people use it."""
_ALIKE = 0.85
"""From which share of equal letters on two questions ask the same."""


def find_open_questions(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Yield what a protocol leaves open, each with its place and what could be written."""
    yield from _general_words(protocol)
    yield from _unworded_levels(protocol)
    yield from _equal_levels(protocol)
    yield from _same_questions(protocol)
    yield from _wide_scales(protocol)


def _open(place: Place, code: str, /, **values: object) -> ProtocolProblem:
    return ProtocolProblem(place, say(code, **values), say(f"{code}.hint", **values))


def _general_words(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    """Report dimensions whose scores are explained by Venire's general words only."""
    scale = protocol.scale()
    bare = tuple(each.id for each in protocol.dimensions if not each.levels)
    known = [*defaults()["levels"], defaults()["pass"], defaults()["fail"]]
    if bare and all(_is_among(text, known) for text in scale.levels.values()):
        low, high = f"{scale.minimum:g}", f"{scale.maximum:g}"
        yield _open(("scales", 0), "open.general", dimensions=bare, first=bare[0], low=low, high=high)


def _unworded_levels(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    for position, scale in enumerate(protocol.scales):
        is_used = position > 0 or any(not each.levels for each in protocol.dimensions)
        if is_used and not scale.bands and (missing := _missing(scale, scale.levels)):
            yield _open(("scales", position), "open.scale_levels", scale=scale.id, missing=missing, level=missing[0])
    for position, dimension in enumerate(protocol.dimensions):
        if dimension.levels and (missing := _missing(protocol.scale(), dimension.levels)):
            place = ("dimensions", position, "levels")
            yield _open(place, "open.dimension_levels", dimension=dimension.id, missing=missing, level=missing[0])


def _equal_levels(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    for position, dimension in enumerate(protocol.dimensions):
        for (one, first), (other, second) in itertools.combinations(dimension.levels.items(), 2):
            if first == second:
                place = ("dimensions", position, "levels", one)
                yield _open(place, "open.equal_levels", dimension=dimension.id, one=one, other=other)


def _same_questions(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    language = next(iter(protocol.title), "en")
    asked = [(each.id, _plain(in_language(each.asks, language))) for each in protocol.dimensions]
    for (_, (one, first)), (place, (other, second)) in itertools.combinations(enumerate(asked), 2):
        if first and difflib.SequenceMatcher(None, first, second).ratio() >= _ALIKE:
            yield _open(("dimensions", place, "asks"), "open.same_question", one=one, other=other)


def _wide_scales(protocol: EvalProtocol) -> Iterator[ProtocolProblem]:
    for position, scale in enumerate(protocol.scales):
        count = int(scale.maximum - scale.minimum) + 1
        if scale.integer and count > _MOST_SCORES:
            worded = len(scale.levels)
            yield _open(("scales", position), "open.wide_scale", scale=scale.id, count=count, worded=worded)


def _missing(scale: Scale, levels: Mapping[str, Words]) -> tuple[str, ...]:
    """Return the scores of a scale of whole numbers that have no words; none of a scale too wide to word."""
    if not scale.integer or scale.maximum - scale.minimum >= _MOST_SCORES:
        return ()
    worded = {float(level) for level in levels}
    every = range(int(scale.minimum), int(scale.maximum) + 1)
    return tuple(str(score) for score in every if score not in worded)


def _is_among(text: Words, known: list[Words]) -> bool:
    return any(all(each.get(language) == said for language, said in text.items()) for each in known)


def _plain(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.casefold()))
