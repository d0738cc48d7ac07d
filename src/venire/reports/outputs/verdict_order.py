"""What verdicts say of an output that nobody scored: how large the share of good ones is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.sections.answers.verdicts import GOOD

if TYPE_CHECKING:
    from collections.abc import Iterable

BAD = (
    "fail",
    "i",
    "incorrect",
    "no",
    "false",
    "bad",
    "wrong",
    "reject",
    "rejected",
    "不通过",
    "错误",
    "不合格",
    "否",
    "差",
)
"""Verdicts that are known to be bad ones, in small letters."""
_WORTH = {**dict.fromkeys((*GOOD, "won"), 1.0), **dict.fromkeys((*BAD, "lost"), 0.0), "partial": 0.5, "tie": 0.5}


def good_share(verdicts: Iterable[str]) -> float | None:
    """Return the share of good verdicts, or of comparisons won; None if any verdict has no known place in an order.

    >>> good_share(["PASS", "FAIL", "FAIL", "PARTIAL"]), good_share(["PASS", "blue"])
    (0.375, None)
    """
    found = [_WORTH.get(each.casefold()) for each in verdicts if each]
    known = [each for each in found if each is not None]
    return sum(known) / len(known) if known and len(known) == len(found) else None
