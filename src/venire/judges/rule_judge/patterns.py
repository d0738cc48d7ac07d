"""Regular expressions that end in time, whatever the judged text.

Python's expressions backtrack, and the judged text is hostile. So a pattern may not repeat a group that can match the
same words in several ways, it looks at one line at a time, and the more open repeats it has, the less of a line it
sees: n characters and k repeats can cost n to the power of k + 1 steps.
"""

from __future__ import annotations

import re

from venire.judges.rule_judge.document import Span

MAX_PATTERN = 300
"""How many characters a pattern may have."""

MAX_TEXT = 20_000
"""How many characters of a text are searched."""

LINE_CHARACTERS = (20_000, 20_000, 700, 140)
"""How many characters of a line are searched, by the number of open repeats; more repeats than that are refused.

At these lengths the worst text of `MAX_TEXT` characters took about two seconds of CPU here.
"""

_QUANTIFIER = re.compile(r"[*+]|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")
_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)


def refuse_slow_pattern(pattern: str) -> None:
    """Raise `ValueError` for a pattern that is no expression, is too long or could run for very long.

    >>> refuse_slow_pattern(r"^## .*(来源|source)")
    >>> refuse_slow_pattern("(a+)+$")
    Traceback (most recent call last):
    ValueError: the pattern '(a+)+$' repeats a group that itself repeats or chooses, which can take for ever
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters, found {len(pattern)}")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"the pattern {pattern!r} is not a regular expression: {error}") from None
    if count_open_repeats(pattern) >= len(LINE_CHARACTERS):
        raise ValueError(f"the pattern {pattern!r} has more than {len(LINE_CHARACTERS) - 1} open repeats")


def count_open_repeats(pattern: str) -> int:
    """Count the repeats without a small bound; raises `ValueError` for repeats of groups that repeat or choose."""
    repeats, place = 0, 0
    ambiguous = [False]  # For each open group, whether it can match the same words in several ways.
    while place < len(pattern):
        sign = pattern[place]
        closed_ambiguous = False
        if sign == "\\":
            repeats += pattern[place + 1].isdigit()  # A reference to a group costs what the group costs.
            place += 2
        elif sign == "[" and (bracket := _CLASS.match(pattern, place)):
            place = bracket.end()
        elif sign == "(":
            ambiguous.append(False)
            place += 2 if pattern.startswith("(?", place) else 1
            continue
        else:
            if sign == ")":
                closed_ambiguous = ambiguous.pop()
                ambiguous[-1] |= closed_ambiguous
            elif sign in "|?":
                ambiguous[-1] = True
            place += 1
        quantifier = _QUANTIFIER.match(pattern, place)
        if quantifier and sign != "|":
            if closed_ambiguous:
                raise ValueError(
                    f"the pattern {pattern!r} repeats a group that itself repeats or chooses, which can take for ever"
                )
            ambiguous[-1] = True
            repeats += _is_open(quantifier)
            place = quantifier.end()
    return repeats


def search_lines(pattern: str, text: str, span: Span) -> Span | None:
    """Return where the pattern is first found within one line of the span, or None."""
    expression = re.compile(pattern)
    longest = LINE_CHARACTERS[count_open_repeats(pattern)]
    start = span.start
    for line in text[span.start : min(span.end, span.start + MAX_TEXT)].splitlines(keepends=True):
        if match := expression.search(line.rstrip("\r\n")[:longest]):
            return Span(start + match.start(), start + match.end())
        start += len(line)
    return None


def _is_open(quantifier: re.Match[str]) -> bool:
    if quantifier["least"] is None:
        return True
    most = quantifier["most"] if quantifier["comma"] else quantifier["least"]
    return not most or int(most) > 50
