"""Holds each sentence of an output against the sentences of its documents, by words, numbers and negations alone.

It is weak: it knows no synonyms, no grammar and no arithmetic. A paraphrase is absent to it, two numbers that were
swapped within a sentence are no contradiction, and a sentence is one claim however much it states.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from venire.domain.claim import ClaimFinding
from venire.validation.sentences import Sentence, split_sentences

LEAST_SHARED = 0.6
"""Which share of a sentence's words a passage must have for the two to be about the same thing."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*%?|[㐀-鿿]+|[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST_WORDS = 2
_NEGATING = "no not never none nor without cannot 不 没 無 无 未 非 勿"
_COMMON = (
    "a an and are as at be been being but by can could did do does for from had has have he her his i if in into is it "
    "its may might must of on or our shall she should so than that the their them then there these they this those to "
    "was we were what when where which who will with would you your"
)
_NEGATIONS = frozenset(_NEGATING.split())
_IGNORED = _NEGATIONS.union(_COMMON.split())


class Match(msgspec.Struct, frozen=True):
    """What was found for one sentence of the output."""

    number: int
    """The number of the sentence, from 1."""
    words: str
    """The sentence."""
    finding: ClaimFinding | None
    """What the documents say to it; None if it states nothing to be checked."""
    source: str = ""
    """The id of the document; empty if none speaks of it."""
    passage: str = ""
    """The sentence of the document."""
    passage_number: int = 0
    """The number of that sentence, from 1."""


class _SentenceContent(msgspec.Struct, frozen=True):
    """What is compared of a sentence."""

    words: frozenset[str]
    """Its words, and of Chinese every two characters; without common ones."""
    numbers: frozenset[str]
    """Its numbers, in one way of writing."""
    is_negated: bool
    """Whether it denies something."""


def match_claims(text: str, documents: Mapping[str, str]) -> Iterator[Match]:
    """Yield what documents, by id, say to each sentence of a text that may state something."""
    passages = [
        (name, number, document[each.start : each.end], each)
        for name, document in documents.items()
        for number, each in enumerate(split_sentences(document), start=1)
    ]
    for number, each in enumerate(split_sentences(text), start=1):
        if each.states:
            yield _match(number, text[each.start : each.end], passages)


def _match(number: int, words: str, passages: list[tuple[str, int, str, Sentence]]) -> Match:
    claim = _read(words)
    if words.rstrip("”’\"'）)").endswith(("?", "？")) or (len(claim.words) < _FEWEST_WORDS and not claim.numbers):
        return Match(number, words, None)
    best, shared = None, 0.0
    for passage in passages:
        share = _shared(claim, _read(passage[2]))
        if share > shared:
            best, shared = passage, share
    finding = _compare(claim, _read(best[2])) if best and shared >= LEAST_SHARED else ClaimFinding.ABSENT
    if best is None or finding is ClaimFinding.ABSENT:
        return Match(number, words, ClaimFinding.ABSENT)
    return Match(number, words, finding, best[0], best[2], best[1])


def _shared(claim: _SentenceContent, passage: _SentenceContent) -> float:
    """Return the share of the claim's words that the passage has; equal numbers decide between passages alike."""
    if not claim.words:
        return 1.0 if claim.numbers <= passage.numbers else 0.0
    share = len(claim.words & passage.words) / len(claim.words)
    return share + 0.01 * len(claim.numbers & passage.numbers) if share else 0.0


def _compare(claim: _SentenceContent, passage: _SentenceContent) -> ClaimFinding:
    if claim.is_negated != passage.is_negated:
        return ClaimFinding.CONTRADICTED
    if claim.numbers <= passage.numbers:
        return ClaimFinding.SUPPORTED
    return ClaimFinding.CONTRADICTED if passage.numbers else ClaimFinding.ABSENT


@lru_cache(maxsize=4096)
def _read(sentence: str) -> _SentenceContent:
    words: set[str] = set()
    numbers: set[str] = set()
    is_negated = False
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", sentence).casefold()):
        if token[0].isdigit():
            numbers.add(re.sub(r",(?=\d{3}\b)", "", token))
        elif "㐀" <= token[0] <= "鿿":
            is_negated |= any(character in _NEGATIONS for character in token)
            words.update(token[place : place + 2] for place in range(max(len(token) - 1, 1)))
        else:
            is_negated |= token in _NEGATIONS or token.endswith(("n't", "n’t"))
            words.add(token)
    return _SentenceContent(frozenset(words - _IGNORED), frozenset(numbers), is_negated)
