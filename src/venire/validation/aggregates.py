"""Whether stated aggregates can be recomputed from the scores they summarise.

What the keys or words around a number claim is parsed and recomputed. A claim that is not understood is a note: it is
neither passed nor failed because some number resembles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import islice
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.design import BundleDesign
from venire.domain.flag import Finding
from venire.domain.judge import fold_name
from venire.validation.aggregate_claims import AggregateClaim, EntryTotals, Pair, understand
from venire.validation.aggregate_words import Meaning, Vocabulary
from venire.validation.contract import Path, pointer, show
from venire.validation.scores import as_number
from venire.validation.strict_json import shorten
from venire.words.said import say

MAX_CLAIMS = 1_000
"""How many numbers aggregates may state; recomputing more of them would cost more than any summary is worth."""
_AGGREGATES: Path = ((), "aggregates")
# Chinese puts no blank around a number, so only Latin letters make it part of a name.
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-+]?[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_]|\.[0-9])")
# What a number is out of, such as "/10", is no claim; but "8.2/7.9" are two.
_OUT_OF = re.compile(r"(?:/|\bout of\b|满分[为是]?)\s*[0-9]+(?:\.0+)?(?![A-Za-z0-9_]|\.[0-9])", re.IGNORECASE)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９．－＋／", "0123456789.-+/")
_SENTENCE_END = re.compile(r"[;；。!！?？\n]|\.(?![0-9])")
_PART_END = re.compile(r"[,，、/|]|\b(?:and|while|whereas|but|vs|versus)\b|[而但]", re.IGNORECASE)
_CROSSING = "+×&·"
_LONGEST_PARAGRAPH = 10_000
_SAYS_QUANTITY = frozenset({"quantity", "subject", "entries", "minus"})

Keys = tuple[tuple[Meaning, ...], ...]


class _Place(msgspec.Struct, frozen=True):
    """Where in the aggregates a number is, and what the way there says about it."""

    path: Path
    keys: Keys = ()
    two: Pair | None = None


def check_aggregates(
    given: Any, totals: list[EntryTotals], design: BundleDesign, highest: float
) -> tuple[Finding, ...]:
    """Report every claim that does not follow from the totals or is not understood, and every summary without a number.

    A claim counts as recomputed from the totals as stated or as summed: a wrong total is reported where it is.
    `highest` is the best score of one dimension.
    """
    if not totals:
        return ()
    return _Recomputation(totals, design, highest).run(given)


class _Recomputation:
    def __init__(self, totals: list[EntryTotals], design: BundleDesign, highest: float) -> None:
        self._design = design
        self._words = _vocabulary(msgspec.json.encode(design), tuple(totals[0].scores))
        self._has_numbers = False
        self._recompute = cache(lambda claim: sorted(claim.values(totals, highest)))
        self._understand = cache(understand)

    def run(self, given: Any) -> tuple[Finding, ...]:
        if len(list(islice(_numbers_below(given), MAX_CLAIMS + 1))) > MAX_CLAIMS:
            expected = say("finding.at_most_numbers", most=MAX_CLAIMS)
            return (rule.CONTRACT_WRONG_TYPE.finding("/aggregates", expected, say("finding.more_than_that")),)
        findings: list[Finding] = []
        if type(given) is dict:
            for field, value in given.items():
                findings += self._check_field(field, value)
        else:
            findings += self._check(given, _Place(_AGGREGATES))
        if not findings and not self._has_numbers:
            findings.append(rule.AGGREGATE_NO_NUMBER.finding("/aggregates", say("finding.some_number"), show(given)))
        return tuple(findings)

    def _check_field(self, field: str, value: Any) -> Iterator[Finding]:
        path: Path = (_AGGREGATES, field)
        factor = self._design.summaries.get(field)
        if factor is None and field != "avg_total":
            yield from self._check(value, self._under(_Place(_AGGREGATES), field))
            return
        if not any(True for _ in _numbers_below(value)):
            expected = say("finding.mean_each_group" if factor else "finding.number")
            yield rule.AGGREGATE_NO_NUMBER.finding(pointer(path), expected, show(value))
            return
        values = self._design.factors[factor] if factor else ()
        two = (factor, values[0], values[1]) if factor and len(values) == 2 else None
        place = _Place(path, two=two) if factor else self._under(_Place(_AGGREGATES), field)
        yield from self._check(value, place)

    def _check(self, value: Any, place: _Place) -> Iterator[Finding]:
        if isinstance(value, dict):
            place = msgspec.structs.replace(place, keys=place.keys + self._labels(value))
            for key, item in value.items():
                if not _is_remark(key, item):
                    yield from self._check(item, self._under(place, key))
        elif isinstance(value, list):
            for position, item in enumerate(value):
                yield from self._check(item, msgspec.structs.replace(place, path=(place.path, position)))
        elif isinstance(value, str):
            if _numbers_in(self._words.spell_out(value)):
                self._has_numbers = True
                yield from self._check_words(value, place)
        elif (number := as_number(value)) is not None:
            self._has_numbers = True
            yield from self._compare(number, self._understand(place.keys, place.two), place, show(value))

    def _under(self, place: _Place, key: str) -> _Place:
        return _Place((place.path, key), (*place.keys, self._words.read(key, _CROSSING)), place.two)

    def _labels(self, record: dict[str, Any]) -> Keys:
        """Return what a record says it is about in a field of its own, such as `"version": "weak"`."""
        labels: list[tuple[Meaning, ...]] = []
        for key, item in record.items():
            is_label = all(word.kind in ("plain", "entries") for word in self._words.read(key))
            if not isinstance(item, str) or not is_label or _is_remark(key, item):
                continue
            if cell := self._design.cell(item):
                labels.append(tuple(Meaning("group", value, factor) for factor, value in cell.factors.items()))
            elif not _numbers_in(self._words.spell_out(item)):
                labels.append(self._words.read(item, _CROSSING))
        return tuple(labels)

    def _check_words(self, text: str, place: _Place) -> Iterator[Finding]:
        """Check a paragraph: a sentence with one number is one claim, one with several is cut into parts."""
        if len(text) > _LONGEST_PARAGRAPH:
            yield self._not_checked(place, show(text), say("finding.too_long", most=_LONGEST_PARAGRAPH))
            return
        words = _OUT_OF.sub(" ", self._words.spell_out(text.translate(_FULL_WIDTH)))
        is_alone = len(_NUMBER.findall(words)) == 1
        for sentence in _SENTENCE_END.split(words):
            numbers = _NUMBER.findall(sentence)
            parts = _PART_END.split(sentence) if len(numbers) > 1 else [sentence]
            if numbers and any(len(_NUMBER.findall(part)) != 1 for part in parts):
                yield self._not_checked(place, show(text), say("finding.not_one_number_each"))
                continue
            stated: tuple[Meaning, ...] = ()
            for part in parts if numbers else ():
                said = self._words.read(_NUMBER.sub(" ", part))
                stated = tuple(word for word in said if word.kind in _SAYS_QUANTITY) or stated
                said += () if any(word.kind in _SAYS_QUANTITY for word in said) else stated
                claim = understand((*place.keys, said), place.two)
                if isinstance(claim, AggregateClaim) and not (
                    is_alone or claim.groups or claim.pair or _says_all(said)
                ):
                    claim = say("finding.no_files")
                number = _NUMBER.findall(part)[0]
                found = say("finding.number_in", number=shorten(number, 24), text=show(text))
                yield from self._compare(float(number), claim, place, found)

    def _compare(self, number: float, claim: AggregateClaim | str, place: _Place, found: str) -> Iterator[Finding]:
        if isinstance(claim, str):
            yield self._not_checked(place, found, claim)
            return
        values = self._recompute(claim)
        if not any(abs(number - value) <= self._design.aggregate_tolerance + 1e-9 for value in values):
            wanted = [f"{value:.4g}" for value in values] or [say("finding.empty_group")]
            either = reduce(lambda one, other: say("finding.either", one=one, other=other), wanted)
            expected = say("finding.aggregate", wanted=either, claim=claim.said())
            yield rule.AGGREGATE_MISMATCH.finding(pointer(place.path), expected, found)

    def _not_checked(self, place: _Place, found: str, reason: str) -> Finding:
        expected, found = say("finding.known_group"), say("finding.not_checked", found=found, reason=reason)
        return rule.AGGREGATE_NOT_CHECKED.finding(pointer(place.path), expected, found)


@lru_cache(maxsize=16)
def _vocabulary(design: bytes, dimensions: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(msgspec.json.decode(design, type=BundleDesign), dimensions)


def _says_all(words: tuple[Meaning, ...]) -> bool:
    return any(word.kind == "all" for word in words)


def _is_remark(key: str, item: Any) -> bool:
    """Tell whether a text beside numbers is only a remark."""
    return isinstance(item, str) and fold_name(key) in ("notes", "note", "summary", "备注")


def _numbers_below(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            if not _is_remark(key, item):
                yield from _numbers_below(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers_below(item)
    elif as_number(value) is not None or (isinstance(value, str) and _numbers_in(value)):
        yield value


def _numbers_in(words: str) -> list[str]:
    """Return the numbers that a sentence claims, as it writes them.

    >>> _numbers_in("隐式均分８.２（满分10分），explicit 7.9 out of 10 on q3: -0.3")
    ['8.2', '7.9', '-0.3']
    """
    return _NUMBER.findall(_OUT_OF.sub(" ", words.translate(_FULL_WIDTH)))
