"""What "the same words" means: three levels of normalisation, each with a map back to the original offsets.

Never fuzzy: a level folds what scanning, typesetting and typing habits change, and nothing that changes the words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from venire.domain.judgement import EvidenceLevel
from venire.validation.graphemes import splits_grapheme

# CJK Radicals Supplement to the ideographs they stand for (Unicode's EquivalentUnifiedIdeograph property). The Kangxi
# radicals, U+2F00-2FD5, need no table: NFKC folds them.
_RADICALS = (
    "⺁⺂⺃⺄⺅⺆⺇⺈⺉⺊⺋⺌⺍⺎⺏⺐⺑⺒⺓⺔⺕⺖⺗⺘⺙⺛⺜⺝⺞⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺳⺴⺵⺶⺷⺸⺹⺺"
    "⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻇⻈⻉⻊⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻞⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲"
)
_IDEOGRAPHS = (
    "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀"
    "聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀"
)
# Quotation marks, dashes and stops that typing habits exchange and NFKC leaves alone.
_PUNCTUATION = {
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "\u300c": '"', "\u300d": '"',
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u300e": '"', "\u300f": '"',
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-", "\u2212": "-",
    "\u3001": ",", "\u3002": ".", "\u3010": "[", "\u3011": "]", "\u3014": "[", "\u3015": "]",
}  # fmt: skip
_FOLDED = str.maketrans({**dict(zip(_RADICALS, _IDEOGRAPHS, strict=True)), **_PUNCTUATION})

# Vowel signs of combining class 0 that compose with the character before them (Unicode's NFC_Quick_Check=Maybe).
_COMPOSING_STARTERS = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
)
_VARIATION_SELECTORS = frozenset(
    map(chr, (0x34F, 0x180F, *range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_LONGEST_CLUSTER = 256  # sorting the marks of one character takes quadratic time
_MARK = re.compile(r"⟦U\+([0-9A-F]{4,5}|10[0-9A-F]{4})⟧")
_MOST_ROUNDS = 4  # marks inside marks are nobody's honest quote
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_PLAIN_PIECE = re.compile(r"[!-~]+|\s+|.", re.DOTALL)


class NormalisedText:
    """A text at one level, with the span of the original behind each of its characters."""

    __slots__ = ("_ends", "_starts", "original", "text")

    def __init__(self, original: str, text: str, starts: list[int], ends: list[int]) -> None:
        self.original = original
        self.text = text
        self._starts = starts
        self._ends = ends

    def span(self, position: int, length: int) -> tuple[int, int]:
        """Return the offsets in the original of a stretch of the normalised text."""
        return self._starts[position], self._ends[position + length - 1]

    def position(self, offset: int) -> int:
        """Return the position of the first character that comes from this offset of the original or a later one."""
        return bisect_left(self._starts, offset)

    def splits_character(self, position: int) -> bool:
        """Tell whether a position lies inside a character of the original, by its folding or as a grapheme."""
        starts = self._starts
        if not 0 < position < len(starts):
            return False
        return starts[position] == starts[position - 1] or splits_grapheme(self.original, starts[position])

    def spans(self) -> Iterator[tuple[int, int]]:
        """Return the offsets in the original of each character."""
        return zip(self._starts, self._ends, strict=True)


def normalise(text: str, level: EvidenceLevel) -> NormalisedText:
    r"""Bring a text to a level; doing it twice changes nothing.

    >>> normalise("⼈⼯  智\n能 ﬁrst", EvidenceLevel.NFKC).text
    '人工智能first'
    >>> normalise("a⟦U+202E⟧b\a⟦U+000C⟧c", EvidenceLevel.NFKC).text
    'ab c'
    """
    if level is not EvidenceLevel.NFKC or "⟦" not in text:
        return _normalise(text, level)
    places = list(range(len(text) + 1))
    normal = NormalisedText(text, text, places[:-1], places[1:])
    for _ in range(_MOST_ROUNDS):  # taking a mark away may put the ends of another together
        shown, places = _without_marks(normal.text)
        inner = _normalise(shown, level)
        spans = [normal.span(places[start], places[end] - places[start]) for start, end in inner.spans()]
        normal = NormalisedText(text, inner.text, [start for start, _ in spans], [end for _, end in spans])
        if not _MARK.search(normal.text):
            break
    return normal


def _without_marks(text: str) -> tuple[str, list[int]]:
    """Put characters in the place of the marks that prompts show for them; return also where each one stood."""
    out: list[str] = []
    places: list[int] = []
    position = 0
    for match in _MARK.finditer(text):
        character = chr(int(match[1], 16))
        if not _is_invisible(character) and not character.isspace():
            continue
        start, end = match.span()
        out += (text[position:start], character)
        places += range(position, start + 1)
        position = end
    out.append(text[position:])
    places += range(position, len(text) + 1)
    return "".join(out), places


def _normalise(text: str, level: EvidenceLevel) -> NormalisedText:
    if level is EvidenceLevel.EXACT:
        return NormalisedText(text, text, list(range(len(text))), list(range(1, len(text) + 1)))
    fold = level is EvidenceLevel.NFKC
    pattern = _folding_piece() if fold and (not text.isascii() or _CONTROL.search(text)) else _PLAIN_PIECE
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    blank_at: tuple[int, int] | None = None
    beside_cjk = True  # blanks at the very beginning are dropped
    for match in pattern.finditer(text):
        piece = match.group()
        start, end = match.span()
        if piece[0].isspace():
            blank_at = blank_at or (start, end)
            continue
        is_ascii = piece.isascii() and (not fold or piece.isprintable())
        folded = piece if is_ascii or not fold else fold_piece(piece)
        if not folded:
            continue
        is_cjk = not is_ascii and (_is_cjk(piece[0]) or _is_cjk(folded[0]))
        # Dropping the blank before a mark would join the mark to another character.
        if blank_at and (not (beside_cjk or is_cjk) or (fold and _joins(piece[0]))):
            out.append(" ")
            starts.append(blank_at[0])
            ends.append(blank_at[1])
        blank_at = None
        out.append(folded)
        if is_ascii:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(folded))
            ends.extend([end] * len(folded))
        if piece not in _VARIATION_SELECTORS:  # these only choose how the character before them looks
            beside_cjk = not is_ascii and (_is_cjk(piece[-1]) or _is_cjk(folded[-1]))
    return NormalisedText(text, "".join(out), starts, ends)


@cache
def _folding_piece() -> re.Pattern[str]:
    """Return the pattern of what is folded together: a run of ASCII, or a character with all that joins it.

    The characters that join the one before them are looked up in Unicode's tables once, when they are first needed.
    """
    # Left out, because it takes a tenth of a second to look at them: ideographs, syllables and what is not assigned.
    blocks = ((0, 0x20), (0x7F, 0x3400), (0xA000, 0xAC00), (0xD7B0, 0xD800), (0xF900, 0x12000), (0x13430, 0x13460))
    more = ((0x16A00, 0x17000), (0x1BC00, 0x1F000), (0xE0000, 0xE01F0))
    codes = [code for block in blocks + more for code in range(*block) if _joins(chr(code))]
    # Spelt as ranges: a set of many single characters beyond U+FFFF is slow to search.
    starts = [code for before, code in pairwise([-2, *codes]) if code - before > 1]
    ends = [code for code, after in pairwise([*codes, 0x110000]) if after - code > 1]
    joining = "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))
    return re.compile(rf"[!-~]+(?![{joining}])|\s+|.[{joining}]{{0,{_LONGEST_CLUSTER}}}", re.DOTALL)


def _joins(character: str) -> bool:
    """Tell whether a character may compose with the one before it, or is invisible."""
    if character < "\xa0":
        return _is_invisible(character)
    first = unicodedata.normalize("NFKD", character)[0]
    return (
        unicodedata.combining(first) != 0
        or "\u1161" <= first <= "\u11c2"  # Hangul vowels and finals compose by rule, not by table
        or first in _COMPOSING_STARTERS
        or _is_invisible(character)
    )


def _is_invisible(character: str) -> bool:
    category = unicodedata.category(character)
    return category == "Cf" or (category == "Cc" and not character.isspace()) or character in _VARIATION_SELECTORS


@lru_cache(maxsize=8192)
def fold_piece(piece: str) -> str:
    """Fold a character with all that joins it; what is invisible is dropped."""
    visible = "".join(character for character in piece if not _is_invisible(character))
    composed = unicodedata.normalize("NFKC", visible)
    if any(character.isspace() for character in composed):
        return visible  # a spacing accent or a ligature of several words: taking it apart would make new blanks
    return unicodedata.normalize("NFKC", composed.translate(_FOLDED))


def _is_cjk(character: str) -> bool:
    """Tell whether a character is an ideograph, kana or CJK punctuation.

    Hangul and full-width letters and digits are not: they are written with blanks between words.
    """
    return (
        "\u2e80" <= character <= "\u312f"
        or "\u31a0" <= character <= "\u4dbf"
        or "\u4e00" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\ufe30" <= character <= "\ufe4f"
        or ("\uff00" <= character <= "\uff9f" and not character.isalnum())
        or "\uff66" <= character <= "\uff9f"
        or "\U00020000" <= character <= "\U0002ee5f"  # Extensions B to F and I
        or "\U0002f800" <= character <= "\U0002fa1f"  # Compatibility Ideographs Supplement
        or "\U00030000" <= character <= "\U0003347f"  # Extensions G, H and J
    )
