"""Published values and tables made by other software, each with its source, from `tests/golden/`."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from venire.words.said import Said


def golden(name: str) -> Any:
    return json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_text(encoding="utf-8"))


def assert_as_kept(name: str, text: str) -> None:
    """Compare a text with the one in `tests/golden/`; with VENIRE_REWRITE=1 in the environment it is written anew."""
    path = Path(__file__).parent / "golden" / name
    if os.environ.get("VENIRE_REWRITE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        f"if it is meant to be so: VENIRE_REWRITE=1 pytest, then read {name}"
    )


def short(value: Any) -> str:
    """Show a result in one line: its numbers to five digits, its sentences by their codes."""
    match value:
        case Said():
            told = ", ".join(f"{name}={short(each)}" for name, each in value.values.items())
            return f"{value.code}({told})"
        case bool() | None | str():
            return str(value)
        case float() | np.floating():
            return f"{value:.5g}".replace("-0.", "-.").replace("0.", ".", 1) if abs(value) > 1e-9 else "0"
        case np.ndarray():
            return f"array{list(value.shape)}: {short(value.ravel()[:12].tolist())}"
        case pl.DataFrame():
            return short(value.head(4).to_dicts()) if len(value) else f"no rows of {short(dict(value.schema))}"
        case dict():
            return f"{{{', '.join(f'{short(name)}: {short(each)}' for name, each in value.items())}}}"
        case set() | frozenset():
            return short(sorted(value))
        case list() | tuple():
            return f"[{', '.join(map(short, value))}]"
        case msgspec.Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            told = (
                f"{name} {short(each)}" for name, each in fields.items() if isinstance(each, bool) or each is not None
            )
            return f"{type(value).__name__}({'; '.join(told)})"
    return str(value) if isinstance(value, (int, np.integer)) else type(value).__name__
