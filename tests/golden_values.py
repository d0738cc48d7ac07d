"""Published values and tables made by other software, each with its source, from `tests/golden/`."""

import json
from pathlib import Path
from typing import Any


def golden(name: str) -> Any:
    return json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_text(encoding="utf-8"))
