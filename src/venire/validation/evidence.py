"""Whether a quote really stands in the judged text, where, and at which level of likeness."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from threading import Lock

from msgspec import structs

from venire.domain import rule
from venire.domain.flag import Finding
from venire.domain.judgement import Evidence, EvidenceLevel
from venire.domain.material import OUTPUT, MaterialKind
from venire.domain.protocol import EvalProtocol, Scale
from venire.domain.sample import Bundle, Sample
from venire.validation.contract import Path, pointer
from venire.validation.graphemes import splits_grapheme
from venire.validation.hyphenation import Unhyphenated, broken_words
from venire.validation.normalise import NormalisedText, normalise
from venire.validation.number_folds import keeps_numbers, same_disguised_digits
from venire.validation.sentences import Sentence, split_sentences
from venire.validation.strict_json import shorten
from venire.words.said import say

_EXACT = EvidenceLevel.EXACT
_LEVELS = (_EXACT, EvidenceLevel.WHITESPACE, EvidenceLevel.NFKC)
_TAGS = "".join(map(chr, (0xE0001, *range(0xE0020, 0xE0080))))
_INVISIBLE = (
    _TAGS + "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
# Also what looks like three dots and becomes them by folding, or a quote could have an ellipsis that none sees.
_ELLIPSIS = re.compile(rf"[…⋯‥︙]+|(?:[.․。．｡][{_INVISIBLE}]*){{2,}}[.․。．｡]")
_WHITE_SPACE = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_BLANK = _WHITE_SPACE + _INVISIBLE
BLANKS = frozenset(_BLANK)
"""White space and invisible characters; a quote that begins with one may show nothing, and is looked at twice."""
_MOST_OCCURRENCES = 1_000
# What may be a part of a grapheme, such as accents and emoji: all but letters, ideographs and common punctuation.
_JOINED = re.compile(
    "[^\x00-\u02ff\u2010-\u2027\u2030-\u205e\u3000-\u3029\u3031-\u3096\u30a0-\u30ff\u3105-\u312f\u3190-\ua48c"
    "\uff00-\uff9d\uffe0-\uffee]"
)


def shows_nothing(quote: str) -> bool:
    r"""Tell whether a quote is empty for a reader: no more than white space and invisible characters.

    >>> shows_nothing(" \u200b"), shows_nothing(".")
    (True, False)
    """
    return not quote or (quote[0] in BLANKS and not quote.strip(_BLANK))  # The first letter alone tells most quotes.


class PreparedText:
    """A text that is normalised at most once for each level, however many judges quote from it."""

    __slots__ = ("_normalised", "_sentences", "_unhyphenated", "has_single_graphemes", "text")
    is_paged = False

    def __init__(self, text: str) -> None:
        self.text = text
        self.has_single_graphemes = text.isascii() or not _JOINED.search(text)
        self._sentences: tuple[Sentence, ...] | None = None
        self._normalised: dict[EvidenceLevel, NormalisedText] = {}
        self._unhyphenated: dict[EvidenceLevel, Unhyphenated | None] = {}

    def at(self, level: EvidenceLevel) -> NormalisedText:
        """Return the text at a level."""
        prepared = self._normalised.get(level)
        if prepared is None:
            prepared = self._normalised[level] = normalise(self.text, level)
        return prepared

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the text, found once."""
        if self._sentences is None:
            self._sentences = split_sentences(self.text)
        return self._sentences

    @property
    def find(self) -> Callable[[str], int]:
        """What returns where words stand to the letter, and not inside a grapheme; or -1."""
        return self.text.find if self.has_single_graphemes else self._find_whole

    def _find_whole(self, words: str) -> int:
        start = self.text.find(words)
        return -1 if start >= 0 and self.splits_grapheme(start, start + len(words)) else start

    def page_at(self, offset: int) -> int | None:  # noqa: ARG002
        """Return the page that holds an offset of the text; None for text without pages."""
        return None

    def locate(self, quote: str, admitted: EvidenceLevel) -> tuple[EvidenceLevel, int, int] | None:
        """Return the strictest level at which the quote stands in the text, and its span; None if it does not.

        A quote that shows nothing stands nowhere.
        """
        if shows_nothing(quote):
            return None
        for start in _occurrences(self.text, quote):
            end = start + len(quote)
            if not self.splits_grapheme(start, end):
                return _EXACT, start, end
        for level in _LEVELS[1 : _LEVELS.index(admitted) + 1]:
            words = _words(quote, level)
            span = self._find(words, level) or self._find_broken(words, level) if words.text else None
            if span:
                return level, *self.at(level).span(span[0], span[1] - span[0])
        return None

    def splits_grapheme(self, start: int, end: int) -> bool:
        """Tell whether a stretch of the text begins or ends inside a grapheme."""
        return not self.has_single_graphemes and (splits_grapheme(self.text, start) or splits_grapheme(self.text, end))

    def _find(self, words: NormalisedText, level: EvidenceLevel) -> tuple[int, int] | None:
        prepared = self.at(level)
        for start in _occurrences(prepared.text, words.text):
            end = start + len(words.text)
            if prepared.splits_character(start) or prepared.splits_character(end):
                continue
            if level is not EvidenceLevel.NFKC or keeps_numbers(prepared, start, words):
                return start, end
        return None

    def _find_broken(self, words: NormalisedText, level: EvidenceLevel) -> tuple[int, int] | None:
        """Look the quote up across hyphens at the ends of lines."""
        prepared = self.at(level)
        if level not in self._unhyphenated:
            breaks = broken_words(prepared)
            self._unhyphenated[level] = Unhyphenated(prepared, breaks) if breaks else None
        unhyphenated = self._unhyphenated[level]
        for start, end in unhyphenated.find(Unhyphenated(words, [])) if unhyphenated else ():
            if prepared.splits_character(start) or prepared.splits_character(end):
                continue
            if level is not EvidenceLevel.NFKC or same_disguised_digits(prepared, start, end, words):
                return start, end
        return None


class PreparedSample(PreparedText):
    """A sample whose text is prepared for being quoted from, and its materials when they are quoted."""

    kind = "sample"
    __slots__ = ("_materials", "digest", "is_paged", "name", "sample")

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample.text)
        self.sample = sample
        self.name = sample.output_id
        self.digest = sample.digest
        self.is_paged = sample.source is not None and bool(sample.source.page_starts)
        self._materials: dict[frozenset[MaterialKind], dict[str, PreparedText]] = {}

    @property
    def has_text(self) -> bool:
        """Whether its text is at hand."""
        return bool(self.text)

    def page_at(self, offset: int) -> int | None:
        """Return the page that holds an offset of the text; None for text without pages."""
        return self.sample.source.page_at(offset) if self.sample.source is not None else None

    def source(self, name: str, kinds: frozenset[MaterialKind]) -> PreparedText | None:
        """Return the output or a material of one of these kinds by its name; None if there is none."""
        if not name or name == OUTPUT:
            return self
        found = next((each for each in self.sample.materials if each.id == name and each.kind in kinds), None)
        return _SHARED.prepared(found.text) if found else None

    def sources(self, kinds: frozenset[MaterialKind]) -> dict[str, PreparedText]:
        """Return the output and the materials of some kinds, by the names that quotes give them."""
        return {OUTPUT: self, **self.materials(kinds)}

    def materials(self, kinds: frozenset[MaterialKind]) -> dict[str, PreparedText]:
        """Return the materials of some kinds by name; the same object for every reply about the sample."""
        found = self._materials.get(kinds)
        if found is None:
            materials = self.sample.materials_of(kinds)
            found = self._materials[kinds] = {each.id: _SHARED.prepared(each.text) for each in materials}
        return found


class SharedTexts:
    """Prepared texts that many samples share, such as the documents of one corpus; the latest used are kept."""

    def __init__(self, most_characters: int) -> None:
        self._most = most_characters
        self._held = 0
        self._texts: dict[str, PreparedText] = {}
        self._lock = Lock()

    def prepared(self, text: str) -> PreparedText:
        """Return a text prepared for being quoted from, the same as before if it was asked for not long ago."""
        with self._lock:
            known = self._texts.pop(text, None)
            if known is None:
                known = PreparedText(text)
                self._held += len(text)
            self._texts[text] = known
            while self._held > self._most and len(self._texts) > 1:
                oldest = next(iter(self._texts))
                del self._texts[oldest]
                self._held -= len(oldest)
        return known


_SHARED = SharedTexts(1_000_000)


class PreparedBundle:
    """A bundle whose texts are normalised at most once, however many judges quote from them.

    `absence` says why it holds no text at all, such as that no folder is named like its model.
    """

    sample = None
    __slots__ = ("absence", "bundle", "samples")

    def __init__(self, bundle: Bundle, absence: str = "") -> None:
        self.bundle = bundle
        self.absence = absence or say("finding.no_readable_text")
        self.samples: Mapping[str, PreparedSample] = {
            sample.output_id: PreparedSample(sample) for sample in bundle.samples
        }

    @property
    def kind(self) -> str:
        """What it is: `bundle`, or `pair`."""
        return self.bundle.kind

    @property
    def has_text(self) -> bool:
        """Whether any of its texts is at hand."""
        return bool(self.samples)

    @property
    def name(self) -> str:
        """The name of the bundle."""
        return self.bundle.name

    @property
    def digest(self) -> str:
        """The digest of the bundle."""
        return self.bundle.digest


class QuoteRules:
    """What is asked of quotes; the same for a whole run."""

    def __init__(self, level: EvidenceLevel, protocol: EvalProtocol) -> None:
        """Take the most lenient level, and the protocol that says what quotes may hold and be taken from."""
        self._level = level
        self._allow_ellipsis = protocol.evidence.allow_ellipsis
        self._quoted = protocol.quoted_kinds
        self._shown = protocol.shown_kinds
        self._looks_up = level is not EvidenceLevel.OFF

    def check_in(
        self, item: tuple[str, str, str], named: str, path: Path, sample: PreparedSample | None, findings: list[Finding]
    ) -> Evidence:
        """Look up a quote in the output or in the material that it names; otherwise as `check`."""
        material = "" if named == OUTPUT or not self._quoted else named
        if sample is None:
            return structs.replace(self.check(item, path, None, {}, findings), source=material)
        source = sample.source(material, self._quoted)
        if source is None:
            expected = say("finding.one_of", names=tuple(sample.sources(self._quoted)))
            place = pointer((path[0], "source"))
            findings.append(rule.EVIDENCE_UNKNOWN_SOURCE.finding(place, expected, repr(shorten(named))))
            return Evidence(*item, source=shorten(named))
        others = sample.sources(self._shown) if self._shown else {}
        evidence = self.check(item, path, source, others, findings, material or sample.name)
        return structs.replace(evidence, source=material) if material else evidence

    def check(
        self,
        item: tuple[str, str, str],
        path: Path,
        source: PreparedText | None,
        others: Mapping[str, PreparedText],
        findings: list[Finding],
        name: str = "",
    ) -> Evidence:
        """Look up a quote, given as dimension, words and reason; report what is wrong; return it with its place.

        `others` are the other texts of the set, in which a misplaced quote may stand, and `name` is what the source is
        called. Without a source, only the ellipsis can be judged.
        """
        dimension, quote, reason = item
        place = source.locate(quote, self._level) if source is not None and self._looks_up else None
        if not self._allow_ellipsis and _ELLIPSIS.search(quote):
            shown = shorten(quote)
            found = say("finding.quote.ellipsis_in_source", quote=shown) if place else repr(shown)
            findings.append(rule.EVIDENCE_ELLIPSIS.finding(pointer(path), say("finding.no_ellipsis"), found))
        if place is not None and source is not None:
            return Evidence(dimension, quote, reason, *place, source.page_at(place[1]))
        if source is not None and self._looks_up:
            found = _absent(quote, source, self._level, others)
            expected = say("finding.words_in", name=name, level=self._level.value)
            findings.append(rule.EVIDENCE_NOT_VERBATIM.finding(pointer(path), expected, found))
        return Evidence(dimension, quote, reason)


def materials_not_given(protocol: EvalProtocol, source: PreparedSample | None) -> tuple[Finding, ...]:
    """Note each kind of material that the protocol shows to judges and that the sample has none of."""
    policy = protocol.materials
    if policy is None or source is None:
        return ()
    given = {each.kind for each in source.sample.materials}
    return tuple(
        rule.MATERIAL_NOT_GIVEN.finding("", kind.value, say("finding.none"))
        for kind in policy.shown
        if kind not in given
    )


def not_compared(protocol: EvalProtocol, place: str, expected: str, found: str) -> Finding:
    """Report quotes whose text is missing though sources were given: a violation where the protocol needs quotes."""
    broken = rule.EVIDENCE_NO_SOURCE if protocol.asks_for_quotes else rule.EVIDENCE_UNCHECKED
    return broken.finding(place, expected, found)


def dimensions_to_quote(protocol: EvalProtocol, scores: Mapping[str, float], scale: Scale) -> tuple[str, ...]:
    """Return the dimensions that need a quote, by the protocol's policy."""
    if protocol.evidence.required == "every_dimension":
        return protocol.dimension_ids
    if protocol.evidence.required == "none":
        return ()
    return tuple(name for name in protocol.dimension_ids if scores.get(name, scale.minimum) > scale.minimum)


def check_required(dimensions: tuple[str, ...], given: set[str], place: str) -> tuple[Finding, ...]:
    """Report each dimension that needs evidence and has none."""
    if given.issuperset(dimensions):
        return ()
    return tuple(
        rule.EVIDENCE_MISSING.finding(place, say("finding.quote_for", dimension=dimension), say("finding.none"))
        for dimension in dimensions
        if dimension not in given
    )


def check_required_sources(
    protocol: EvalProtocol, dimensions: tuple[str, ...], evidence: Iterable[Evidence], sample: PreparedSample | None
) -> Iterator[Finding]:
    """Report each dimension without a quote from a kind of material that must be quoted and that the sample has."""
    materials = sample.sample.materials if sample else ()
    quoted = {(item.dimension, item.source) for item in evidence}
    for kind in protocol.materials.must_quote if protocol.materials else ():
        names = [each.id for each in materials if each.kind is kind]
        for dimension in dimensions if names else ():
            if not any((dimension, name) in quoted for name in names):
                expected = say("finding.quote_from", dimension=dimension, names=tuple(names))
                yield rule.EVIDENCE_MISSING.finding("/evidence", expected, say("finding.none"))


def _occurrences(text: str, words: str) -> Iterator[int]:
    """Yield where words stand in a text, as often as an honest text makes it worth while to look."""
    start = text.find(words)
    for _ in range(_MOST_OCCURRENCES):
        if start < 0:
            return
        yield start
        start = text.find(words, start + 1)


@lru_cache(maxsize=4)
def _words(quote: str, level: EvidenceLevel) -> NormalisedText:
    """Normalise a quote once, though it is looked up in every text of a bundle."""
    return normalise(quote, level)


def _absent(quote: str, source: PreparedText, admitted: EvidenceLevel, others: Mapping[str, PreparedText]) -> str:
    """Show a quote that does not stand in its text, with the reason where one can be seen."""
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip()]
    if _ELLIPSIS.search(quote) and parts and _stand_in_order(parts, source, admitted):
        return say("finding.quote.ellipsis_join", quote=shorten(quote))
    for name, other in others.items():
        if other is not source and other.locate(quote, admitted):
            return say("finding.quote.misplaced", quote=shorten(quote), name=name)
    return repr(shorten(quote))


def _stand_in_order(parts: list[str], source: PreparedText, admitted: EvidenceLevel) -> bool:
    text = source.at(admitted).text
    position = 0
    for part in parts:
        words = normalise(part, admitted).text
        position = text.find(words, position)
        if position < 0:
            return False
        position += len(words)
    return True
