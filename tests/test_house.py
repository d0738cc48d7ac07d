"""The house in order: what no single module can promise."""

import ast
from collections import Counter
from pathlib import Path

import venire

SOURCE = Path(venire.__file__).parent


def test_no_two_classes_share_a_name():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py"))
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} == set()


def test_no_folder_has_more_than_twenty_modules():
    folders = Counter(path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    assert {str(folder): count for folder, count in folders.items() if count > 20} == {}
