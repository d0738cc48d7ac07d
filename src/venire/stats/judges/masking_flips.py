"""Masking: how often a judge's verdict changes once the names of models are masked in what it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.stats.judges.bias import Bias, measured
from venire.stats.judges.versions import compare_judge_versions
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.table import RatingsTable

SMALLEST = 20
"""How many outputs both versions of a judge must have judged."""

_FLIPS = say("meaning.masking_flips")
_SHIFT = say("meaning.masking_shift")


def masking_flips(
    table: RatingsTable, *, open_version: str, masked_version: str, level: float = 0.95
) -> tuple[Bias, ...]:
    """Compare the versions of each judge that saw and did not see names, on identical outputs.

    Versions are judge digests or prompt versions; a judge that masks is another instrument than one that does not.
    Each judge gives two measures: flips of the verdict, and the shift of the overall score.
    """
    found: list[Bias] = []
    for migration in compare_judge_versions(table, open_version, masked_version, level=level):
        shift = migration.overall.difference.difference
        for name, estimate, count, meaning in (
            ("verdict flips under masking", migration.verdict_flips, sum(migration.verdicts.values()), _FLIPS),
            ("score shift under masking", shift, shift.n.get("values", 0), _SHIFT),
        ):
            found.append(
                measured(name, migration.judge, estimate, observations=count, smallest=SMALLEST, meaning=meaning)
            )
    return tuple(found)
