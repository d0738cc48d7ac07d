"""What "the same words" means: three levels of normalisation, each with a map back to the original offsets.

Never fuzzy: a level folds what scanning, typesetting and typing habits change, and nothing that changes the words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from venire.domain.judgement import EvidenceLevel

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

# Marks that may join the character before them when composed, and the Hangul vowels and finals.
_JOINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u3099\u309a\u1160-\u11ff"
_PIECE = re.compile(rf"[!-~]+(?![{_JOINING}])|\s+|.[{_JOINING}]*", re.DOTALL)


class NormalisedText:
    """A text at one level, with the span of the original behind each of its characters."""

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self.text = text
        self._starts = starts
        self._ends = ends

    def span(self, position: int, length: int) -> tuple[int, int]:
        """Return the offsets in the original of a stretch of the normalised text."""
        return self._starts[position], self._ends[position + length - 1]


def normalise(text: str, level: EvidenceLevel) -> NormalisedText:
    r"""Bring a text to a level; doing it twice changes nothing.

    >>> normalise("⼈⼯  智\n能 ﬁrst", EvidenceLevel.NFKC).text
    '人工智能first'
    """
    if level is EvidenceLevel.EXACT:
        return NormalisedText(text, list(range(len(text))), list(range(1, len(text) + 1)))
    fold = level is EvidenceLevel.NFKC
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    blank_at: tuple[int, int] | None = None
    beside_cjk = True  # blanks at the very beginning are dropped
    for match in _PIECE.finditer(text):
        piece = match.group()
        start, end = match.span()
        if piece[0].isspace():
            blank_at = blank_at or (start, end)
            continue
        is_ascii = piece.isascii()
        folded = piece if is_ascii or not fold else _fold(piece)
        if not folded:
            continue
        is_cjk = not is_ascii and (_is_cjk(piece[0]) or _is_cjk(folded[0]))
        if blank_at and not beside_cjk and not is_cjk:
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
        beside_cjk = not is_ascii and (_is_cjk(piece[-1]) or _is_cjk(folded[-1]))
    return NormalisedText("".join(out), starts, ends)


@lru_cache(maxsize=8192)
def _fold(piece: str) -> str:
    visible = "".join(character for character in piece if unicodedata.category(character) != "Cf")
    composed = unicodedata.normalize("NFKC", visible)
    if any(character.isspace() for character in composed):
        return visible  # a spacing accent or a ligature of several words: taking it apart would make new blanks
    return unicodedata.normalize("NFKC", composed.translate(_FOLDED))


def _is_cjk(character: str) -> bool:
    """Tell whether a character is an ideograph, kana or CJK punctuation; Hangul writes blanks between words."""
    return (
        "\u2e80" <= character <= "\u312f"
        or "\u31a0" <= character <= "\u4dbf"
        or "\u4e00" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\ufe30" <= character <= "\ufe4f"
        or "\uff00" <= character <= "\uffef"
        or character >= "\U00020000"
    )
