"""The scale of a rubric in plain words: `1-5`, `pass/fail`, or levels with names, from the lowest to the highest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from venire.domain.protocol import Words
from venire.words.language import languages
from venire.yaml_source import read_yaml

_RANGE = re.compile(r"\s*(\d{1,6})\s*(?:-|–|—|\.\.+|…|~|～|to|至|到)\s*(\d{1,6})\s*", re.IGNORECASE)
_PAIRS = ("pass/fail", "yes/no", "true/false", "good/bad", "通过/不通过", "合格/不合格", "是/否", "对/错")
# fmt: off
_GOOD = frozenset({
    "pass", "yes", "true", "good", "best", "great", "excellent", "outstanding", "exemplary", "perfect", "high",
    "strong", "advanced", "full", "通过", "合格", "是", "对", "好", "优", "优秀", "最好", "完美", "高",
})
_BAD = frozenset({
    "fail", "no", "false", "bad", "worst", "poor", "terrible", "unacceptable", "low", "weak", "beginning", "none",
    "missing", "inadequate", "unsatisfactory", "不通过", "不合格", "否", "错", "坏", "差", "劣", "最差", "低", "无",
})
# fmt: on


class PlainScale(msgspec.Struct, frozen=True):
    """The scores of a rubric, with the names that its author gave them."""

    minimum: int
    """The lowest score."""
    maximum: int
    """The highest score."""
    names: Mapping[str, str] = {}
    """The score of each named level, by name."""
    texts: Mapping[str, Words | str] = {}
    """What the author says that scores mean, by score; without a language where only one is written in."""

    @property
    def id(self) -> str:
        """The name of the scale."""
        return f"{self.minimum}-{self.maximum}"

    def score_of(self, level: str) -> str | None:
        """Return the score that an author's name of a level stands for, or None for a level that there is none of."""
        if level in self.names:
            return self.names[level]
        return level if level.isdecimal() and self.minimum <= int(level) <= self.maximum else None


@cache
def defaults() -> dict[str, Any]:
    """Return the texts that a rubric need not give, in each language."""
    text = files("venire.protocols").joinpath("plain_defaults.yaml").read_bytes()
    value: dict[str, Any] = read_yaml(text, "plain_defaults.yaml").value
    return value


def read_scale(given: Any) -> PlainScale | None:
    """Return the scale that an author wrote, or None for what is none.

    >>> read_scale("1-5").id, read_scale(["bad", "fair", "good"]).names
    ('1-5', {'bad': '0', 'fair': '1', 'good': '2'})
    """
    if isinstance(given, str):
        return _read_words(given)
    if isinstance(given, list):
        names = [_name(each) for each in given]
        if len(set(names)) < max(2, len(names)):
            return None
        return read_scale(dict.fromkeys(names, ""))
    if isinstance(given, dict) and all(isinstance(text, str | dict) or text is None for text in given.values()):
        texts = {key: text or "" for key, text in given.items()}
        if texts and all(key.isdecimal() and len(key) < 7 for key in texts):
            scores = sorted(map(int, texts))
            said = {str(int(key)): text for key, text in texts.items() if text}
            return PlainScale(scores[0], scores[-1], texts=said) if len(scores) > 1 else None
        return _named(texts)
    return None


def is_upside_down(names: Sequence[str]) -> bool:
    """Tell whether the words of levels say that the first is the best and the last the worst."""
    return _sounds(names[0], _GOOD) and _sounds(names[-1], _BAD)


def is_upright(names: Sequence[str]) -> bool:
    """Tell whether the words of levels say that the first is the worst, or the last the best."""
    return not is_upside_down(names) and (_sounds(names[0], _BAD) or _sounds(names[-1], _GOOD))


def scale_texts(scale: PlainScale, spoken: Sequence[str]) -> dict[str, Words]:
    """Return what the scores mean, from the highest: the author's words, or where there are none, general ones."""
    if not scale.texts:
        return _general_texts(scale, spoken)
    ordered = sorted(scale.texts.items(), key=lambda item: -int(item[0]))
    return {score: in_each(text, spoken) for score, text in ordered}


def in_each(text: Words | str, spoken: Sequence[str]) -> Words:
    """Return a text by language: one that is written once is the same in all of them."""
    return dict.fromkeys(spoken, text.strip()) if isinstance(text, str) else dict(text)


def is_of_languages(value: Any) -> bool:
    """Tell whether a value is a text by language, such as `{en: …, zh: …}`."""
    return isinstance(value, dict) and bool(value) and value.keys() <= set(languages())


def _read_words(given: str) -> PlainScale | None:
    if match := _RANGE.fullmatch(given):
        low, high = int(match[1]), int(match[2])
        return PlainScale(low, high) if low < high else None
    names = [part.strip() for part in re.split(r"[/／|]", given)]
    folded = "/".join(names).casefold()
    if folded in _PAIRS:
        return _pair(names[1], names[0])
    if folded in ("/".join(reversed(pair.split("/"))) for pair in _PAIRS):
        return _pair(names[0], names[1])
    return None


def _pair(low: str, high: str) -> PlainScale:
    if (low.casefold(), high.casefold()) in (("fail", "pass"), ("不通过", "通过")):
        return PlainScale(0, 1, {low: "0", high: "1"})
    return _named({low: "", high: ""}) or PlainScale(0, 1)


def _named(levels: Mapping[str, Any]) -> PlainScale | None:
    """Return the scale of levels that have names: 0 for the first, and so on."""
    if len(levels) < 2 or not all(name.strip() for name in levels):
        return None
    names = {name: str(score) for score, name in enumerate(levels)}
    return PlainScale(0, len(names) - 1, names, {names[name]: _said(name, text) for name, text in levels.items()})


def _said(name: str, text: Words | str) -> Words | str:
    if isinstance(text, str):
        return f"{name}{_colon(name)}{text.strip()}" if text.strip() else name
    return {language: f"{name}{_colon(said)}{said.strip()}" for language, said in text.items()}


def _colon(text: str) -> str:
    return "：" if is_chinese(text) else ": "


def is_chinese(text: str) -> bool:
    """Tell whether a text has a Chinese character."""
    return any("\u3400" <= each <= "\u9fff" for each in text)


def _general_texts(scale: PlainScale, spoken: Sequence[str]) -> dict[str, Words]:
    """Return general words for as many scores as lie at equal distances: five, three, or only the two ends."""
    known = defaults()
    if scale.names:
        return {"1": _only(known["pass"], spoken), "0": _only(known["fail"], spoken)}
    steps = next(steps for steps in (4, 2, 1) if (scale.maximum - scale.minimum) % steps == 0)
    size = (scale.maximum - scale.minimum) // steps
    return {
        str(scale.minimum + step * size): _only(known["levels"][step * 4 // steps], spoken)
        for step in range(steps, -1, -1)
    }


def _only(words: Words, spoken: Sequence[str]) -> Words:
    return {language: words.get(language, words["en"]) for language in spoken}


def _name(given: Any) -> str:
    """Return the name of a level; YAML reads an unquoted yes or no as something else."""
    return {True: "yes", False: "no"}[given] if isinstance(given, bool) else str(given).strip()


def _sounds(name: str, known: frozenset[str]) -> bool:
    word = re.search(r"\w+", name.casefold())
    return word is not None and word[0] in known
