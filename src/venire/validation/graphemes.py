"""Where one character for a reader ends and the next begins, so that no quote stops in the middle of one.

The rules are those of extended grapheme clusters (Unicode Standard Annex #29), told by Python's own tables. Left out
are CR LF, since white space is compared by rules of its own, and the few prepended signs of rule GB9b.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_ZERO_WIDTH_JOINER = "\u200d"
# What extends the character before it, though its category does not say so: zero-width non-joiner, Thai and Lao am, the
# voiced marks of half-width kana.
_EXTENDING = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
# Signs that bind two consonants into one character (Indic_Conjunct_Break=Linker).
_LINKERS = frozenset("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d")
_LONGEST_ROW_OF_FLAGS = 256


def splits_grapheme(text: str, at: int) -> bool:
    r"""Tell whether the place before an offset lies inside what a reader takes for one character.

    >>> splits_grapheme("cafe\u0301", 4), splits_grapheme("cafe\u0301", 3), splits_grapheme("👩\u200d🚀", 2)
    (True, False, True)
    """
    after = text[at : at + 1]
    if after < "\u0300" or "\u3100" <= after < "\ua66f" or not at:  # the plain cases: Latin letters, ideographs
        return False
    if _extends(after):
        return True
    before = text[at - 1]
    if before < "\u0300":
        return False
    if before == _ZERO_WIDTH_JOINER:
        return unicodedata.category(after) == "So"  # a sequence of pictures
    if before in _LINKERS:
        return unicodedata.category(after) == "Lo"
    if _is_flag_letter(after) and _is_flag_letter(before):
        return _flag_letters_before(text, at) % 2 == 1
    return _is_inside_syllable(before, after)


@lru_cache(maxsize=1024)
def _extends(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in _EXTENDING
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # colours of skin
        or "\U000e0020" <= character <= "\U000e007f"  # tags
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, at: int) -> int:
    count = 0
    while count < min(at, _LONGEST_ROW_OF_FLAGS) and _is_flag_letter(text[at - 1 - count]):
        count += 1
    return count


def _is_inside_syllable(before: str, after: str) -> bool:
    """Tell whether two letters of Hangul belong to one syllable."""
    leads = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97f"
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7ff":
        return leads or "\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7ff"
    return leads and ("\u1100" <= after <= "\u115f" or "\ua960" <= after <= "\ua97f" or "\uac00" <= after <= "\ud7a3")
