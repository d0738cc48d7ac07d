r"""Users' regular expressions, by RE2: they end in time linear in the judged text, however hostile it is.

RE2 knows letters, digits and white space of ASCII only; here they are those of Unicode, as in Python's expressions.
Only `\b` stays RE2's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from venire.judges.rule_judge.document import Span
from venire.words.said import say

MAX_PATTERN = 300
"""How many characters a pattern may have."""

_ESCAPE_OR_BRACKET = re.compile(r"\\(.)|(\[\^?\]?)|\]", re.DOTALL)
_CLASSES = {"w": r"\pL\pN_", "d": r"\p{Nd}", "s": r"\s\x0b\x1c-\x1f\x85\pZ"}


def refuse_unusable_pattern(pattern: str) -> None:
    """Raise `ValueError` for a pattern that is too long, is no expression, or asks for what RE2 does not do.

    >>> refuse_unusable_pattern(r"^## .*(来源|source)")
    >>> refuse_unusable_pattern("a(?=b)")
    Traceback (most recent call last):
    ValueError: the pattern 'a(?=b)' uses '(?=', which RE2 does not support: look-around, back-references ...
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(say("error.rules.long_pattern", most=MAX_PATTERN, found=len(pattern)))
    _expression(pattern)


def search_lines(pattern: str, text: str, span: Span) -> Span | None:
    """Return where the pattern is first found within one line of the span, or None."""
    expression = _expression(pattern)
    start = span.start
    for line in text[span.start : span.end].splitlines(keepends=True):
        if match := expression.search(line.rstrip("\r\n")):
            return Span(start + match.start(), start + match.end())
        start += len(line)
    return None


@lru_cache(maxsize=64)
def _expression(pattern: str) -> Any:
    import re2  # Only rule judges need it.

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_with_unicode_classes(pattern), options)
    except re2.error as error:
        problem = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(say("error.rules.no_pattern", pattern=pattern, problem=str(error))) from None
    part = problem.rpartition(": ")[2]
    raise ValueError(say("error.rules.not_re2", pattern=pattern, part=part))


def _with_unicode_classes(pattern: str) -> str:
    r"""Write `\w`, `\d` and `\s` as classes of Unicode; their opposites only outside of brackets, as RE2 has no such.

    >>> _with_unicode_classes(r"\w[\d-]\W")
    '[\\pL\\pN_][\\p{Nd}-][^\\pL\\pN_]'
    """
    inside = False

    def spelt(found: re.Match[str]) -> str:
        nonlocal inside
        letter = found[1]
        if letter is None:
            inside = bool(found[2]) or (inside and found[0] != "]")
            return found[0]
        members = _CLASSES.get(letter.lower())
        if members is None:
            return found[0]
        if not inside:
            return f"[{'^' if letter.isupper() else ''}{members}]"
        return found[0] if letter.isupper() else members

    return _ESCAPE_OR_BRACKET.sub(spelt, pattern)
