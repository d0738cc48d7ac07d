"""Reads which outputs are anchors: frozen ones that every version of a judge is put before."""

from __future__ import annotations

from pathlib import Path

from venire.errors import InputError
from venire.inputs.tables.rows import TABLE_ENDINGS, read_rows


def read_anchors(path: Path) -> frozenset[str]:
    """Read the output_ids of anchors: one a line, or a table with a column `output_id`."""
    if str(path).lower().endswith(TABLE_ENDINGS):
        found = []
        for row in read_rows(path):
            if row.values.get("output_id") in (None, ""):
                raise InputError("expected a column output_id, found none", where=row.where)
            found.append(str(row.values["output_id"]))
    else:
        try:
            found = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the anchors cannot be read: {error}", where=str(path)) from None
    if not found:
        raise InputError("expected the output_ids of anchors, found none", where=str(path))
    return frozenset(found)
