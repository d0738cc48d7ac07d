"""Invalid replies: what was left out and why, and which rules were broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.domain.rule import RULES
from venire.reports.cells import estimate_cell, make_table, number_cell, text_cell, where
from venire.reports.report import Cell, Note, Rows, Section, Table
from venire.stats.intervals import wilson_interval

if TYPE_CHECKING:
    from venire.reports.material import Material

_FILTERS = {
    "invalid": {"status": "invalid"},
    "recovered": {"status": "recovered"},
    "self-judged": {"method": "self_judge"},
}


def invalid(material: Material) -> Section:
    """Count what primary statistics leave out, by reason and by rule."""
    tables: list[Table] = []
    notes = [Note("excluded.read")]
    total = material.table.judgement_count
    counted = material.primary.table.judgement_count
    drafts = [(("counted",), [number_cell(counted, Rows()), _share(counted, total, Rows())])]
    for reason, count in material.primary.excluded.items():
        rows = where(_FILTERS.get(reason, {}), among="recorded")
        drafts.append(((reason,), [number_cell(count, rows), _share(count, total, rows)]))
    tables.append(make_table("excluded", ("outcome",), ("judgements", "share"), drafts))
    if material.broken:
        ordered = sorted(material.broken.items(), key=lambda item: (-len(item[1].sequences), item[0]))
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
        notes.append(Note("rules.table" if material.is_table else "rules.none"))
    return Section("invalid", tuple(notes), tuple(tables))


def _share(count: int, total: int, rows: Rows) -> Cell:
    return estimate_cell(wilson_interval(count, total), rows, "share")
