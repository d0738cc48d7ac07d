"""The page on the architecture names files and functions that are there, and the layers that are checked."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
STEPS = sorted(set(re.findall(r"`([a-z_/]+\.py)(?::(\w+))?`", PAGE)))


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_what_the_page_names_is_there(file: str, name: str) -> None:
    path = next(root / file for root in (ROOT / "src" / "venire", ROOT) if (root / file).exists())
    defined = {node.name for node in ast.parse(path.read_text("utf-8")).body if hasattr(node, "name")}
    assert not name or name in defined


def test_every_package_is_on_the_map() -> None:
    packages = {path.parent.name for path in (ROOT / "src" / "venire").glob("*/__init__.py")}
    assert {name for name in packages if f"| `{name}/`" not in PAGE} == set()


def test_every_room_is_named_beside_its_package() -> None:
    """A folder of modules in a package is a room; the line of its package says that it is there."""
    source = ROOT / "src" / "venire"
    lines = {found[1]: found[0] for found in re.finditer(r"^\| `(\w+)/` \|.*$", PAGE, re.MULTILINE)}
    rooms = [path.parent.relative_to(source) for path in sorted(source.glob("*/*/__init__.py"))]
    assert [str(room) for room in rooms if f"`{room.name}/`" not in lines[room.parts[0]]] == []


def test_the_layers_on_the_page_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert "```text\n" + "\n".join(layers) + "\n```" in PAGE
