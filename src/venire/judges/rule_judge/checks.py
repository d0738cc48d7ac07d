"""The checks that a rule judge is made of; each looks at a document and says whether it passes, and where.

In a file a check is a mapping whose `check` names it. It is worth `points`, or sets a `cap` that the score of its
dimension cannot exceed when it fails.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from venire.judges.rule_judge.document import Document, Span, count_characters, count_words
from venire.judges.rule_judge.patterns import refuse_unusable_pattern, search_lines
from venire.judges.rule_judge.schema import find_schema_error, refuse_unknown_keywords
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable


class CheckResult(msgspec.Struct, frozen=True):
    """What a check found."""

    passed: bool
    """Whether the check passes."""
    reason: str
    """Why, in half a sentence."""
    span: Span | None = None
    """The place that shows it; None if nothing in the text does."""


class _Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="check"):
    points: float | None = None
    """What passing is worth; 1 unless points or a cap are given."""
    cap: float | None = None
    """The highest score that the dimension can have when the check fails."""

    def __post_init__(self) -> None:
        if self.points is not None and self.cap is not None:
            raise ValueError(say("error.rules.points_and_cap"))
        if self.points is not None and self.points <= 0:
            raise ValueError(say("error.rules.points"))

    @property
    def worth(self) -> float:
        """The points of the check; 0 for one that only caps."""
        if self.cap is not None:
            return 0.0
        return 1.0 if self.points is None else self.points


class _PartCheck(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section: str | None = None
    """The heading of the section to look at; None for the whole text."""

    def _part(self, document: Document) -> Span | CheckResult:
        """Return where to look, or the failure that the section is not there."""
        if self.section is None:
            return Span(0, len(document.text))
        section = document.section(self.section)
        return section.body if section else CheckResult(False, say("check.no_section", section=self.section))


class Headings(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="headings"):
    """All required headings are there, in their order."""

    in_order: bool = True
    """Whether the order counts."""

    def run(self, document: Document) -> CheckResult:
        """Look for the headings."""
        found = [section.heading for section in document.sections]
        span = document.sections[0].title if found else None
        missing = [heading for heading in document.headings if heading not in found]
        if missing:
            count = len(document.headings)
            reason = say("check.headings_missing", missing=len(missing), count=count, first=missing[0])
            return CheckResult(False, reason, span)
        if self.in_order and tuple(found) != document.headings:
            return CheckResult(False, say("check.headings_order", first=found[0]), span)
        return CheckResult(True, say("check.headings_there", count=len(found)), span)


class SectionsFilled(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sections_filled"):
    """Every required section has words in it."""

    def run(self, document: Document) -> CheckResult:
        """Look for a section that is missing or empty."""
        for heading in document.headings:
            section = document.section(heading)
            if section is None:
                return CheckResult(False, say("check.no_section", section=heading))
            if not count_words(document.part(section.body)):
                return CheckResult(False, say("check.section_empty", section=heading), section.title)
        span = document.sections[-1].body if document.sections else None
        return CheckResult(True, say("check.no_section_empty"), span)


class NothingOutside(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="nothing_outside"):
    """Nothing stands before the first section or under a heading that nobody asked for."""

    def run(self, document: Document) -> CheckResult:
        """Look for words outside the sections."""
        if not document.sections:
            return CheckResult(False, say("check.no_sections"), Span(0, len(document.text)))
        before = Span(0, document.sections[0].start)
        if count_words(document.part(before)):
            return CheckResult(False, say("check.text_before"), before)
        if document.foreign:
            return CheckResult(False, say("check.foreign_heading"), document.foreign[0])
        return CheckResult(True, say("check.nothing_outside"), document.sections[-1].title)


class Length(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="length"):
    """The text or a section is neither too short nor too long."""

    unit: Literal["words", "characters"] = "words"
    """What is counted: words, of which each CJK character is one, or characters without white space."""
    minimum: int = 0
    """The smallest length that passes."""
    maximum: int | None = None
    """The largest length that passes; None for no limit."""

    def run(self, document: Document) -> CheckResult:
        """Count."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        words = document.part(part)
        length = count_words(words) if self.unit == "words" else count_characters(words)
        if length < self.minimum:
            reason = say(f"check.too_short.{self.unit}", length=length, minimum=self.minimum)
            return CheckResult(False, reason, part)
        if self.maximum is not None and length > self.maximum:
            reason = say(f"check.too_long.{self.unit}", length=length, maximum=self.maximum)
            return CheckResult(False, reason, part)
        return CheckResult(True, say(f"check.length_fits.{self.unit}", length=length), part)


class Contains(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="contains"):
    """The text or a section contains given words; case does not count."""

    all_of: tuple[str, ...] = ()
    """Words that must all be there."""
    any_of: tuple[str, ...] = ()
    """Words of which at least one must be there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_empty(self.all_of + self.any_of, "all_of", "any_of")

    def run(self, document: Document) -> CheckResult:
        """Look for the words."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        found = {word: _find(document, part, word) for word in self.all_of + self.any_of}
        missing = [word for word in self.all_of if found[word] is None]
        if missing:
            return CheckResult(False, say("check.word_missing", word=missing[0]), part)
        first = next((place for place in found.values() if place), None)
        if first is None:
            return CheckResult(False, say("check.none_there", words=[repr(word) for word in self.any_of]), part)
        return CheckResult(True, say("check.words_there"), first)


class Excludes(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="excludes"):
    """The text or a section contains none of the given words; case does not count."""

    none_of: tuple[str, ...]
    """Words that must not be there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_empty(self.none_of, "none_of")

    def run(self, document: Document) -> CheckResult:
        """Look for the words."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        for word in self.none_of:
            if place := _find(document, part, word):
                return CheckResult(False, say("check.word_not_allowed", word=word), place)
        return CheckResult(True, say("check.no_forbidden"), part)


class Matches(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="matches"):
    """A regular expression is found in a line of the text or of a section, or is not."""

    pattern: str
    """The expression, in the syntax of RE2: without look-around and back-references."""
    absent: bool = False
    """Whether the expression must not be found."""

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unusable_pattern(self.pattern)

    def run(self, document: Document) -> CheckResult:
        """Search."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        found = search_lines(self.pattern, document.text, part)
        if found is None:
            return CheckResult(self.absent, say("check.pattern_missing", pattern=self.pattern), part)
        return CheckResult(not self.absent, say("check.pattern_found", pattern=self.pattern), found)


class JsonSchema(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="json_schema"):
    """The text or a section is JSON and keeps to a schema."""

    schema: dict[str, Any]
    """A JSON schema of the keywords that `schema.KEYWORDS` lists."""

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_unknown_keywords(self.schema)

    def run(self, document: Document) -> CheckResult:
        """Parse and compare."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        try:
            value = msgspec.json.decode(document.part(part).strip())
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return CheckResult(False, say("check.not_json"), part)
        error = find_schema_error(value, self.schema)
        return CheckResult(error is None, error or say("check.schema_kept"), part)


Check = Headings | SectionsFilled | NothingOutside | Length | Contains | Excludes | Matches | JsonSchema
"""Any check, told apart by `check`."""


def _refuse_empty(words: Iterable[str], *fields: str) -> None:
    if not all(word.strip() for word in words) or not words:
        raise ValueError(say("error.rules.no_words", fields=fields))


def _find(document: Document, part: Span, word: str) -> Span | None:
    match = re.compile(re.escape(word), re.IGNORECASE).search(document.text, part.start, part.end)
    return Span(*match.span()) if match else None
