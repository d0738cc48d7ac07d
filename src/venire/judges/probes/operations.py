"""What can be done to an output to make a probe of it: pure functions of texts, each under the name batteries use.

An operation that does not fit an output, such as changing a number where there is none, gives None.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import msgspec

from venire.validation.sentences import split_sentences


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation may use."""

    text: str
    """The output."""
    task: str = ""
    """The task that it answers; may be empty."""
    other: str = ""
    """An output to another task; empty if there is none."""
    insert: str = ""
    """The text of the template, filled in and disguised."""
    chance: random.Random = msgspec.field(default_factory=lambda: random.Random(0))  # noqa: S311 - no secret
    """Where shuffling comes from; its seed is the probe."""


Operation = Callable[[Given], str | None]

_NUMBER = re.compile(r"(?<![\w.,-])\d{1,6}(?![\w,-]|\.\d)|(?<=[\u4e00-\u9fff])\d{1,6}(?=[\u4e00-\u9fff%％])")
_QUOTED = re.compile(r"“([^”]{4,})”|\"([^\"\n]{4,})\"|「([^」]{4,})」")
_NEGATIONS = (
    (re.compile(r"\b(is|are|was|were|does|do|did|can|could|should|must|will|would|has|have) not\b"), r"\1"),
    (re.compile(r"\b(cannot)\b"), "can"),
    (re.compile(r"\b(never)\b"), "always"),
    (re.compile(r"(不能|不可以|不应|不会|不必|不要)"), lambda match: match[0][1:]),
    (re.compile(r"(并非|不是|没有)"), lambda match: {"并非": "确实", "不是": "就是", "没有": "有"}[match[0]]),
)
_AFFIRMED = re.compile(r"\b(is|are|was|were|can|should|must|will)\b(?! not)")
_MARKS = re.compile(r"^\s{0,3}(#{1,6} |[-*+] |\d+\. |> )|\*\*|__|`", re.MULTILINE)


def _append(given: Given) -> str:
    return f"{given.text.rstrip()}\n\n{given.insert}"


def _prepend(given: Given) -> str:
    return f"{given.insert}\n\n{given.text.lstrip()}"


def _insert(given: Given) -> str | None:
    sentences = split_sentences(given.text)
    if len(sentences) < 2:
        return None
    place = sentences[len(sentences) // 2].start
    return f"{given.text[:place]}{given.insert} {given.text[place:]}"


def _surround(given: Given) -> str:
    return f"{given.insert}\n\n{given.text.strip()}\n\n{given.insert}"


def _replace(given: Given) -> str:
    return given.insert


def _repeat_task(given: Given) -> str | None:
    return given.task or None


def _repeat_task_politely(given: Given) -> str | None:
    return f"{given.insert}\n\n{given.task}" if given.task else None


def _other_answer(given: Given) -> str | None:
    return given.other or None


def _joined(sentences: list[str]) -> str:
    """Put sentences together again; between Chinese ones stands no blank."""
    return ("" if any("\u4e00" <= each <= "\u9fff" for each in "".join(sentences)) else " ").join(sentences)


def _sentences(text: str) -> list[str]:
    return [text[each.start : each.end].strip() for each in split_sentences(text)]


def _bullets(given: Given) -> str:
    return "\n".join(f"- {each}" for each in _sentences(given.text))


def _numbered(given: Given) -> str:
    return "\n".join(f"{number}. {each}" for number, each in enumerate(_sentences(given.text), 1))


def _bold(given: Given) -> str | None:
    first, *rest = _sentences(given.text) or [""]
    return f"**{first}**\n\n{_joined(rest)}" if rest else None


def _headed(given: Given) -> str:
    return f"## {given.insert}\n\n{given.text.strip()}"


def _quoted_block(given: Given) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in given.text.strip().splitlines())


def _ruled(given: Given) -> str:
    return f"---\n\n{given.text.strip()}\n\n---"


def _plain(given: Given) -> str | None:
    plain = _MARKS.sub("", given.text)
    return plain if plain != given.text else None


def _blank_lines(given: Given) -> str:
    return "\n\n\n".join(_sentences(given.text))


def _one_line(given: Given) -> str | None:
    line = " ".join(given.text.split())
    return line if line != given.text.strip() else None


def _indented(given: Given) -> str:
    return "\n".join(f"  {line}" for line in given.text.strip().splitlines())


def _shuffled_words(given: Given) -> str | None:
    """Shuffle words; of texts without blanks, characters."""
    units = given.text.split() if len(given.text.split()) > len(given.text) / 15 else list("".join(given.text.split()))
    if len(units) < 5:
        return None
    mixed = list(units)
    given.chance.shuffle(mixed)
    return (" " if len(units) > 1 and max(map(len, units)) > 1 else "").join(mixed)


def _reversed_words(given: Given) -> str | None:
    units = given.text.split() if len(given.text.split()) > len(given.text) / 15 else list("".join(given.text.split()))
    return (" " if max(map(len, units), default=0) > 1 else "").join(reversed(units)) if len(units) > 4 else None


def _kept(share: Callable[[int], slice]) -> Operation:
    """Make an operation that keeps some of the sentences; at least one must stay and one must go."""

    def keep(given: Given) -> str | None:
        sentences = _sentences(given.text)
        kept = sentences[share(len(sentences))]
        return _joined(kept) if 0 < len(kept) < len(sentences) else None

    return keep


def _cut_middle(given: Given) -> str | None:
    sentences = _sentences(given.text)
    third = max(1, len(sentences) // 3)
    return _joined(sentences[:third] + sentences[-third:]) if len(sentences) > 2 * third else None


def _cut_off(given: Given) -> str | None:
    """Break off in the midst of a word, as at a limit of tokens."""
    place = len(given.text) * 2 // 5
    return given.text[:place].rstrip() if place > 10 else None


def _first_words(given: Given) -> str | None:
    words = given.text.split()
    found = " ".join(words[:3]) if len(words) > 8 else given.text[:4]
    return found if len(found) < len(given.text) / 3 else None


def _each_number(change: Callable[[int], int]) -> Operation:
    """Make an operation that changes every number."""

    def alter(given: Given) -> str | None:
        altered, times = _NUMBER.subn(lambda match: str(change(int(match[0]))), given.text)
        return altered if times else None

    return alter


def _flip_negation(given: Given) -> str | None:
    """Take away the first negation; where there is none, put one in."""
    for pattern, positive in _NEGATIONS:
        flipped, times = pattern.subn(positive, given.text, count=1)
        if times:
            return flipped
    flipped, times = _AFFIRMED.subn(r"\1 not", given.text, count=1)
    return flipped if times else None


def _alter_quote(given: Given) -> str | None:
    """Reverse the words, or letters, of every quotation, so that it is no longer what was said."""

    def garble(match: re.Match[str]) -> str:
        said = next(each for each in match.groups() if each)
        words = said.split()
        return match[0].replace(said, " ".join(reversed(words)) if len(words) > 2 else said[::-1])

    altered, times = _QUOTED.subn(garble, given.text)
    return altered if times and altered != given.text else None


OPERATIONS: dict[str, Operation] = {
    "append": _append,
    "prepend": _prepend,
    "insert": _insert,
    "surround": _surround,
    "replace": _replace,
    "repeat_task": _repeat_task,
    "repeat_task_politely": _repeat_task_politely,
    "other_answer": _other_answer,
    "bullets": _bullets,
    "numbered": _numbered,
    "bold": _bold,
    "headed": _headed,
    "quoted_block": _quoted_block,
    "ruled": _ruled,
    "plain": _plain,
    "blank_lines": _blank_lines,
    "one_line": _one_line,
    "indented": _indented,
    "shuffled_words": _shuffled_words,
    "reversed_words": _reversed_words,
    "cut_last_half": _kept(lambda count: slice(0, (count + 1) // 2)),
    "cut_first_half": _kept(lambda count: slice(count // 2, count)),
    "cut_middle": _cut_middle,
    "cut_off": _cut_off,
    "first_sentence": _kept(lambda _: slice(0, 1)),
    "last_sentence": _kept(lambda count: slice(count - 1, count)),
    "first_words": _first_words,
    "numbers_tenfold": _each_number(lambda number: number * 10 + 7),
    "numbers_more": _each_number(lambda number: number + max(3, number // 2)),
    "numbers_less": _each_number(lambda number: number // 3),
    "flip_negation": _flip_negation,
    "alter_quote": _alter_quote,
}
"""Every operation by its name."""


def _spread(text: str, between: str) -> str:
    return between.join(text)


_HOMOGLYPHS = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")

DISGUISES: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "zero_width": lambda text: _spread(text, "\u200b"),
    "joined": lambda text: _spread(text, "\u2060"),
    "homoglyphs": lambda text: text.translate(_HOMOGLYPHS),
    "fullwidth": lambda text: "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text),
    "spaced": lambda text: _spread(text, " "),
    "tags": lambda text: "".join(chr(0xE0000 + ord(each)) if each.isascii() else each for each in text),
    "right_to_left": lambda text: f"\u202e{text[::-1]}\u202c",
    "comment": lambda text: f"<!-- {text} -->",
    "soft_hyphens": lambda text: _spread(text, "\u00ad"),
}
"""How the text of an injection may be disguised; the first is not."""
