"""Gives tests the scripts of the documentation, which are not part of a package, and the blocks of its pages."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def load_script(name: str) -> ModuleType:
    """Return a script of `docs/` as a module; as when it is run, it finds those beside it."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(page: str, mark: str) -> list[str]:
    """Return the fenced blocks with this mark of a page of `docs/`."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{mark}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
