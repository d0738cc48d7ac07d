"""What a reader must know of a judge: one score for all, far from the panel, against the rest, or fickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venire.reports.report import Arguments, Note, Term
from venire.stats.agreement.bands import correlation_band
from venire.stats.judges.retest_reliability import RELIABLE
from venire.stats.judges.score_compression import score_compression
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venire.reports.evidence import ReportEvidence
    from venire.reports.report import ReportSection
    from venire.stats.judges.retest_reliability import RetestReliability

FAR = 2.0
"""How many points of 0–10 a judge must score apart from the panel to be warned of; grades are 1.5 points wide."""

REPEATED = 10
"""How many pairs of first and second answers a warning about consistency needs."""

SHARED = 10
"""How many outputs two judges must both have scored for a warning about their correlation."""

LOW = 0.5
"""Below which correlation agreement is called low (quality, Pearson correlation)."""

HIGH = 0.7
"""From which correlation on agreement is called high; a warning needs an interval that stays below it."""


class Nearest(NamedTuple):
    """The judge whose scores go best with those of another one."""

    other: str
    """That judge."""
    value: float
    """The correlation between the two."""
    high: float
    """The upper end of its interval."""
    outputs: int
    """How many outputs both scored."""
    compared: int
    """With how many judges the judge could be compared."""


def judge_warnings(evidence: ReportEvidence, agreed: ReportSection) -> Iterator[Note]:
    """Warn of judges that give one score to everything, are far from the panel, or go with no other judge.

    `agreed` is the section on agreement, which holds the correlation of every two judges.
    """
    level = evidence.choices.level
    for each in score_compression(evidence.primary, level=level):
        if each.details.get("nearly constant"):
            share = say("number.whole_percent", share=f"{100 * (each.estimate.value or 0):.0f}")
            yield Note("judges.constant", {"judge": each.judge, "share": share}, warning=True)
    for judge in evidence.leniency:
        value, low, high = judge.adjusted.value, judge.adjusted.low, judge.adjusted.high
        if value is None or low is None or high is None or len(evidence.primary.raters) < 2:
            continue
        if abs(value) >= FAR and not low <= 0 <= high:
            key = "judges.lenient" if value > 0 else "judges.severe"
            yield Note(key, {"judge": judge.judge, "points": round(abs(value), 1)}, warning=True)
    yield from _apart(agreed)


def _apart(agreed: ReportSection) -> Iterator[Note]:
    """Warn of judges whose scores go with no other judge's; of two judges alone it is not known which one is wrong."""
    told: set[str] = set()
    for judge, nearest in _nearest_judges(agreed).items():
        if nearest.value >= LOW or nearest.high >= HIGH or nearest.outputs < SHARED or judge in told:
            continue
        band = correlation_band(nearest.value)
        arguments: Arguments = {
            "judge": judge,
            "other": nearest.other,
            "value": f"{nearest.value:.2f}".replace("-", "−"),
            "outputs": nearest.outputs,
            "band": Term("text", f"correlation.{band.id}") if band else "",
        }
        key = "judges.two_apart" if nearest.compared == 1 else "judges.against" if nearest.high < 0 else "judges.apart"
        told |= {nearest.other} if nearest.compared == 1 else set()
        yield Note(key, arguments, warning=True)


def _nearest_judges(agreed: ReportSection) -> dict[str, Nearest]:
    pairs = next((table for table in agreed.tables if table.id == "pairs"), None)
    found: dict[str, Nearest] = {}
    for row in pairs.rows if pairs else ():
        known = [
            (cell.value, cell, column.id)
            for cell, column in zip(row.cells, pairs.columns if pairs else (), strict=True)
            if cell.value is not None
        ]
        if known:
            value, cell, other = max(known, key=lambda each: each[0])
            high = value if cell.high is None else cell.high
            found[row.names[0]] = Nearest(other, value, high, cell.n["units"], len(known))
    return found


def misstated_overalls(evidence: ReportEvidence) -> Iterator[Note]:
    """Warn of judges whose own overall score does not follow from their criteria."""
    for judge, stated in evidence.stated.items():
        if stated.sequences:
            arguments: Arguments = {
                "judge": judge,
                "count": len(stated.sequences),
                "compared": stated.compared,
                "points": round(stated.largest, 2),
            }
            yield Note("judges.misstated", arguments, warning=True)


def retest_warnings(retests: Mapping[str, RetestReliability]) -> Iterator[Note]:
    """Warn of judges that repeat themselves poorly, and say where too little was asked twice to know it."""
    for judge, result in retests.items():
        pairs, icc = result.exact_match.n["values"], result.icc
        if pairs < REPEATED:
            yield Note("retests.few", {"judge": judge, "pairs": pairs, "needed": REPEATED})
        elif icc.value is None:
            yield Note("retests.unknown", {"judge": judge, "pairs": pairs, "reason": icc.reason})
        elif icc.value < RELIABLE:
            arguments: Arguments = {"judge": judge, "value": round(icc.value, 2), "pairs": pairs, "limit": RELIABLE}
            yield Note("retests.low", arguments, warning=True)
