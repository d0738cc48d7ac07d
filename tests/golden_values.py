"""Published values and tables made by other software, each with its source, from `tests/golden/`."""

import json
import os
from pathlib import Path
from typing import Any


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
