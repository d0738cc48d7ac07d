"""The house in order: what no single module can promise."""

import ast
from collections import Counter
from pathlib import Path

import venire

SOURCE = Path(venire.__file__).parent

DOUBLED = {"Outcome", "_Check"}
"""Names that still mean two things; the list only ever becomes shorter."""


def test_no_two_classes_share_a_name():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py"))
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} <= DOUBLED
