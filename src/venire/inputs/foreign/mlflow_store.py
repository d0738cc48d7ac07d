"""Reads the traces in MLflow's SQLite database, one at a time, each as `Trace.to_dict` would write it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import apsw

from venire.errors import InputError
from venire.inputs.foreign.file import OTHER_FORM, ForeignFile, json_value, other_form

_TABLES = ("trace_info", "trace_tags", "trace_request_metadata", "assessments")
_TRACES = "select * from trace_info order by timestamp_ms, request_id"
_ASSESSMENTS = "select * from assessments where trace_id = ? order by created_timestamp, assessment_id"
_SPANS = "select content from spans where trace_id = ? order by start_time_unix_nano, parent_span_id is not null"
_PAIRS = "select key, value from {} where request_id = ?"


def is_store(file: ForeignFile) -> bool:
    """Tell whether a file is a database of MLflow that has traces."""
    if not file.is_sqlite:
        return False
    try:
        with closing(_opened(file.path)) as store:
            names = _table_names(store)
    except apsw.Error:
        return False
    return set(_TABLES) <= names


def stored_traces(file: ForeignFile) -> Iterator[dict[str, Any]]:
    """Yield the traces in the order of their time; raises `InputError` if the database cannot be read."""
    try:
        with closing(_opened(file.path)) as store:
            has_spans = "spans" in _table_names(store)
            for row in _rows(store, _TRACES):
                info = _info(store, row)
                spans = _spans(store, info, has_spans)
                if spans is None:
                    name, place = info["trace_id"], info["tags"].get("mlflow.artifactLocation", "?")
                    file.tell(InputError("error.foreign.no_spans", where=str(file.path), name=name, place=place))
                else:
                    yield {"info": info, "data": {"spans": spans}}
    except apsw.Error as error:
        raise InputError("error.foreign.database", where=str(file.path), reason=str(error)) from error
    except OTHER_FORM as error:
        raise other_form(str(file.path), "mlflow", error) from error


def _opened(path: Path) -> apsw.Connection:
    return apsw.Connection(f"file:{quote(str(path))}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def _table_names(store: apsw.Connection) -> set[str]:
    return {name for (name,) in store.execute("select name from sqlite_master where type = 'table'")}


def _rows(store: apsw.Connection, query: str, *values: str) -> Iterator[dict[str, Any]]:
    """Yield rows by the names of their columns, of which later versions of MLflow have more."""
    cursor = store.cursor()
    for row in cursor.execute(query, values):
        yield dict(zip((name for name, *_ in cursor.get_description()), row, strict=True))


def _info(store: apsw.Connection, row: dict[str, Any]) -> dict[str, Any]:
    trace = row["request_id"]
    tags = {"mlflow.traceName": row.get("trace_name")}
    metadata = {"mlflow.trace.session": row.get("session_id")}
    info = {
        "trace_id": trace,
        "request_time": _time(row["timestamp_ms"]),
        "execution_duration_ms": row["execution_time_ms"],
        "trace_metadata": metadata | dict(store.execute(_PAIRS.format("trace_request_metadata"), (trace,))),
        "tags": tags | dict(store.execute(_PAIRS.format("trace_tags"), (trace,))),
        "assessments": [_assessment(each) for each in _rows(store, _ASSESSMENTS, trace)],
    }
    return {name: value for name, value in info.items() if value is not None}


def _assessment(row: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"value": json.loads(row["value"])}
    if row["error"] is not None:
        told["error"] = {name: item for name, item in json.loads(row["error"]).items() if item is not None}
    found = {
        "assessment_id": row["assessment_id"],
        "assessment_name": row["name"],
        "trace_id": row["trace_id"],
        "span_id": row["span_id"],
        "source": {"source_type": row["source_type"], "source_id": row["source_id"]},
        "create_time": _time(row["created_timestamp"]),
        "last_update_time": _time(row["last_updated_timestamp"]),
        row["assessment_type"]: told,
        "rationale": row["rationale"],
        "metadata": json.loads(row["assessment_metadata"]) if row["assessment_metadata"] else None,
        "overrides": row["overrides"],
        "valid": bool(row["valid"]),
    }
    return {name: item for name, item in found.items() if item is not None}


def _spans(store: apsw.Connection, info: dict[str, Any], has_table: bool) -> list[Any] | None:
    """Return the spans of a trace, from the database or from the file beside it; None if they are in neither."""
    if has_table and (found := [json.loads(content) for (content,) in store.execute(_SPANS, (info["trace_id"],))]):
        return found
    place = urlsplit(info["tags"].get("mlflow.artifactLocation", ""))
    path = Path(unquote(place.path), "traces.json")
    if place.scheme not in ("", "file") or not place.path or not path.is_file():
        return None
    spans = json_value(path.read_bytes(), str(path)).get("spans")
    return spans if isinstance(spans, list) else None


def _time(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
