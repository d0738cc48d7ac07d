"""Reads the evidence of a ledger, of a table of scores or of the results of a check, whichever a user names."""

from __future__ import annotations

from pathlib import Path

from venire.errors import InputError
from venire.inputs.tables.rows import TABLE_ENDINGS, read_rows
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices, Origin
from venire.workflows.evidence.from_check import is_check, read_check
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.from_table import is_table, read_table
from venire.workflows.ledgers import opened_ledger


def read_file(source: str | Path, choices: Choices) -> tuple[ReportEvidence, Origin] | None:
    """Return the evidence of a table of scores or of the results of a check; None if the source is a ledger."""
    if is_check(source):
        return read_check(Path(source), choices)
    return read_table(Path(source), choices) if is_table(source) else None


def read_evidence(source: str | Path, choices: Choices) -> ReportEvidence:
    """Return the evidence of a ledger (given by path or address), of a table of scores or of the results of a check."""
    found = read_file(source, choices)
    if found is not None:
        return found[0]
    with opened_ledger(str(source), read_only=True) as ledger:
        return read_ledger(ledger, choices, Path(str(source)).name)[0]


def read_anchors(path: Path) -> frozenset[str]:
    """Read the output_ids of anchors: one a line, or a table with a column `output_id`."""
    if str(path).lower().endswith(TABLE_ENDINGS):
        found = []
        for row in read_rows(path):
            if row.values.get("output_id") in (None, ""):
                raise InputError("error.evidence.no_anchor_column", where=row.where)
            found.append(str(row.values["output_id"]))
    else:
        try:
            found = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("error.evidence.anchors_unreadable", where=str(path), error=error) from None
    if not found:
        raise InputError("error.evidence.no_anchors", where=str(path))
    return frozenset(found)
