"""Tables in the library that the caller uses."""

from __future__ import annotations

import importlib
from typing import Any, TypeVar

import msgspec
import polars as pl

Record = TypeVar("Record", bound=msgspec.Struct)


def in_kind(record: Record, source: object) -> Record:
    """Return the record with every data frame in it turned into the library that `source` belongs to.

    pandas gives pandas and Arrow gives Arrow; anything else, such as a file or a list, gives Polars.
    """
    library = type(source).__module__.partition(".")[0]
    if library not in {"pandas", "pyarrow"}:
        return record
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    frames = {name: _convert(value, library) for name, value in fields.items() if isinstance(value, pl.DataFrame)}
    return msgspec.structs.replace(record, **frames)


def _convert(frame: pl.DataFrame, library: str) -> Any:
    if library == "pyarrow":
        return frame.to_arrow()
    return importlib.import_module("pandas").DataFrame(frame.to_dict(as_series=False))
