"""Compare two versions of a judge on identical outputs: what a migration to the new one would change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from venire.errors import UsageError
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices
from venire.stats.judges.versions import compare_judge_versions
from venire.stats.ratings.table import ALL_JUDGES, PrimarySet, RatingsTable
from venire.workflows.comparison.result import JudgeComparison, compare_score, with_holm
from venire.workflows.evidence.from_check import is_check
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.evidence.from_table import is_table
from venire.workflows.evidence.judge_versions import JudgeVersion, pair_versions, versions_in
from venire.workflows.ledgers import opened_ledger

if TYPE_CHECKING:
    import polars as pl


def compare_judges(source: str | Path, old: str, new: str, choices: Choices) -> tuple[JudgeComparison, ...]:
    """Compare two versions of each judge that has both, on the outputs that both judged.

    A version is named by its label (`prompt_version`) or the beginning of its digest or of its prompt's digest.
    """
    if is_table(source) or is_check(source):
        return _compare_in_file(source, old, new, choices)
    with opened_ledger(str(source), read_only=True) as ledger:
        versions = versions_in(ledger)
        pairs = pair_versions(versions, old, new)
        sides = []
        for side in (0, 1):
            # Judges that are not compared may have several versions too; which one is read does not matter.
            chosen = {version.judge: version.digest for version in versions}
            chosen |= {pair[side].judge: _selectors(*pair)[side] for pair in pairs}
            asked = msgspec.structs.replace(choices, judge_versions=chosen)
            sides.append(read_ledger(ledger, asked, Path(str(source)).name)[0])
    return tuple(_judge(pair, sides[0], sides[1]) for pair in pairs)


def _compare_in_file(source: str | Path, old: str, new: str, choices: Choices) -> tuple[JudgeComparison, ...]:
    """Compare versions that a table or the results of a check name in full."""
    before, after = (
        read_evidence(source, msgspec.structs.replace(choices, judge_versions={ALL_JUDGES: version}))
        for version in (old, new)
    )
    judges = [judge for judge in _having(before, old) if judge in _having(after, new)]
    if not judges or old == new:
        some, others = tuple(_having(before, old)), tuple(_having(after, new))
        code = "error.compare.no_two_versions"
        raise UsageError(code, where=str(source), old=old, new=new, with_old=some, with_new=others)
    pairs = [(JudgeVersion(judge, old, ""), JudgeVersion(judge, new, "")) for judge in judges]
    return tuple(_judge(pair, before, after) for pair in pairs)


def _having(material: ReportEvidence, version: str) -> list[str]:
    """Return the judges that have a version."""
    frame = material.table.frame
    rows = frame.filter((frame["rater_version"] == version) | (frame["prompt_version"] == version))
    return [str(name) for name in rows["rater"].unique(maintain_order=True).cast(str)]


def _selectors(old: JudgeVersion, new: JudgeVersion) -> tuple[str, str]:
    return (old.digest, new.digest) if old.digest != new.digest else (old.prompt, new.prompt)


def _judge(pair: tuple[JudgeVersion, JudgeVersion], before: ReportEvidence, after: ReportEvidence) -> JudgeComparison:
    import polars as pl

    choices = before.choices
    frames = [side.table.frame.filter(pl.col("rater") == pair[0].judge) for side in (before, after)]
    table = RatingsTable(pl.concat(frames, how="diagonal"))
    old, new = _selectors(*pair)
    [migration] = compare_judge_versions(
        table, old, new, count_recovered=choices.count_recovered, level=choices.level
    )  # fmt: skip
    one, two = (
        RatingsTable(frame).primary(count_recovered=choices.count_recovered, include_self=True) for frame in frames
    )
    rows = []
    for dimension in (None, *(name for name in one.dimensions if name in two.dimensions)):
        first, second = _shared(one, two, dimension)
        rows.append(compare_score(dimension or "overall", first, second, (("unit",),), choices.level))
    return JudgeComparison(migration=migration, scores=with_holm(tuple(rows)))


def _shared(one: PrimarySet, two: PrimarySet, dimension: str | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the scores of the outputs that both versions judged: the means of others would mix in their outputs."""
    first, second = one.scores(dimension), two.scores(dimension)
    units = {*first["unit"].cast(str)} & {*second["unit"].cast(str)}
    one_side, other = (side.filter(side["unit"].cast(str).is_in(list(units))) for side in (first, second))
    return one_side, other
