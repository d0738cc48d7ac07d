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
            raise ValueError("a check has points or a cap, not both")
        if self.points is not None and self.points <= 0:
            raise ValueError("points must be above 0")

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
        return section.body if section else CheckResult(False, f"there is no section {self.section}")


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
            return CheckResult(
                False, f"{len(missing)} of {len(document.headings)} headings are missing: {missing[0]}", span
            )
        if self.in_order and tuple(found) != document.headings:
            return CheckResult(False, f"the headings are out of order, first comes {found[0]}", span)
        return CheckResult(True, f"all {len(found)} headings are there", span)


class SectionsFilled(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="sections_filled"):
    """Every required section has words in it."""

    def run(self, document: Document) -> CheckResult:
        """Look for a section that is missing or empty."""
        for heading in document.headings:
            section = document.section(heading)
            if section is None:
                return CheckResult(False, f"there is no section {heading}")
            if not count_words(document.part(section.body)):
                return CheckResult(False, f"the section {heading} is empty", section.title)
        span = document.sections[-1].body if document.sections else None
        return CheckResult(True, "no section is empty", span)


class NothingOutside(_Check, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="nothing_outside"):
    """Nothing stands before the first section or under a heading that nobody asked for."""

    def run(self, document: Document) -> CheckResult:
        """Look for words outside the sections."""
        if not document.sections:
            return CheckResult(False, "there are no sections", Span(0, len(document.text)))
        before = Span(0, document.sections[0].start)
        if count_words(document.part(before)):
            return CheckResult(False, "words stand before the first section", before)
        if document.foreign:
            return CheckResult(False, "there is a heading that was not asked for", document.foreign[0])
        return CheckResult(True, "nothing stands outside the sections", document.sections[-1].title)


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
            return CheckResult(False, f"{length} {self.unit}, at least {self.minimum} are asked for", part)
        if self.maximum is not None and length > self.maximum:
            return CheckResult(False, f"{length} {self.unit}, at most {self.maximum} are allowed", part)
        return CheckResult(True, f"{length} {self.unit} are within the limits", part)


class Contains(_PartCheck, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="contains"):
    """The text or a section contains given words; case does not count."""

    all_of: tuple[str, ...] = ()
    """Words that must all be there."""
    any_of: tuple[str, ...] = ()
    """Words of which at least one must be there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_empty(self.all_of + self.any_of, "all_of or any_of")

    def run(self, document: Document) -> CheckResult:
        """Look for the words."""
        part = self._part(document)
        if isinstance(part, CheckResult):
            return part
        found = {word: _find(document, part, word) for word in self.all_of + self.any_of}
        missing = [word for word in self.all_of if found[word] is None]
        if missing:
            return CheckResult(False, f"{missing[0]!r} is missing", part)
        first = next((place for place in found.values() if place), None)
        if first is None:
            return CheckResult(False, f"none of {', '.join(map(repr, self.any_of))} is there", part)
        return CheckResult(True, "the required words are there", first)


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
                return CheckResult(False, f"{word!r} is not allowed", place)
        return CheckResult(True, "no forbidden words are there", part)


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
            return CheckResult(self.absent, f"the pattern {self.pattern!r} is not found", part)
        return CheckResult(not self.absent, f"the pattern {self.pattern!r} is found", found)


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
            return CheckResult(False, "it is not JSON", part)
        error = find_schema_error(value, self.schema)
        return CheckResult(error is None, error or "it keeps to the schema", part)


Check = Headings | SectionsFilled | NothingOutside | Length | Contains | Excludes | Matches | JsonSchema
"""Any check, told apart by `check`."""


def _refuse_empty(words: Iterable[str], field: str) -> None:
    if not all(word.strip() for word in words) or not words:
        raise ValueError(f"{field} needs words to look for")


def _find(document: Document, part: Span, word: str) -> Span | None:
    match = re.compile(re.escape(word), re.IGNORECASE).search(document.text, part.start, part.end)
    return Span(*match.span()) if match else None
