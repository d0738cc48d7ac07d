"""Reads the SQL files that lie beside the stores."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_NAME_MARK = "-- name: "


@cache
def load_script(file_name: str) -> str:
    """Return the text of an SQL file."""
    return files("venire.ledger").joinpath("sql", file_name).read_text("utf-8")


def load_queries(file_name: str) -> dict[str, str]:
    """Return the queries of an SQL file by the names that stand above them (`-- name: select_head`)."""
    queries = {}
    for part in load_script(file_name).split(_NAME_MARK)[1:]:
        name, _, sql = part.partition("\n")
        queries[name.strip()] = sql.strip()
    return queries
