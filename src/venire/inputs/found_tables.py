"""Which tables in a folder hold outputs, so that a first configuration can name one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.material import MaterialKind
from venire.errors import VenireError
from venire.inputs.folder import ending_of
from venire.inputs.tables.columns import SampleColumns
from venire.inputs.tables.materials import MaterialTerms
from venire.inputs.tables.rows import TABLE_ENDINGS, read_rows

_MOST_JSON_BYTES = 16 * 2**20
"""A JSON array is read as a whole; a larger one is not looked into only to guess what it is."""


class FoundTable(msgspec.Struct, frozen=True):
    """A table of outputs."""

    name: str
    """Its name in the folder."""
    columns: dict[str, str]
    """The column of each field that was recognised in its first row."""


def find_tables(folder: Path) -> list[FoundTable]:
    """Return the tables of a folder whose first row has an output, by name; what cannot be read is passed over."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith(".")]
    found = [_look_into(path) for path in paths if ending_of(path) in TABLE_ENDINGS]
    return [table for table in found if table is not None]


def _look_into(path: Path) -> FoundTable | None:
    if ending_of(path) == ".json" and path.stat().st_size > _MOST_JSON_BYTES:
        return None
    columns = SampleColumns(id_from_row=True, materials=MaterialTerms(frozenset(MaterialKind)))
    try:
        row = next(read_rows(path, on_problem=lambda _: None, may_nest=columns.may_nest), None)
        if row is None or columns.lacking(row):
            return None
        return FoundTable(path.name, columns.recognised(row))
    except VenireError:
        return None
