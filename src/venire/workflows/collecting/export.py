"""What was collected, as a table that is read back and judged anywhere: JSON Lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from venire.errors import UsageError
from venire.ledger.store import Ledger
from venire.workflows.collecting.collected import HeldOutput, held_outputs

Row = dict[str, Any]
_OWN = (
    "output_id", "question_id", "prompt_variant", "target_model", "model", "platform", "input", "system", "output",
    "state", "time", "repeat", "parameters", "input_tokens", "output_tokens", "latency_seconds", "finish_reason",
    "prompt_sha256", "case_digest", "target_digest", "task_id", "run",
)  # fmt: skip
"""The columns that every output has, before those of factors."""


def export_outputs(ledger: Ledger, path: Path) -> int:
    """Write all outputs that a ledger holds, empty ones too, and return how many; an earlier file is replaced.

    Raises `UsageError` for a file of another ending, and for a ledger without outputs.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise UsageError("error.export.outputs_ending", where=str(path), known=tuple(_WRITERS))
    last = ledger.head().sequence
    factors = dict.fromkeys(name for held in held_outputs(ledger, last) for name in held.record.place.factors)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    try:
        count = write((_row(held) for held in held_outputs(ledger, last)), [*_OWN, *factors], draft)
        if not count:
            raise UsageError("error.export.no_outputs")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return count


def _row(held: HeldOutput) -> Row:
    record, place = held.record, held.record.place
    said = zip(held.prompt.turns, held.answers[:-1], strict=False)
    before = [part for turn in said for part in turn]
    return {
        "output_id": place.output_id,
        "question_id": place.case,
        "prompt_variant": place.variant,
        "target_model": place.target,
        "model": record.model or record.asked_model,
        "platform": record.platform,
        "input": "\n\n".join((*before, held.prompt.turns[-1])),
        "system": held.prompt.system,
        "output": held.answers[-1],
        "state": held.state.value,
        "time": held.recorded_at,
        "repeat": place.repeat,
        "parameters": json.dumps(place.parameters, sort_keys=True),
        "input_tokens": record.input_tokens,
        "output_tokens": record.output_tokens,
        "latency_seconds": record.latency_seconds,
        "finish_reason": record.finish_reason,
        "prompt_sha256": record.prompt_digest,
        "case_digest": record.case_digest,
        "target_digest": record.task.target_digest,
        "task_id": record.task.id,
        "run": record.run,
        **place.factors,
    }


def _write_lines(rows: Iterator[Row], columns: list[str], path: Path) -> int:
    del columns
    with path.open("w", encoding="utf-8", newline="\n") as file:
        return sum(bool(file.write(json.dumps(row, ensure_ascii=False) + "\n")) for row in rows)


def _write_csv(rows: Iterator[Row], columns: list[str], path: Path) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\r\n")
        writer.writeheader()
        return sum(bool(writer.writerow(row)) for row in rows)


def _write_parquet(rows: Iterator[Row], columns: list[str], path: Path) -> int:
    import polars as pl

    lines = path.with_name(f"{path.name}.jsonl")  # Polars writes from it without holding all rows.
    try:
        count = _write_lines(({name: row.get(name) for name in columns} for row in rows), columns, lines)
        numbers = {
            "repeat": pl.Int64,
            "input_tokens": pl.Int64,
            "output_tokens": pl.Int64,
            "latency_seconds": pl.Float64,
        }
        schema = {name: numbers.get(name, pl.String) for name in columns}
        if count:
            pl.scan_ndjson(lines, schema=schema).sink_parquet(path)
    finally:
        lines.unlink(missing_ok=True)
    return count


_WRITERS: dict[str, Callable[[Iterator[Row], list[str], Path], int]] = {
    ".jsonl": _write_lines,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
