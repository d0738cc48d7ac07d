"""Invalid replies: what was left out and why, and which rules were broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.domain.rule import RULES
from venire.reports.cells import estimate_cell, make_table, number_cell, text_cell, where
from venire.reports.report import Note, ReportCell, ReportSection, Rows, Table
from venire.stats.ratings.frame import off_scale
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from venire.reports.cells import Draft
    from venire.reports.evidence import ReportEvidence

OFF_SCALE_HEADS = ("unit", "rater", "dimension")
"""What names a score that lies outside of its scale."""

LISTED = 50
"""How many scores outside of their scale are listed at most."""

_FILTERS = {
    "invalid": {"status": "invalid"},
    "recovered": {"status": "recovered"},
    "self-judged": {"method": "self_judge"},
}


def invalid(evidence: ReportEvidence) -> ReportSection:
    """Count what primary statistics leave out, by reason and by rule."""
    tables: list[Table] = []
    kind = "_check" if evidence.is_check else "_table" if evidence.is_table else ""
    notes = [Note(f"excluded.read{kind}")]
    judgements = evidence.table.frame.unique("judgement", keep="first", maintain_order=True)
    inside = judgements["judgement"].is_in(evidence.primary.table.frame["judgement"].unique().to_list())
    counted = evidence.primary.table.judgement_count
    drafts = [(("counted",), [number_cell(counted, Rows()), _share(judgements, inside, counted, Rows(), evidence)])]
    for reason, count in evidence.primary.excluded.items():
        told = _FILTERS.get(reason, {})
        rows = where(told, among="recorded")
        chosen = [judgements[name].cast(str) == value for name, value in told.items()]
        share = _share(judgements, chosen[0] if chosen else None, count, rows, evidence)
        drafts.append(((reason,), [number_cell(count, rows), share]))
    tables.append(make_table("excluded", ("outcome",), ("judgements", "share"), drafts))
    beyond = off_scale_rows(evidence)
    if beyond.height:
        tables.append(make_table("off_scale", OFF_SCALE_HEADS, ("given", "lowest", "highest"), _off_scale(beyond)))
    if beyond.height > LISTED:
        notes.append(Note("off_scale.many", {"listed": LISTED, "count": beyond.height}))
    if evidence.broken:
        ordered = sorted(evidence.broken.items(), key=lambda item: (-len(item[1].sequences), item[0]))
        rules = []
        for name, broken in ordered:
            rows = Rows(among="recorded", sequences=tuple(broken.sequences))
            rule = RULES.get(name)
            flag = rule.flag.value if rule and rule.flag else ""
            rules.append(
                (
                    (name,),
                    [
                        number_cell(len(broken.sequences), rows),
                        number_cell(broken.findings, rows),
                        text_cell(flag or "–", rows),
                    ],
                )
            )
        tables.append(make_table("broken_rules", ("rule",), ("judgements", "findings", "flag"), rules))
    else:
        notes.append(Note("rules.table" if evidence.is_table else "rules.none"))
    return ReportSection("invalid", tuple(notes), tuple(tables))


def off_scale_rows(evidence: ReportEvidence) -> pl.DataFrame:
    """Return the scores of a table that lie outside of their scale; a ledger's rules tell of them in their own way."""
    import polars as pl

    frame = evidence.table.frame
    beyond = frame.filter(off_scale() | (off_scale("overall") & (pl.col("dimension") == "")))
    return beyond if evidence.is_table else beyond.head(0)


def _off_scale(beyond: pl.DataFrame) -> Iterator[Draft]:
    for row in beyond.head(LISTED).iter_rows(named=True):
        rows = where({"judgement": row["judgement"]}, among="recorded", dimension=row["dimension"])
        of = "overall_" if row["score"] is None or row["minimum"] is None else ""
        numbers = (row["overall" if of else "score"], row[f"{of}minimum"], row[f"{of}maximum"])
        cells = [number_cell(number, rows, "score", method=say("method.as_given")) for number in numbers]
        yield tuple(row[name] or "overall" for name in OFF_SCALE_HEADS), cells


def _share(
    judgements: pl.DataFrame, chosen: pl.Series | None, count: int, rows: Rows, evidence: ReportEvidence
) -> ReportCell:
    """Return the share of judgements, with an interval clustered by question where it is known which they are."""
    if not judgements.height:
        return number_cell(None, rows, "share")
    if chosen is None or int(chosen.fill_null(value=False).sum()) != count:
        return number_cell(count / judgements.height, rows, "share", method=say("method.share_of_judgements"))
    marks, clusters = chosen.fill_null(value=False).to_numpy(), cluster_codes(judgements)
    return estimate_cell(clustered_share(marks, clusters, level=evidence.choices.level), rows, "share")
