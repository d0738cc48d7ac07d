"""Which tables in a folder hold outputs, so that a first configuration can name one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.material import MaterialKind
from venire.errors import TableError, VenireError
from venire.inputs.folder import ending_of
from venire.inputs.reader import SPREADSHEET_ENDINGS, kind_of_input
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
    encoding: str = ""
    """The encoding that it seems to have, if it is not UTF-8."""


def find_tables(folder: Path) -> tuple[list[FoundTable], list[VenireError]]:
    """Return the tables of a folder whose first row has an output, by name, and why others are none.

    What is no table at all, or a damaged one, is passed over.
    """
    tables: list[FoundTable] = []
    others: list[VenireError] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            tables += _look_into(path)
        except VenireError as error:
            others.append(error)
    return tables, others


def _look_into(path: Path, encoding: str = "") -> list[FoundTable]:
    """Return a table as a list of one; raise `VenireError` where somebody can tell us what it is."""
    if ending_of(path) in SPREADSHEET_ENDINGS:
        kind_of_input(path)
    is_large = ending_of(path) == ".json" and path.stat().st_size > _MOST_JSON_BYTES
    if is_large or ending_of(path) not in TABLE_ENDINGS:
        return []
    columns = SampleColumns(id_from_row=True, materials=MaterialTerms(frozenset(MaterialKind)))
    rows = read_rows(path, on_problem=lambda _: None, encoding=encoding, may_nest=columns.may_nest)
    try:
        row = next(rows, None)
    except TableError as error:
        if encoding or error.args != ("error.table.looks_like",):
            return []
        return _look_into(path, str(error.values["name"]))
    if row is None:
        return []
    if lacking := columns.lacking(row):
        raise lacking
    return [FoundTable(path.name, columns.recognised(row), encoding)]
