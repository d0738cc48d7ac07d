"""Words that outputs should not use: found whole in scripts that part words by blanks, and anywhere in the others."""

from __future__ import annotations

import re
from functools import lru_cache

_PARTED = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter or digit of a script that parts words by blanks: of any but Chinese and Japanese, and Korean, whose endings
follow without one."""


def forbidden_in(text: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the words stand in a text, in small or capital letters.

    >>> forbidden_in("We DELVE into 赋能平台.", ("delve", "del", "赋能"))
    ('delve', '赋能')
    """
    return tuple(word for word in words if _pattern(word).search(text))


@lru_cache(maxsize=1024)
def _pattern(word: str) -> re.Pattern[str]:
    word = word.strip()
    before = rf"(?<!{_PARTED})" if re.match(_PARTED, word[0]) else ""
    after = rf"(?!{_PARTED})" if re.match(_PARTED, word[-1]) else ""
    return re.compile(before + re.escape(word) + after, re.IGNORECASE)
