"""File names that say what a sample is, such as `q{question} {version} {trigger}.pdf`."""

from __future__ import annotations

import re

import msgspec

from venire.errors import UsageError
from venire.inputs.documents.text import DOCUMENT_ENDINGS

_BRACE = re.compile(r"\{([^{}]*)\}")
_SEPARATORS = re.compile(r"[\s_-]+")


class NamePattern(msgspec.Struct, frozen=True):
    """A pattern for file names whose braces are factors."""

    text: str
    """The pattern as the user wrote it."""
    factors: tuple[str, ...]
    """The names in the braces, in order."""
    ending: str
    """The ending that the pattern asks for, with its dot; empty if any document will do."""
    _expression: re.Pattern[str]

    @classmethod
    def parse(cls, text: str) -> NamePattern:
        """Read a pattern; raise `UsageError` if it has no braces, repeats one, or names a folder."""
        if "/" in text or "\\" in text:
            raise UsageError("error.folder.pattern_path", found=text)
        ending = next((known for known in DOCUMENT_ENDINGS if text.lower().endswith(known)), "")
        # Literal text and brace names alternate.
        pieces = _BRACE.split(text[: len(text) - len(ending)])
        names = tuple(pieces[1::2])
        if not names or not all(name.isidentifier() for name in names):
            raise UsageError("error.folder.pattern_names", found=text)
        if len(set(names)) < len(names):
            raise UsageError("error.folder.pattern_duplicate", found=text)
        expression = "".join("(.+?)" if position % 2 else _literal(piece) for position, piece in enumerate(pieces))
        return cls(text, names, ending, re.compile(expression, re.IGNORECASE))

    def match(self, stem: str) -> dict[str, str] | None:
        """Return the factors that a file name without its ending gives, or None if it does not fit.

        Case does not matter in the pattern's own words, and blanks, underscores and hyphens are alike. Values are
        kept as written, and reach to the next word of the pattern.

        >>> NamePattern.parse("q{question} {version}.pdf").match("Q3_baseline")
        {'question': '3', 'version': 'baseline'}
        """
        found = self._expression.fullmatch(stem)
        return None if found is None else dict(zip(self.factors, found.groups(), strict=True))


def _literal(piece: str) -> str:
    return r"[\s_-]+".join(re.escape(word) for word in _SEPARATORS.split(piece))
