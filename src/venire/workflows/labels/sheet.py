"""The sheet that people fill in: a table of drawn outputs with empty scores, which the import reads back."""

from __future__ import annotations

import csv
from pathlib import Path

from venire.reports.formats.table_files import guard
from venire.workflows.labels.next_labels import LabelsNext, texts_of

COLUMNS = ("output_id", "task", "output", "score", "verdict", "rater")
"""The columns of a sheet. Neither the model nor the judges' scores are among them: labels are given blindly."""


def write_sheet(found: LabelsNext, location: str, path: Path) -> None:
    """Write the drawn outputs with their texts, in the order in which they are to be labelled."""
    texts = texts_of(location, frozenset(each.unit for each in found.outputs))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for each in found.outputs:
            task, text = texts.get(each.unit, ("", ""))
            writer.writerow([each.output_id, guard(task), guard(text), "", "", ""])
