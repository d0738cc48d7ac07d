"""Where lines of Chinese may end at a terminal: between any two characters, but never before closing punctuation."""

from __future__ import annotations

import re

_OPENING = "（《“‘「【"
_CLOSING = "，。；：、！？）》”’」】…"
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CHINESE = re.compile(f"[{_WIDE}]")
_P_VALUE = r"p [=<>] [\d.]+"
_PIECE = re.compile(
    rf"[{_OPENING}]*(?:{_P_VALUE}|[{_OPENING}{_CLOSING}]|[{_WIDE}]|[^\s{_WIDE}{_OPENING}{_CLOSING}]+)[{_CLOSING}\s]*"
)


def broken_for(width: int, text: str) -> str:
    """Break a line that has Chinese in it so that it fits a width in terminal columns; leave others as they are.

    Where words stand between blanks the console itself breaks lines well; in Chinese there are hardly any blanks.
    A p value stays on one line.

    >>> print(broken_for(12, "要求：COMPLETENESS 至少一条引文。"))
    要求：
    COMPLETENESS
    至少一条引
    文。
    """
    from rich.cells import cell_len

    if not _CHINESE.search(text):
        return text
    lines: list[str] = []
    for given in text.splitlines():
        line = ""
        for piece in _PIECE.findall(given):
            if line and cell_len(f"{line}{piece.rstrip()}") > width:
                lines.append(line.rstrip())
                line = ""
            line += piece
        lines.append(line.rstrip())
    return "\n".join(lines)
