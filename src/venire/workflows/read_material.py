"""Reads the material of a ledger or of a table of scores, whichever a user names."""

from __future__ import annotations

from pathlib import Path

from venire.ledger.location import open_ledger
from venire.reports.material import Material
from venire.reports.report import Choices
from venire.workflows.analyse import is_table
from venire.workflows.ledger_material import read_ledger
from venire.workflows.table_material import read_table


def read_material(source: str | Path, choices: Choices) -> Material:
    """Return the material of a ledger (given by path or address) or of a table of scores."""
    if is_table(source):
        return read_table(Path(source), choices)[0]
    ledger = open_ledger(str(source), read_only=True)
    try:
        return read_ledger(ledger, choices, Path(str(source)).name)[0]
    finally:
        ledger.close()
