"""Reads the material of a ledger, of a table of scores or of the results of a check, whichever a user names."""

from __future__ import annotations

from pathlib import Path

from venire.ledger.location import open_ledger
from venire.reports.evidence import Material
from venire.reports.report import Choices, Origin
from venire.workflows.evidence.from_check import is_check, read_check
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.from_table import is_table, read_table


def read_file(source: str | Path, choices: Choices) -> tuple[Material, Origin] | None:
    """Return the material of a table of scores or of the results of a check; None if the source is a ledger."""
    if is_check(source):
        return read_check(Path(source), choices)
    return read_table(Path(source), choices) if is_table(source) else None


def read_material(source: str | Path, choices: Choices) -> Material:
    """Return the material of a ledger (given by path or address), of a table of scores or of the results of a check."""
    found = read_file(source, choices)
    if found is not None:
        return found[0]
    ledger = open_ledger(str(source), read_only=True)
    try:
        return read_ledger(ledger, choices, Path(str(source)).name)[0]
    finally:
        ledger.close()
