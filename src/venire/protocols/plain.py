"""A rubric in plain words: what is asked, what is scored and on which scale; everything else has a default.

    ask: You judge an answer of our support bot.
    score:
      helpful: Does it answer the question?
      polite: Is it friendly, without grovelling?
    scale: 1-5

It becomes a full protocol, so that nothing downstream knows the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from venire.domain.protocol import Words
from venire.errors import ProtocolError
from venire.protocols.plain_scale import (
    PlainScale,
    defaults,
    in_each,
    is_chinese,
    is_of_languages,
    is_upside_down,
    read_scale,
    scale_texts,
)
from venire.yaml_source import Place, YamlSource, unknown_key_hint

KEYS = ("ask", "score", "scale", "evidence", "verdict", "materials", "id", "version", "title")
"""What a rubric in plain words may say."""

_DIMENSION_KEYS = ("ask", "name", "levels")
_OF_FULL_PROTOCOLS = frozenset({"extends", "dimensions", "scales", "shape", "instructions", "overall"})
_MEANT = {
    "criteria": "score", "criterion": "score", "dimensions": "score", "rubric": "score", "questions": "score",
    "prompt": "ask", "instructions": "ask", "question": "ask", "description": "ask", "asks": "ask",
    "levels": "scale", "scales": "scale", "range": "scale", "quotes": "evidence", "threshold": "verdict",
}  # fmt: skip
"""Words that other tools, and full protocols, use for the same."""

OVERALL = "overall_score"
"""The key of the overall score in replies."""


def is_plain(value: Mapping[str, Any]) -> bool:
    """Tell whether a protocol is written in plain words: it has words of theirs, or none of a full protocol's."""
    return "score" in value or "ask" in value or not (_OF_FULL_PROTOCOLS & value.keys())


def expand(source: YamlSource, default_id: str) -> YamlSource:
    """Return the full protocol that a rubric stands for, with the lines of the rubric; raises all that is wrong."""
    reading = _RubricReading(source, default_id)
    value, lines = reading.full()
    if reading.problems:
        raise ProtocolError.all_of(reading.problems)
    return YamlSource(source.name, value, lines)


def default_name(dimension_id: str) -> str:
    """Return the name of a dimension that has no other.

    >>> default_name("tone_of_voice")
    'Tone of voice'
    """
    words = re.sub(r"[\s_]+", " ", dimension_id).strip()
    words = words.lower() if words.isupper() else words
    return words[:1].upper() + words[1:]


def default_verdict(low: int, high: int, dimensions: int) -> dict[str, float]:
    """Return the default rule: PASS at three quarters of the way up or more, FAIL at one quarter or less.

    On a scale of two levels nothing lies between: a PASS needs the higher one for every dimension.
    """
    if high - low == 1:
        return {"fail_at_most": high * dimensions - 1, "pass_at_least": high * dimensions}
    quarter = (high - low) / 4
    return {"fail_at_most": (low + quarter) * dimensions, "pass_at_least": (high - quarter) * dimensions}


class _RubricReading:
    """Reads one rubric, and notes everything that is wrong with it."""

    def __init__(self, source: YamlSource, default_id: str) -> None:
        self.problems: list[ProtocolError] = []
        self._source = source
        self._value: dict[str, Any] = source.value
        self._default_id = default_id
        self._lines: dict[Place, int] = {(): source.lines.get((), 1)}
        self._languages = _languages(self._value)

    def full(self) -> tuple[dict[str, Any], dict[Place, int]]:
        """Return the keys of the full protocol, and the lines that they come from."""
        self._refuse_unknown((), KEYS)
        scale = self._scale()
        dimensions = list(self._dimensions(scale))
        names = [each["name"] for each in dimensions]
        value = {
            "id": self._text_or("id", self._default_id),
            "version": str(self._value.get("version", "1")),
            "title": self._words(("title",), self._value.get("title"), _joined(names, self._languages)),
            "source": self._general("source"),
            "shape": "sample",
            "instructions": self._words(("ask",), self._value.get("ask"), self._general("ask")),
            "scales": [self._full_scale(scale)],
            "dimensions": dimensions,
            "overall": {"field": OVERALL, "rule": "sum"},
            "evidence": self._evidence(),
            "verdict": self._switched(
                "verdict", default_verdict(scale.minimum, scale.maximum, max(1, len(dimensions))), None
            ),
            "materials": self._value.get("materials"),
        }
        self._came_from(("instructions",), ("ask",))
        for key in ("id", "version", "title", "evidence", "verdict", "materials"):
            for place in self._source.lines:
                if place[:1] == (key,):
                    self._came_from(place, place)
        return value, self._lines

    def _scale(self) -> PlainScale:
        given = self._value.get("scale", "1-5")
        scale = read_scale(given)
        if scale is None:
            self._refuse(("scale",), "error.plain.scale", found=str(given))
            return PlainScale(1, 5)
        if scale.names and is_upside_down(tuple(scale.names)):
            names = tuple(scale.names)
            line = f"scale: [{', '.join(reversed(names))}]"
            self._refuse(("scale",), "error.plain.upside_down", first=names[0], last=names[-1], line=line)
        return scale

    def _full_scale(self, scale: PlainScale) -> dict[str, Any]:
        self._came_from(("scales", 0), ("scale",))
        given = self._value.get("scale")
        for name in given if isinstance(given, dict) else ():
            if (score := scale.score_of(name)) is not None:
                self._came_from(("scales", 0, "levels", score), ("scale", name))
        levels = scale_texts(scale, self._languages)
        ends = {"minimum": scale.minimum, "maximum": scale.maximum}
        return {"id": scale.id, **ends, "integer": True, "levels": levels}

    def _dimensions(self, scale: PlainScale) -> Iterator[dict[str, Any]]:
        given = self._value.get("score")
        if isinstance(given, str) and given.strip():
            given = {"score": given}
        if not isinstance(given, dict) or not given:
            self._refuse(("score",), "error.plain.score")
            return
        for position, (key, item) in enumerate(given.items()):
            place: Place = ("score", key)
            self._came_from(("dimensions", position), place)
            yield self._dimension(position, key, item, scale)

    def _dimension(self, position: int, key: str, item: Any, scale: PlainScale) -> dict[str, Any]:
        place: Place = ("score", key)
        parts = item if isinstance(item, dict) and not is_of_languages(item) else {"ask": item}
        if parts is item:
            self._refuse_unknown(place, _DIMENSION_KEYS)
        dimension_id = re.sub(r"\s+", "_", key.strip())
        if not (parts.get("ask") or parts.get("levels")):
            self._refuse(place, "error.plain.question", name=key)
        asks = self._words((*place, "ask"), parts.get("ask"), in_each(default_name(dimension_id), self._languages))
        name = self._words((*place, "name"), parts.get("name"), in_each(default_name(dimension_id), self._languages))
        self._came_from(("dimensions", position, "asks"), (*place, "ask"))
        dimension = {"id": dimension_id, "name": name, "asks": asks}
        levels = self._levels(position, place, parts.get("levels"), scale)
        return {**dimension, "levels": levels} if levels else dimension

    def _levels(self, position: int, place: Place, given: Any, scale: PlainScale) -> dict[str, Words]:
        if given is None:
            return {}
        if not isinstance(given, dict):
            self._refuse((*place, "levels"), "error.plain.levels", name=place[-1], line=_level_line(scale))
            return {}
        levels: dict[str, Words] = {}
        for level, text in given.items():
            score, at = scale.score_of(level), (*place, "levels", level)
            if score is None:
                known = tuple(scale.names) or (scale.id,)
                self._refuse(at, "error.plain.level", level=level, name=place[-1], known=known)
            elif text is not None:
                levels[score] = self._words(at, text, {})
                self._came_from(("dimensions", position, "levels", score), at)
        return dict(sorted(levels.items(), key=lambda each: -int(each[0])))

    def _words(self, place: Place, given: Any, default: Words) -> Words:
        """Return a text by language."""
        if given is None:
            return default
        if isinstance(given, bool | int | float):
            given = str(given)
        if is_of_languages(given) or (isinstance(given, str) and given.strip()):
            return in_each(given, self._languages)
        self._refuse(place, "error.plain.text", line=f'{place[-1]}: "…"')
        return default

    def _text_or(self, key: str, default: str) -> str:
        return str(self._value.get(key, default))

    def _evidence(self) -> Any:
        usual = {"required": "every_dimension"}
        given = self._switched("evidence", usual, {"required": "none"})
        return {**usual, **given}

    def _switched(self, key: str, default: Any, without: Any) -> Any:
        """Return what a key that may be a yes, a no or the full form's mapping stands for."""
        given = self._value.get(key, True)
        if isinstance(given, bool):
            return default if given else without
        if isinstance(given, dict):
            return given
        self._refuse((key,), "error.plain.switch", key=key, found=str(given))
        return default

    def _general(self, key: str) -> Words:
        known: Words = defaults()[key]
        return {language: known.get(language, known["en"]) for language in self._languages}

    def _refuse_unknown(self, place: Place, known: Sequence[str]) -> None:
        holder: Any = self._value
        for step in place:
            holder = holder[step]
        for key in holder:
            if key not in known:
                hint = unknown_key_hint(key, known, _MEANT.get(key))
                where = self._source.where((*place, key))
                self.problems.append(ProtocolError("error.yaml.unknown_key", where=where, hint=hint, key=key))

    def _refuse(self, place: Place, code: str, **values: Any) -> None:
        self.problems.append(ProtocolError(code, where=self._source.where(place), **values))

    def _came_from(self, place: Place, plain: Place) -> None:
        if plain in self._source.lines:
            self._lines[place] = self._source.lines[plain]


def _languages(value: Any) -> tuple[str, ...]:
    """Return the languages that a rubric is written in: those it names, or else Chinese or English by its letters."""
    named = dict.fromkeys(language for texts in _by_language(value) for language in texts)
    return tuple(named) or (("zh",) if is_chinese(str(value)) else ("en",))


def _by_language(value: Any) -> Iterator[dict[str, str]]:
    if is_of_languages(value):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _by_language(each)


def _joined(names: Sequence[Words], languages: Sequence[str]) -> Words:
    """Return the names of dimensions as a title."""
    return {
        language: ("、" if language == "zh" else ", ").join(name.get(language, "") for name in names) or "…"
        for language in languages
    }


def _level_line(scale: PlainScale) -> str:
    low, high = (next((name for name, score in scale.names.items() if score == str(end)), str(end))
                 for end in (scale.minimum, scale.maximum))  # fmt: skip
    return f'levels: {{{low}: "…", {high}: "…"}}'
